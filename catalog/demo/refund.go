package demo

// This file has the actions on refunds, and the letters, which are drafted but not sent.

import (
	"context"
	"fmt"

	"almanac/catalog"
)

func billingRefunds() []action {
	return []action{
		{
			id: "billing.refund.draft_note", title: "Draft a refund note", op: catalog.Read,
			about:    "Draft the note that would go with a refund, without issuing the refund. Only writes text; changes nothing.",
			entities: "invoice refund refund_note", tags: "billing refund draft note support letter",
			aliases: "draft refund note without issuing refund; refund letter; write refund message",
			in: `invoice_id: str -- Invoice, like inv_00042.
				amount_cents?: int 1..1000000000 -- Amount the note names, in cents; by default all that could be refunded.
				reason?: str 1..200 -- Why, in the customer's words.`,
			out: "refund_note",
			do:  []step{draftRefundNote},
			lua: `billing.refund.draft_note({ invoice_id = "inv_00042" })
				billing.refund.draft_note({ invoice_id = "inv_00042", amount_cents = 1500, reason = "damaged on arrival" })`,
		}, {
			id: "billing.refund.limit", title: "How much can be refunded", op: catalog.Read,
			about:    "Tell how much of an invoice can still be refunded.",
			entities: "invoice refund", tags: "billing refund limit eligibility",
			aliases: "refundable amount; can this be refunded; refund eligibility",
			in:      `invoice_id: str -- Invoice, like inv_00042.`,
			out:     "refund_limit",
			do: []step{one(`SELECT id AS invoice_id, status AS invoice_status, ` + owed +
				` AS owed_cents, paid_cents - refunded_cents AS paid_cents,
				paid_cents - refunded_cents + ` + owed + ` AS refundable_cents FROM invoices WHERE id = :invoice_id`)},
			lua: `billing.refund.limit({ invoice_id = "inv_00042" })`,
		}, {
			id: "billing.refund.list", title: "List refunds", op: catalog.Read,
			about:    "List refunds by customer, invoice or day, the newest first.",
			entities: "refund invoice customer", tags: "billing refund", aliases: "refund history; money paid back",
			in: `customer_id?: str -- Only this customer, like cus_0001.
				invoice_id?: str -- Only for this invoice, like inv_00042.
				from_date?: date -- Only issued on or after this day.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<refund>",
			do: []step{list(`SELECT * FROM refund_view WHERE 1 {AND customer_id = :customer_id} {AND invoice_id = :invoice_id}
				{AND issued_on >= :from_date} ORDER BY issued_on DESC, id DESC LIMIT :limit`)},
			lua: `billing.refund.list({ from_date = "2026-10-01" })`,
		}, {
			id: "billing.refund.get", title: "Get a refund", op: catalog.Read,
			about:    "Get one refund by its id.",
			entities: "refund", tags: "billing refund", aliases: "show refund; refund details",
			in:  `refund_id: str -- Refund, like rfd_0001.`,
			out: "refund",
			do:  []step{one(`SELECT * FROM refund_view WHERE id = :refund_id`)},
			lua: `billing.refund.get({ refund_id = "rfd_0001" })`,
		}, {
			id: "billing.refund.issue", title: "Issue a refund", op: catalog.Create, risk: catalog.High,
			about:    "Refund an invoice: first what is still owed on it is waived, the rest is paid back. Refuses more than was paid or is owed. Cannot be undone.",
			entities: "refund invoice customer", tags: "billing refund money payout",
			aliases: "pay back; give money back; reimburse customer",
			in: `invoice_id: str -- Invoice, like inv_00042.
				amount_cents: int 1..1000000000 -- Amount, in cents; see billing.refund.limit.
				reason: str 1..200 -- Why.`,
			out: "refund",
			do: []step{
				refuse(`SELECT 'invoice ' || id || ' is ' || status || ', nothing can be refunded' FROM invoices
					WHERE id = :invoice_id AND status IN ('draft', 'void')`),
				refuse(`SELECT 'refund of ' || printf('%.2f', :amount_cents / 100.0) || ' is more than the ' ||
					printf('%.2f', (paid_cents - refunded_cents + balance_cents) / 100.0) || ' that invoice ' || id || ' allows (' ||
					printf('%.2f', paid_cents / 100.0) || ' paid, ' || printf('%.2f', refunded_cents / 100.0) ||
					' of it paid back, ' || printf('%.2f', balance_cents / 100.0) || ' owed)'
					FROM invoices WHERE id = :invoice_id AND :amount_cents > paid_cents - refunded_cents + balance_cents`),
				fresh("rfd"),
				let("waived", `SELECT min(:amount_cents, balance_cents) FROM invoices WHERE id = :invoice_id`),
				exec(`INSERT INTO refunds SELECT :new_id, id, customer_id, :amount_cents, :waived, :amount_cents - :waived, :reason,
					coalesce(nullif(:caller, ''), 'unknown'), :today FROM invoices WHERE id = :invoice_id`),
				exec(`UPDATE invoices SET credited_cents = credited_cents + :waived, balance_cents = balance_cents - :waived,
					refunded_cents = refunded_cents + :amount_cents - :waived,
					status = iif(balance_cents = :waived, 'paid', status),
					paid_on = iif(balance_cents = :waived, coalesce(paid_on, :today), NULL) WHERE id = :invoice_id`),
				exec(`INSERT INTO ledger (customer_id, day, kind, reference, invoice_id, amount_cents)
					SELECT customer_id, issued_on, 'credit_note', id, invoice_id, -amount_cents FROM refunds WHERE id = :new_id`),
				exec(`INSERT INTO ledger (customer_id, day, kind, reference, invoice_id, amount_cents)
					SELECT customer_id, issued_on, 'refund', id, invoice_id, paid_out_cents FROM refunds
					WHERE id = :new_id AND paid_out_cents > 0`),
				one(`SELECT * FROM refund_view WHERE id = :new_id`),
			},
			lua: `billing.refund.issue({ invoice_id = "inv_00042", amount_cents = 1500, reason = "Damaged on arrival" })`,
		},
	}
}

// owed is the open balance of an invoice: zero for a draft or void one.
const owed = `iif(status = 'open', balance_cents, 0)`

// letter holds the facts about an invoice for a letter.
type letter struct {
	customer, company, contact, email, status, issued, due, currency, sender string
	total, balance, refundable, late                                         int64
}

func (w *work) letter(ctx context.Context) (letter, error) {
	var l letter
	err := w.tx.QueryRowContext(ctx, `SELECT i.customer_id, i.company_name, c.email, i.status, i.issued_on, i.due_date,
		b.currency, b.company, coalesce((SELECT name FROM contacts n WHERE n.customer_id = i.customer_id
			ORDER BY is_primary DESC, id LIMIT 1), i.company_name),
		i.amount_cents, i.balance_cents,
		iif(i.status IN ('draft', 'void'), 0, i.paid_cents - i.refunded_cents + i.balance_cents), i.days_overdue
		FROM invoice_view i JOIN customers c ON c.id = i.customer_id JOIN books b WHERE i.id = ?`, w.vars["invoice_id"]).Scan(
		&l.customer, &l.company, &l.email, &l.status, &l.issued, &l.due, &l.currency, &l.sender, &l.contact, &l.total,
		&l.balance, &l.refundable, &l.late)
	return l, err
}

// money writes cents as 1234.50 EUR.
func (l letter) money(cents int64) string {
	return fmt.Sprintf("%d.%02d %s", cents/100, cents%100, l.currency)
}

// draftRefundNote returns the text of a refund note.
func draftRefundNote(ctx context.Context, w *work) (any, error) {
	l, err := w.letter(ctx)
	if err != nil {
		return nil, err
	}
	id, amount := w.vars["invoice_id"], l.refundable
	if given, ok := w.vars["amount_cents"].(int64); ok {
		amount = given
	}
	if amount > l.refundable {
		return nil, fmt.Errorf("refund of %s is more than the %s that invoice %s allows",
			l.money(amount), l.money(l.refundable), id)
	}
	reason := "we reviewed"
	if given, ok := w.vars["reason"].(string); ok {
		reason = "you told us about a problem (" + given + ") with"
	}
	text := fmt.Sprintf("Dear %s,\n\n%s invoice %s of %s over %s. ", l.contact, reason, id, l.issued, l.money(l.total))
	if amount == 0 {
		text += "Nothing is left on it that we could refund."
	} else {
		waived := min(amount, l.balance)
		text += fmt.Sprintf("We propose a refund of %s", l.money(amount))
		switch {
		case waived == amount:
			text += ", to be set against the amount still owed."
		case waived > 0:
			text += fmt.Sprintf(": %s to be set against the amount still owed and %s to be paid back.",
				l.money(waived), l.money(amount-waived))
		default:
			text += ", to be paid back the way you paid."
		}
		text += " Nothing is booked until you have confirmed."
	}
	return map[string]any{
		"invoice_id": id, "customer_id": l.customer, "company_name": l.company,
		"subject": fmt.Sprintf("Refund for invoice %s", id), "text": text + "\n\nKind regards\n" + l.sender + " billing",
		"amount_cents": amount, "refundable_cents": l.refundable, "issued": false,
	}, nil
}

// draftReminder returns the text of a payment reminder.
func draftReminder(ctx context.Context, w *work) (any, error) {
	l, err := w.letter(ctx)
	if err != nil {
		return nil, err
	}
	id := w.vars["invoice_id"]
	if l.status != "open" {
		return nil, fmt.Errorf("invoice %s is %s: nothing to remind of", id, l.status)
	}
	ask := map[string]string{
		"friendly": "It may have slipped through; we would be glad to receive it in the next days.",
		"firm":     "Please transfer it within seven days.",
		"final":    "This is our last reminder. Please transfer it within three days; after that we stop deliveries.",
	}[fmt.Sprint(w.vars["tone"])]
	when := "falls due on " + l.due
	if l.late > 0 {
		when = fmt.Sprintf("was due on %s, %d days ago", l.due, l.late)
	}
	return map[string]any{
		"invoice_id": id, "customer_id": l.customer, "to": l.email,
		"subject": fmt.Sprintf("Invoice %s: %s", id, l.money(l.balance)),
		"text": fmt.Sprintf("Dear %s,\n\ninvoice %s of %s %s. %s is still open. %s\n\nKind regards\n%s billing",
			l.contact, id, l.issued, when, l.money(l.balance), ask, l.sender),
		"balance_cents": l.balance, "days_overdue": l.late,
	}, nil
}

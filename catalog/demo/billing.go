package demo

// This file has the actions on invoices.

import "almanac/catalog"

func billingInvoices() []action {
	return []action{
		{
			id: "billing.invoice.list_unpaid", title: "List unpaid invoices", op: catalog.Read,
			about:    "List unpaid invoices for a customer, the one due first comes first.",
			entities: "customer invoice", tags: "billing invoice unpaid collections receivable",
			aliases: "open invoices; past due invoices; what does a customer owe; outstanding invoices",
			in: `customer_id: str -- Customer, like cus_0001.
				limit?: int = 25 1..200 -- How many at most.
				overdue_only?: bool = false -- Only those past their due date.`,
			out: "list<invoice>",
			do: []step{list(`SELECT * FROM invoice_view WHERE customer_id = :customer_id AND status = 'open'
				AND (overdue OR NOT :overdue_only) ORDER BY due_date, id LIMIT :limit`)},
			lua: `local invoices = billing.invoice.list_unpaid({ customer_id = "cus_0001", limit = 10 })
				billing.invoice.list_unpaid({ customer_id = "cus_0001", overdue_only = true })`,
		}, {
			id: "billing.invoice.list", title: "List invoices", op: catalog.Read,
			about:    "List invoices by customer, status or day of issue, the newest first.",
			entities: "invoice customer", tags: "billing invoice", aliases: "all invoices; invoices of a customer; bills",
			in: `customer_id?: str -- Only this customer, like cus_0001.
				status?: draft|open|paid|void -- Only this status.
				from_date?: date -- Only issued on or after this day.
				to_date?: date -- Only issued on or before this day.
				limit?: int = 25 1..200 -- How many at most.
				offset?: int = 0 0..100000 -- How many to leave out first.`,
			out: "list<invoice>",
			do: []step{list(`SELECT * FROM invoice_view WHERE 1 {AND customer_id = :customer_id} {AND status = :status}
				{AND issued_on >= :from_date} {AND issued_on <= :to_date}
				ORDER BY issued_on DESC, id DESC LIMIT :limit OFFSET :offset`)},
			lua: `billing.invoice.list({ customer_id = "cus_0001", status = "paid" })
				billing.invoice.list({ from_date = "2026-10-01", to_date = "2026-10-31" })`,
		}, {
			id: "billing.invoice.list_overdue", title: "List overdue invoices", op: catalog.Read,
			about:    "List the overdue invoices of all customers, the longest overdue first.",
			entities: "invoice customer", tags: "billing invoice overdue collections dunning receivable",
			aliases: "late payers; past due; who has not paid; invoices to chase",
			in: `min_days_overdue?: int = 1 1..2000 -- Only at least so many days overdue.
				min_balance_cents?: int = 0 0..100000000 -- Only with at least so much owed, in cents.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<invoice>",
			do: []step{list(`SELECT * FROM invoice_view WHERE status = 'open' AND days_overdue >= :min_days_overdue
				AND balance_cents >= :min_balance_cents ORDER BY due_date, id LIMIT :limit`)},
			lua: `billing.invoice.list_overdue({ min_days_overdue = 60, limit = 10 })`,
		}, {
			id: "billing.invoice.get", title: "Get an invoice", op: catalog.Read,
			about:    "Get one invoice by its id, with what was paid and what is owed.",
			entities: "invoice", tags: "billing invoice", aliases: "show invoice; invoice details; invoice status",
			in:  `invoice_id: str -- Invoice, like inv_00042.`,
			out: "invoice",
			do:  []step{one(`SELECT * FROM invoice_view WHERE id = :invoice_id`)},
			lua: `billing.invoice.get({ invoice_id = "inv_00042" })`,
		}, {
			id: "billing.invoice.list_lines", title: "List the lines of an invoice", op: catalog.Read,
			about:    "List what an invoice bills, line by line.",
			entities: "invoice invoice_line product", tags: "billing invoice lines",
			aliases: "invoice positions; what was billed",
			in:      `invoice_id: str -- Invoice, like inv_00042.`,
			out:     "list<invoice_line>",
			do:      []step{list(`SELECT * FROM invoice_lines WHERE invoice_id = :invoice_id ORDER BY line`)},
			lua:     `billing.invoice.list_lines({ invoice_id = "inv_00042" })`,
		}, {
			id: "billing.invoice.draft_reminder", title: "Draft a payment reminder", op: catalog.Read,
			about:    "Draft the text of a payment reminder for an open invoice. Sends nothing and changes nothing.",
			entities: "invoice reminder customer", tags: "billing invoice collections dunning draft letter",
			aliases: "write a dunning letter; remind customer to pay; payment reminder text",
			in: `invoice_id: str -- Open invoice, like inv_00042.
				tone?: friendly|firm|final = friendly -- How it should sound.`,
			out: "reminder",
			do:  []step{draftReminder},
			lua: `billing.invoice.draft_reminder({ invoice_id = "inv_04323", tone = "firm" })`,
		},
	}
}

func billingInvoiceChanges() []action {
	return []action{
		{
			id: "billing.invoice.create", title: "Draft an invoice", op: catalog.Create,
			about:    "Make a draft invoice with lines for a customer. It is owed only once billing.invoice.send has sent it.",
			entities: "invoice customer", tags: "billing invoice new draft",
			aliases: "new invoice; bill a customer; write an invoice",
			in: `customer_id: str -- Customer, like cus_0001.
				lines: list<new_invoice_line> 1..50 -- What is billed.
				due_date?: date -- Day it is due; by default the customer's payment terms from today.`,
			out:  "invoice",
			undo: "billing.invoice.void; invoice_id = $result.id",
			do: []step{
				fresh("inv"),
				let("due", `SELECT coalesce(:due_date, date(:today, '+' || payment_terms_days || ' days')) FROM customers
					WHERE id = :customer_id`),
				refuse(`SELECT 'due date ' || :due || ' is before today, ' || :today WHERE :due < :today`),
				exec(`INSERT INTO invoices VALUES (:new_id, :customer_id, NULL, 'draft', 0, 0, 0, 0, 0, :today, :due, NULL)`),
				each("lines", "new_invoice_line",
					exec(`INSERT INTO invoice_lines VALUES (:new_id, :line, NULL, :description, :quantity, :unit_price_cents,
						:quantity * :unit_price_cents)`)),
				exec(sumInvoice),
				one(`SELECT * FROM invoice_view WHERE id = :new_id`),
			},
			lua: `billing.invoice.create({ customer_id = "cus_0001", lines = { { description = "Training day", quantity = 2, unit_price_cents = 89000 }, { description = "Travel", unit_price_cents = 12000 } } })`,
		}, {
			id: "billing.invoice.create_for_order", title: "Bill an order", op: catalog.Create,
			about:    "Make a draft invoice with the lines of an order that is not billed yet.",
			entities: "invoice order", tags: "billing invoice order new draft", aliases: "invoice an order; bill order",
			in:   `order_id: str -- Order, like ord_00001.`,
			out:  "invoice",
			undo: "billing.invoice.void; invoice_id = $result.id",
			do: []step{
				refuse(`SELECT 'order ' || :order_id || ' is billed already by ' || id FROM invoices
					WHERE order_id = :order_id AND status <> 'void'`),
				refuse(`SELECT 'order ' || id || ' is cancelled' FROM orders WHERE id = :order_id AND status = 'cancelled'`),
				fresh("inv"),
				exec(`INSERT INTO invoices SELECT :new_id, o.customer_id, o.id, 'draft', 0, 0, 0, 0, 0, :today,
					date(:today, '+' || payment_terms_days || ' days'), NULL
					FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.id = :order_id`),
				exec(`INSERT INTO invoice_lines SELECT :new_id, line, product_id, product_name, quantity, unit_price_cents,
					amount_cents FROM order_line_view WHERE order_id = :order_id`),
				exec(sumInvoice),
				one(`SELECT * FROM invoice_view WHERE id = :new_id`),
			},
			lua: `billing.invoice.create_for_order({ order_id = "ord_03198" })`,
		}, {
			id: "billing.invoice.send", title: "Send a draft invoice", op: catalog.Update,
			about:    "Send a draft invoice: from then on it is owed and stands in the ledger.",
			entities: "invoice", tags: "billing invoice send issue", aliases: "issue invoice; finalize invoice; mail invoice",
			in:   `invoice_id: str -- Draft invoice, see billing.invoice.list with status draft.`,
			out:  "invoice",
			undo: "billing.invoice.void; invoice_id = $args.invoice_id",
			do: []step{
				refuse(`SELECT 'invoice ' || id || ' is ' || status || ', only drafts can be sent' FROM invoices
					WHERE id = :invoice_id AND status <> 'draft'`),
				refuse(`SELECT 'invoice ' || id || ' comes to nothing' FROM invoices WHERE id = :invoice_id AND total_cents = 0`),
				exec(`UPDATE invoices SET status = 'open', issued_on = :today WHERE id = :invoice_id`),
				exec(`INSERT INTO ledger (customer_id, day, kind, reference, invoice_id, amount_cents)
					SELECT customer_id, :today, 'invoice', id, id, total_cents FROM invoices WHERE id = :invoice_id`),
				one(`SELECT * FROM invoice_view WHERE id = :invoice_id`),
			},
			lua: `billing.invoice.send({ invoice_id = "inv_05388" })`,
		}, {
			id: "billing.invoice.update_due_date", title: "Give more time to pay", op: catalog.Update,
			about:    "Move the due date of a draft or open invoice.",
			entities: "invoice", tags: "billing invoice due extension",
			aliases: "extend payment deadline; postpone invoice; payment extension",
			in: `invoice_id: str -- Invoice, like inv_00042.
				due_date: date -- New due date, on or after the day of issue.`,
			out: "invoice",
			do: []step{
				refuse(`SELECT 'invoice ' || id || ' is ' || status || ', its due date stays' FROM invoices
					WHERE id = :invoice_id AND status NOT IN ('draft', 'open')`),
				refuse(`SELECT 'due date ' || :due_date || ' is before the invoice was issued, ' || issued_on FROM invoices
					WHERE id = :invoice_id AND :due_date < issued_on`),
				exec(`UPDATE invoices SET due_date = :due_date WHERE id = :invoice_id`),
				one(`SELECT * FROM invoice_view WHERE id = :invoice_id`),
			},
			lua: `billing.invoice.update_due_date({ invoice_id = "inv_04894", due_date = "2026-11-30" })`,
		}, {
			id: "billing.invoice.void", title: "Void an invoice", op: catalog.Delete,
			about:    "Void an open invoice on which nothing was paid or credited: it is no longer owed. Cannot be undone.",
			entities: "invoice", tags: "billing invoice void cancel", aliases: "cancel invoice; annul invoice",
			in:  `invoice_id: str -- Invoice, like inv_00042.`,
			out: "invoice",
			do: []step{
				refuse(`SELECT 'invoice ' || id || ' is ' || status || ', only drafts and open invoices can be voided' FROM invoices
					WHERE id = :invoice_id AND status NOT IN ('draft', 'open')`),
				refuse(`SELECT 'something was paid or credited on invoice ' || id || '; use billing.refund.issue' FROM invoices
					WHERE id = :invoice_id AND paid_cents + credited_cents > 0`),
				exec(`INSERT INTO ledger (customer_id, day, kind, reference, invoice_id, amount_cents)
					SELECT customer_id, :today, 'void', id, id, -total_cents FROM invoices
					WHERE id = :invoice_id AND status = 'open'`),
				exec(`UPDATE invoices SET status = 'void', balance_cents = 0 WHERE id = :invoice_id`),
				one(`SELECT * FROM invoice_view WHERE id = :invoice_id`),
			},
			lua: `billing.invoice.void({ invoice_id = "inv_05339" })`,
		}, {
			id: "billing.invoice.void_all_for_customer", title: "Void all open invoices of a customer", op: catalog.Admin,
			about:    "Void every open invoice of a customer on which nothing was paid or credited. Cannot be undone.",
			entities: "invoice customer", tags: "billing invoice void dangerous bulk",
			aliases: "write off a customer; cancel all invoices",
			in:      `customer_id: str -- Customer, like cus_0001.`,
			out:     "void_summary",
			do: []step{
				let("voided", `SELECT count(*) FROM invoices WHERE customer_id = :customer_id AND status = 'open'
					AND paid_cents + credited_cents = 0`),
				let("amount", `SELECT coalesce(sum(total_cents), 0) FROM invoices
					WHERE customer_id = :customer_id AND status = 'open' AND paid_cents + credited_cents = 0`),
				exec(`INSERT INTO ledger (customer_id, day, kind, reference, invoice_id, amount_cents)
					SELECT customer_id, :today, 'void', id, id, -total_cents FROM invoices
					WHERE customer_id = :customer_id AND status = 'open' AND paid_cents + credited_cents = 0 ORDER BY id`),
				exec(`UPDATE invoices SET status = 'void', balance_cents = 0
					WHERE customer_id = :customer_id AND status = 'open' AND paid_cents + credited_cents = 0`),
				one(`SELECT :customer_id AS customer_id, :voided AS voided, :amount AS amount_cents,
					(SELECT count(*) FROM invoices WHERE customer_id = :customer_id AND status = 'open') AS kept`),
			},
			lua: `billing.invoice.void_all_for_customer({ customer_id = "cus_0163" })`,
		}, {
			id: "billing.invoice.delete_draft", title: "Delete a draft invoice", op: catalog.Delete, risk: catalog.Medium,
			about:    "Delete a draft invoice and its lines. Invoices that were sent can only be voided.",
			entities: "invoice", tags: "billing invoice draft remove", aliases: "discard draft; throw away draft invoice",
			in:  `invoice_id: str -- Draft invoice, see billing.invoice.list with status draft.`,
			out: "deleted",
			do: []step{
				refuse(`SELECT 'invoice ' || id || ' is ' || status || ', only drafts can be deleted' FROM invoices
					WHERE id = :invoice_id AND status <> 'draft'`),
				exec(`UPDATE tickets SET invoice_id = NULL WHERE invoice_id = :invoice_id`),
				exec(`DELETE FROM invoice_lines WHERE invoice_id = :invoice_id`),
				exec(`DELETE FROM invoices WHERE id = :invoice_id`),
				gone("invoice_id"),
			},
			lua: `billing.invoice.delete_draft({ invoice_id = "inv_05392" })`,
		},
	}
}

// sumInvoice sets the total of the draft :new_id from its lines.
const sumInvoice = `UPDATE invoices SET (total_cents, balance_cents) =
	(SELECT sum(amount_cents), sum(amount_cents) FROM invoice_lines WHERE invoice_id = :new_id) WHERE id = :new_id`

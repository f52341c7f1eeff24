package demo

// This file has the actions on payments, credits and the ledger.

import "almanac/catalog"

func billingPayments() []action {
	return []action{
		{
			id: "billing.payment.list", title: "List payments", op: catalog.Read,
			about:    "List payments by customer, invoice, method or day, the newest first.",
			entities: "payment invoice customer", tags: "billing payment cash",
			aliases: "money received; payment history; paid invoices",
			in: `customer_id?: str -- Only this customer, like cus_0001.
				invoice_id?: str -- Only for this invoice, like inv_00042.
				method?: bank_transfer|card|direct_debit|cheque -- Only paid this way.
				from_date?: date -- Only received on or after this day.
				to_date?: date -- Only received on or before this day.
				limit?: int = 25 1..200 -- How many at most.
				offset?: int = 0 0..100000 -- How many to leave out first.`,
			out: "list<payment>",
			do: []step{list(`SELECT * FROM payments WHERE 1 {AND customer_id = :customer_id} {AND invoice_id = :invoice_id}
				{AND method = :method}
				{AND received_on >= :from_date} {AND received_on <= :to_date}
				ORDER BY received_on DESC, id DESC LIMIT :limit OFFSET :offset`)},
			lua: `billing.payment.list({ customer_id = "cus_0001", limit = 5 })`,
		}, {
			id: "billing.payment.get", title: "Get a payment", op: catalog.Read,
			about:    "Get one payment by its id.",
			entities: "payment", tags: "billing payment", aliases: "show payment; payment details",
			in:  `payment_id: str -- Payment, like pay_00001.`,
			out: "payment",
			do:  []step{one(`SELECT * FROM payments WHERE id = :payment_id`)},
			lua: `billing.payment.get({ payment_id = "pay_00001" })`,
		}, {
			id: "billing.payment.record", title: "Record a payment", op: catalog.Create,
			about:    "Record money received for an open invoice. Refuses more than is owed on it.",
			entities: "payment invoice", tags: "billing payment cash new",
			aliases: "book a payment; mark invoice as paid; money came in",
			in: `invoice_id: str -- Open invoice, like inv_00042.
				amount_cents: int 1..1000000000 -- Amount received, in cents.
				method?: bank_transfer|card|direct_debit|cheque = bank_transfer -- How it was paid.
				reference?: str 1..80 -- Reference on the bank statement.`,
			out:  "payment",
			undo: "billing.payment.reverse; payment_id = $result.id",
			do: []step{
				refuse(`SELECT 'invoice ' || id || ' is ' || status || ', only open invoices can be paid' FROM invoices
					WHERE id = :invoice_id AND status <> 'open'`),
				refuse(`SELECT 'payment of ' || printf('%.2f', :amount_cents / 100.0) || ' is more than the '
					|| printf('%.2f', balance_cents / 100.0) || ' owed on ' || id
					FROM invoices WHERE id = :invoice_id AND :amount_cents > balance_cents`),
				fresh("pay"),
				exec(`INSERT INTO payments SELECT :new_id, id, customer_id, :amount_cents, :method, 'settled',
					coalesce(:reference, 'entered by hand'), :today FROM invoices WHERE id = :invoice_id`),
				exec(`UPDATE invoices SET paid_cents = paid_cents + :amount_cents, balance_cents = balance_cents - :amount_cents,
					status = iif(balance_cents = :amount_cents, 'paid', 'open'),
					paid_on = iif(balance_cents = :amount_cents, :today, NULL) WHERE id = :invoice_id`),
				exec(`INSERT INTO ledger (customer_id, day, kind, reference, invoice_id, amount_cents)
					SELECT customer_id, :today, 'payment', :new_id, id, -:amount_cents FROM invoices WHERE id = :invoice_id`),
				one(`SELECT * FROM payments WHERE id = :new_id`),
			},
			lua: `billing.payment.record({ invoice_id = "inv_05005", amount_cents = 1000, method = "card" })`,
		}, {
			id: "billing.payment.reverse", title: "Reverse a payment", op: catalog.Update, risk: catalog.High,
			about:    "Reverse a payment that bounced or was booked on the wrong invoice: the invoice is owed again.",
			entities: "payment invoice", tags: "billing payment chargeback",
			aliases: "chargeback; bounced payment; undo payment",
			in:      `payment_id: str -- Payment, like pay_00001.`,
			out:     "payment",
			undo: "billing.payment.record; invoice_id = $result.invoice_id; " +
				"amount_cents = $result.amount_cents; method = $result.method; " +
				"reference = $result.reference?",
			do: []step{
				refuse(`SELECT 'payment ' || id || ' is reversed already' FROM payments
					WHERE id = :payment_id AND status = 'reversed'`),
				refuse(`SELECT 'invoice ' || i.id || ' was refunded; a payment behind a refund cannot be reversed' FROM payments p
					JOIN invoices i ON i.id = p.invoice_id
					WHERE p.id = :payment_id AND i.paid_cents - p.amount_cents < i.refunded_cents`),
				exec(`UPDATE payments SET status = 'reversed' WHERE id = :payment_id`),
				exec(`UPDATE invoices SET paid_cents = paid_cents - p.amount_cents, balance_cents = balance_cents + p.amount_cents,
					status = 'open', paid_on = NULL
					FROM (SELECT invoice_id, amount_cents FROM payments WHERE id = :payment_id) p WHERE id = p.invoice_id`),
				exec(`INSERT INTO ledger (customer_id, day, kind, reference, invoice_id, amount_cents)
					SELECT customer_id, :today, 'reversal', id, invoice_id, amount_cents FROM payments WHERE id = :payment_id`),
				one(`SELECT * FROM payments WHERE id = :payment_id`),
			},
			lua: `billing.payment.reverse({ payment_id = "pay_04500" })`,
		}, {
			id: "billing.ledger.list", title: "List ledger entries", op: catalog.Read,
			about:    "List what was booked for a customer or an invoice, the newest first; amounts above zero are owed to us.",
			entities: "ledger_entry customer invoice", tags: "billing ledger accounting bookings",
			aliases: "account movements; bookings; journal",
			in: `customer_id?: str -- Only this customer, like cus_0001.
				invoice_id?: str -- Only for this invoice, like inv_00042.
				kind?: invoice|payment|reversal|credit|credit_note|refund|void -- Only this kind.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<ledger_entry>",
			do: []step{list(`SELECT * FROM ledger_view WHERE 1 {AND customer_id = :customer_id} {AND invoice_id = :invoice_id}
				{AND kind = :kind} ORDER BY seq DESC LIMIT :limit`)},
			lua: `billing.ledger.list({ customer_id = "cus_0001", limit = 10 })`,
		}, {
			id: "billing.statement.get", title: "Get a statement of account", op: catalog.Read,
			about:    "Sum up a customer's ledger between two days: what it owed before, what came, what it owes after.",
			entities: "statement customer", tags: "billing statement ledger accounting",
			aliases: "account statement; balance of a customer; opening and closing balance",
			in: `customer_id: str -- Customer, like cus_0001.
				from_date?: date = 2026-10-01 -- First day.
				to_date?: date = 2026-10-31 -- Last day.`,
			out: "statement",
			do: []step{
				refuse(`SELECT 'from_date ' || :from_date || ' is after to_date ' || :to_date WHERE :from_date > :to_date`),
				one(`SELECT c.id AS customer_id, c.company_name, :from_date AS from_date, :to_date AS to_date,
				coalesce(sum(amount_cents) FILTER (WHERE day < :from_date), 0) AS opening_cents,
				coalesce(sum(amount_cents) FILTER (WHERE day BETWEEN :from_date AND :to_date AND amount_cents > 0), 0)
				AS charged_cents,
				coalesce(sum(amount_cents) FILTER (WHERE day BETWEEN :from_date AND :to_date AND amount_cents < 0), 0)
				AS settled_cents, coalesce(sum(amount_cents) FILTER (WHERE day <= :to_date), 0) AS closing_cents,
				count(seq) FILTER (WHERE day BETWEEN :from_date AND :to_date) AS entries
				FROM customers c LEFT JOIN ledger l ON l.customer_id = c.id WHERE c.id = :customer_id GROUP BY c.id`),
			},
			lua: `billing.statement.get({ customer_id = "cus_0001", from_date = "2026-07-01", to_date = "2026-09-30" })`,
		},
	}
}

func billingCredits() []action {
	return []action{
		{
			id: "billing.credit.list", title: "List credits", op: catalog.Read,
			about:    "List credits by customer or status, the newest first.",
			entities: "credit customer", tags: "billing credit goodwill", aliases: "credit notes; vouchers; unused credit",
			in: `customer_id?: str -- Only this customer, like cus_0001.
				status?: active|used|revoked -- Only this status.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<credit>",
			do: []step{list(`SELECT * FROM credits WHERE 1 {AND customer_id = :customer_id} {AND status = :status}
				ORDER BY granted_on DESC, id DESC LIMIT :limit`)},
			lua: `billing.credit.list({ customer_id = "cus_0001", status = "active" })`,
		}, {
			id: "billing.credit.get", title: "Get a credit", op: catalog.Read,
			about:    "Get one credit by its id.",
			entities: "credit", tags: "billing credit", aliases: "show credit; credit details",
			in:  `credit_id: str -- Credit, like crd_0001.`,
			out: "credit",
			do:  []step{one(`SELECT * FROM credits WHERE id = :credit_id`)},
			lua: `billing.credit.get({ credit_id = "crd_0001" })`,
		}, {
			id: "billing.credit.grant", title: "Grant a credit", op: catalog.Create,
			about:    "Grant a customer a credit that can be set against invoices for a year.",
			entities: "credit customer", tags: "billing credit goodwill new",
			aliases: "give goodwill; issue voucher; credit a customer",
			in: `customer_id: str -- Customer, like cus_0001.
				amount_cents: int 1..10000000 -- Amount, in cents.
				reason: str 1..200 -- Why.
				expires_on?: date -- Last day it can be used; by default a year from today.`,
			out:  "credit",
			undo: "billing.credit.revoke; credit_id = $result.id",
			do: []step{
				refuse(`SELECT 'expires_on ' || :expires_on || ' is before today, ' || :today WHERE :expires_on < :today`),
				fresh("crd"),
				exec(`INSERT INTO credits VALUES (:new_id, :customer_id, :amount_cents, :amount_cents, :reason, 'active', :today,
					coalesce(:expires_on, date(:today, '+1 year')))`),
				one(`SELECT * FROM credits WHERE id = :new_id`),
			},
			lua: `billing.credit.grant({ customer_id = "cus_0001", amount_cents = 5000, reason = "Late delivery" })`,
		}, {
			id: "billing.credit.apply", title: "Set a credit against an invoice", op: catalog.Update,
			about:    "Set a customer's credit against one of its open invoices, as much as both allow or the amount given.",
			entities: "credit invoice", tags: "billing credit invoice use",
			aliases: "use credit; redeem voucher; pay with credit",
			in: `credit_id: str -- Active credit, like crd_0001.
				invoice_id: str -- Open invoice of the same customer, like inv_00042.
				amount_cents?: int 1..10000000 -- Amount, in cents; by default as much as possible.`,
			out: "invoice",
			do: []step{
				refuse(`SELECT 'invoice ' || id || ' is ' || status || ', credit can only be set against open invoices'
					FROM invoices WHERE id = :invoice_id AND status <> 'open'`),
				refuse(`SELECT 'credit ' || id || ' is ' || status FROM credits WHERE id = :credit_id AND status <> 'active'`),
				refuse(`SELECT 'credit ' || id || ' expired on ' || expires_on FROM credits
					WHERE id = :credit_id AND expires_on < :today`),
				refuse(`SELECT 'credit ' || c.id || ' belongs to ' || c.customer_id || ', invoice ' || i.id || ' to '
					|| i.customer_id
					FROM credits c, invoices i WHERE c.id = :credit_id AND i.id = :invoice_id AND c.customer_id <> i.customer_id`),
				refuse(`SELECT 'credit ' || :credit_id || ' was set against invoice ' || :invoice_id || ' before' FROM credit_uses
					WHERE credit_id = :credit_id AND invoice_id = :invoice_id`),
				let("most", `SELECT min(c.remaining_cents, i.balance_cents) FROM credits c, invoices i
					WHERE c.id = :credit_id AND i.id = :invoice_id`),
				refuse(`SELECT 'at most ' || printf('%.2f', :most / 100.0) || ' can be set against ' || :invoice_id
					WHERE :amount_cents > :most`),
				let("used", `SELECT coalesce(:amount_cents, :most)`),
				exec(`INSERT INTO credit_uses VALUES (:credit_id, :invoice_id, :used, :today)`),
				exec(`UPDATE credits SET remaining_cents = remaining_cents - :used,
					status = iif(remaining_cents = :used, 'used', status) WHERE id = :credit_id`),
				exec(`UPDATE invoices SET credited_cents = credited_cents + :used, balance_cents = balance_cents - :used,
					status = iif(balance_cents = :used, 'paid', 'open'), paid_on = iif(balance_cents = :used, :today, NULL)
					WHERE id = :invoice_id`),
				exec(`INSERT INTO ledger (customer_id, day, kind, reference, invoice_id, amount_cents)
					SELECT customer_id, :today, 'credit', :credit_id, id, -:used FROM invoices WHERE id = :invoice_id`),
				one(`SELECT * FROM invoice_view WHERE id = :invoice_id`),
			},
			lua: `billing.credit.apply({ credit_id = "crd_0173", invoice_id = "inv_05149", amount_cents = 5000 })`,
		}, {
			id: "billing.credit.revoke", title: "Revoke a credit", op: catalog.Delete, risk: catalog.Medium,
			about:    "Take back what is left of a credit. What was used stays.",
			entities: "credit", tags: "billing credit remove", aliases: "cancel credit; withdraw voucher",
			in:  `credit_id: str -- Active credit, like crd_0001.`,
			out: "credit",
			do: []step{
				refuse(`SELECT 'credit ' || id || ' is ' || status FROM credits WHERE id = :credit_id AND status <> 'active'`),
				exec(`UPDATE credits SET status = 'revoked', remaining_cents = 0 WHERE id = :credit_id`),
				one(`SELECT * FROM credits WHERE id = :credit_id`),
			},
			lua: `billing.credit.revoke({ credit_id = "crd_0091" })`,
		},
	}
}

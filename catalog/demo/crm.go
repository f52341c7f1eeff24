package demo

// This file has the actions on accounts and customers.

import "almanac/catalog"

func crmAccounts() []action {
	return []action{
		{
			id: "crm.account.search", title: "Search accounts", op: catalog.Read,
			about:    "Find accounts (company groups) by words of their name, or list them by tier, owner or industry.",
			entities: "account", tags: "crm account lookup",
			aliases: "find company group; look up account; accounts of an owner",
			in: `query?: str -- Words of the name.
				tier?: standard|silver|gold|enterprise -- Only this tier.
				owner_id?: str -- Only accounts of this staff user, like usr_002.
				industry?: str -- Only this line of business, such as retail.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<account>",
			do: []step{list(`SELECT * FROM account_view WHERE 1
				{AND NOT EXISTS (SELECT 1 FROM json_each(:query_words) w WHERE instr(lower(name), w.value) = 0)}
				{AND tier = :tier} {AND owner_id = :owner_id} {AND industry = lower(:industry)} ORDER BY name, id LIMIT :limit`)},
			lua: `crm.account.search({ query = "acme" })
				crm.account.search({ tier = "gold", limit = 10 })`,
		}, {
			id: "crm.account.get", title: "Get an account", op: catalog.Read,
			about:    "Get one account by its id, with its owner.",
			entities: "account", tags: "crm account", aliases: "show account; account details",
			in:  `account_id: str -- Account, like acc_0001.`,
			out: "account",
			do:  []step{one(`SELECT * FROM account_view WHERE id = :account_id`)},
			lua: `crm.account.get({ account_id = "acc_0001" })`,
		}, {
			id: "crm.account.list_customers", title: "List the customers of an account", op: catalog.Read,
			about:    "List the customers that belong to an account, its branches.",
			entities: "account customer", tags: "crm account customer branches", aliases: "branches of a company; subsidiaries",
			in: `account_id: str -- Account, like acc_0001.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<customer>",
			do:  []step{list(`SELECT * FROM customer_view WHERE account_id = :account_id ORDER BY id LIMIT :limit`)},
			lua: `crm.account.list_customers({ account_id = "acc_0001" })`,
		}, {
			id: "crm.account.create", title: "Open an account", op: catalog.Create,
			about:    "Open a new account for a company group.",
			entities: "account", tags: "crm account new", aliases: "add company group; new account",
			in: `name: str 1..120 -- Name of the company group.
				industry: str 1..60 -- Line of business, such as retail.
				owner_id: str -- Staff user who looks after it, like usr_002.
				tier?: standard|silver|gold|enterprise = standard -- How much service it pays for.
				website?: str -- Web address.`,
			out:  "account",
			undo: "crm.account.update; account_id = $result.id; status = closed",
			do: []step{
				refuse(`SELECT 'there is an account called ' || name || ' already: ' || id FROM accounts
					WHERE lower(name) = lower(:name)`),
				refuse(`SELECT 'user ' || id || ' is ' || status || ' and cannot own accounts' FROM users
					WHERE id = :owner_id AND status <> 'active'`),
				fresh("acc"),
				exec(`INSERT INTO accounts VALUES (:new_id, :name, lower(:industry), :tier, 'active', :website, :owner_id,
					:today)`),
				one(`SELECT * FROM account_view WHERE id = :new_id`),
			},
			lua: `crm.account.create({ name = "Lumen Group", industry = "energy", owner_id = "usr_002", tier = "silver" })`,
		}, {
			id: "crm.account.update", title: "Change an account", op: catalog.Update,
			about:    "Change the name, industry, tier, status or website of an account.",
			entities: "account", tags: "crm account edit tier", aliases: "edit account; upgrade tier; rename account",
			in: `account_id: str -- Account, like acc_0001.
				name?: str 1..120 -- New name.
				industry?: str 1..60 -- New line of business.
				tier?: standard|silver|gold|enterprise -- New tier.
				status?: active|closed -- New status.
				website?: str -- New web address.`,
			out: "account",
			do: []step{
				someOf("name", "industry", "tier", "status", "website"),
				exec(`UPDATE accounts SET name = coalesce(:name, name), industry = coalesce(lower(:industry), industry),
					tier = coalesce(:tier, tier),
					status = coalesce(:status, status), website = coalesce(:website, website) WHERE id = :account_id`),
				one(`SELECT * FROM account_view WHERE id = :account_id`),
			},
			lua: `crm.account.update({ account_id = "acc_0007", tier = "gold" })`,
		}, {
			id: "crm.account.assign_owner", title: "Give an account to somebody", op: catalog.Update,
			about:    "Make another staff user look after an account.",
			entities: "account user", tags: "crm account owner",
			aliases: "reassign account; change account manager; transfer account",
			in: `account_id: str -- Account, like acc_0001.
				owner_id: str -- The new owner, like usr_002.`,
			out: "account",
			do: []step{
				refuse(`SELECT 'user ' || id || ' is ' || status || ' and cannot own accounts' FROM users
					WHERE id = :owner_id AND status <> 'active'`),
				exec(`UPDATE accounts SET owner_id = :owner_id WHERE id = :account_id`),
				one(`SELECT * FROM account_view WHERE id = :account_id`),
			},
			lua: `crm.account.assign_owner({ account_id = "acc_0007", owner_id = "usr_002" })`,
		},
	}
}

func crmCustomers() []action {
	return []action{
		{
			id: "crm.customer.search", title: "Search customers", op: catalog.Read,
			about:    "Find customer accounts by company name, or by words of name, email, city or id; the best match comes first.",
			entities: "customer", tags: "crm customer accounts lookup company",
			aliases: "find customer account by company name; look up a company; customer lookup; who is this company",
			in: `query?: str 1..200 -- Words to look for in company name, email, city and id; give this or company_name.
				company_name?: str 1..200 -- Words of the company name.
				status?: active|suspended|closed -- Only this status.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<customer>",
			do: []step{
				refuse(`SELECT 'give query or company_name (crm.customer.list lists all)'
					WHERE :query IS NULL AND :company_name IS NULL`),
				list(`SELECT * FROM customer_view WHERE 1
				{AND NOT EXISTS (SELECT 1 FROM json_each(:query_words) w
					WHERE instr(lower(company_name || ' ' || email || ' ' || city || ' ' || id), w.value) = 0)}
				{AND NOT EXISTS (SELECT 1 FROM json_each(:company_name_words) w WHERE instr(lower(company_name), w.value) = 0)}
				{AND status = :status}
				ORDER BY lower(company_name) = lower(trim(coalesce(:company_name, :query))) DESC,
					instr(lower(company_name), lower(trim(coalesce(:company_name, :query)))) = 1 DESC, length(company_name),
					company_name, id LIMIT :limit`),
			},
			lua: `crm.customer.search({ query = "Acme", limit = 1 })
				crm.customer.search({ company_name = "Acme Corp" })`,
		}, {
			id: "crm.customer.get", title: "Get a customer", op: catalog.Read,
			about:    "Get one customer by its id.",
			entities: "customer", tags: "crm customer", aliases: "show customer; customer details",
			in:  `customer_id: str -- Customer, like cus_0001.`,
			out: "customer",
			do:  []step{one(`SELECT * FROM customer_view WHERE id = :customer_id`)},
			lua: `crm.customer.get({ customer_id = "cus_0001" })`,
		}, {
			id: "crm.customer.overview", title: "Customer at a glance", op: catalog.Read,
			about:    "Sum up one customer: what it owes, credit, open orders and tickets, who to write to.",
			entities: "customer", tags: "crm customer summary balance",
			aliases: "customer 360; customer summary; how much does a customer owe",
			in:      `customer_id: str -- Customer, like cus_0001.`,
			out:     "customer_overview",
			do:      []step{one(`SELECT * FROM customer_overview_view WHERE id = :customer_id`)},
			lua:     `crm.customer.overview({ customer_id = "cus_0001" })`,
		}, {
			id: "crm.customer.list", title: "List customers", op: catalog.Read,
			about:    "List customers by status, country or city, in order of id.",
			entities: "customer", tags: "crm customer", aliases: "all customers; customers in a country",
			in: `status?: active|suspended|closed -- Only this status.
				country?: str 2..2 -- Only this two-letter country code.
				city?: str -- Only this city.
				limit?: int = 25 1..200 -- How many at most.
				offset?: int = 0 0..100000 -- How many to leave out first.`,
			out: "list<customer>",
			do: []step{list(`SELECT * FROM customer_view WHERE 1 {AND status = :status} {AND country = upper(:country)}
				{AND lower(city) = lower(:city)} ORDER BY id LIMIT :limit OFFSET :offset`)},
			lua: `crm.customer.list({ country = "DE", status = "active" })`,
		}, {
			id: "crm.customer.find_duplicates", title: "Find duplicate customers", op: catalog.Read,
			about:    "Find pairs of customers that share a name, email address or phone number.",
			entities: "customer", tags: "crm customer quality duplicates",
			aliases: "duplicate customers; same customer twice; deduplicate",
			in:      `limit?: int = 25 1..200 -- How many pairs at most.`,
			out:     "list<duplicate>",
			do: []step{list(`WITH marks AS (SELECT id, 'name' AS mark, lower(company_name) AS v FROM customers
					UNION ALL SELECT id, 'email', lower(email) FROM customers UNION ALL SELECT id, 'phone', phone FROM customers)
				SELECT a.id AS customer_id, c.company_name, b.id AS other_id, d.company_name AS other_company_name,
				group_concat(a.mark, ', ') AS same FROM marks a JOIN marks b ON a.mark = b.mark AND a.v = b.v AND a.id < b.id
				JOIN customers c ON c.id = a.id JOIN customers d ON d.id = b.id GROUP BY a.id, b.id
				ORDER BY a.id, b.id LIMIT :limit`)},
			lua: `crm.customer.find_duplicates({ limit = 10 })`,
		}, {
			id: "crm.customer.create", title: "Add a customer", op: catalog.Create,
			about:    "Add a customer to an account.",
			entities: "customer account", tags: "crm customer new", aliases: "new customer; register customer; onboard company",
			in: `account_id: str -- Account it belongs to, like acc_0001.
				company_name: str 1..120 -- Name of the company.
				email: str 3..200 -- Main email address.
				phone: str 3..40 -- Main phone number.
				street: str 1..120 -- Street and number.
				city: str 1..80 -- City.
				country: str 2..2 -- Two-letter country code.
				payment_terms_days?: int = 30 0..120 -- Days until an invoice is due.
				sla_policy_id?: str = sla_01 -- Service level, see support.sla.list_policies.`,
			out:  "customer",
			undo: "crm.customer.delete; customer_id = $result.id",
			do: []step{
				refuse(`SELECT 'there is a customer called ' || company_name || ' already: ' || id FROM customers
					WHERE lower(company_name) = lower(:company_name)`),
				refuse(`SELECT 'account ' || id || ' is closed' FROM accounts WHERE id = :account_id AND status = 'closed'`),
				fresh("cus"),
				exec(`INSERT INTO customers VALUES (:new_id, :account_id, :company_name, :email, :phone, :street, :city,
					upper(:country), 'active', :payment_terms_days, :sla_policy_id, :today)`),
				one(`SELECT * FROM customer_view WHERE id = :new_id`),
			},
			lua: `crm.customer.create({ account_id = "acc_0001", company_name = "Acme Corp Nordic", email = "nordic@acme-corp.example", phone = "+45 33 1234567", street = "Dock Road 4", city = "Copenhagen", country = "DK" })`,
		}, {
			id: "crm.customer.update", title: "Change a customer", op: catalog.Update,
			about:    "Change the name, address, email, phone, payment terms or service level of a customer.",
			entities: "customer", tags: "crm customer edit address",
			aliases: "edit customer; change address; change payment terms",
			in: `customer_id: str -- Customer, like cus_0001.
				company_name?: str 1..120 -- New name.
				email?: str 3..200 -- New email address.
				phone?: str 3..40 -- New phone number.
				street?: str 1..120 -- New street and number.
				city?: str 1..80 -- New city.
				country?: str 2..2 -- New two-letter country code.
				payment_terms_days?: int 0..120 -- New days until an invoice is due.
				sla_policy_id?: str -- New service level, like sla_02.`,
			out: "customer",
			do: []step{
				someOf("company_name", "email", "phone", "street", "city", "country", "payment_terms_days", "sla_policy_id"),
				exec(`UPDATE customers SET company_name = coalesce(:company_name, company_name), email = coalesce(:email, email),
					phone = coalesce(:phone, phone), street = coalesce(:street, street), city = coalesce(:city, city),
					country = coalesce(upper(:country), country), payment_terms_days = coalesce(:payment_terms_days,
					payment_terms_days), sla_policy_id = coalesce(:sla_policy_id, sla_policy_id) WHERE id = :customer_id`),
				one(`SELECT * FROM customer_view WHERE id = :customer_id`),
			},
			lua: `crm.customer.update({ customer_id = "cus_0002", city = "Oslo", country = "NO" })`,
		}, {
			id: "crm.customer.set_status", title: "Suspend or reactivate a customer", op: catalog.Update, risk: catalog.High,
			about:    "Suspend, close or reactivate a customer; one that is not active cannot order.",
			entities: "customer", tags: "crm customer status suspend",
			aliases: "block customer; suspend customer; reactivate customer; close customer",
			in: `customer_id: str -- Customer, like cus_0001.
				status: active|suspended|closed -- New status.`,
			out: "customer",
			do: []step{
				refuse(`SELECT 'customer ' || id || ' still owes ' || printf('%.2f', sum_cents / 100.0) || ' and cannot be closed'
					FROM (SELECT customer_id AS id, sum(balance_cents) AS sum_cents FROM invoices
					WHERE customer_id = :customer_id AND status = 'open') WHERE :status = 'closed' AND sum_cents > 0`),
				exec(`UPDATE customers SET status = :status WHERE id = :customer_id`),
				one(`SELECT * FROM customer_view WHERE id = :customer_id`),
			},
			lua: `crm.customer.set_status({ customer_id = "cus_0003", status = "suspended" })`,
		}, {
			id: "crm.customer.delete", title: "Delete a customer", op: catalog.Delete,
			about:    "Delete a customer that never ordered, was never billed and never wrote, with its contacts and notes.",
			entities: "customer", tags: "crm customer remove", aliases: "remove customer; erase customer",
			in:  `customer_id: str -- Customer, like cus_0001.`,
			out: "deleted",
			do: []step{
				refuse(`SELECT 'customer ' || :customer_id || ' has ' || n
					|| ' orders, invoices, tickets, credits or leads; set its status to closed instead' FROM (SELECT
					(SELECT count(*) FROM orders WHERE customer_id = :customer_id) +
					(SELECT count(*) FROM invoices WHERE customer_id = :customer_id) +
					(SELECT count(*) FROM tickets WHERE customer_id = :customer_id) +
					(SELECT count(*) FROM credits WHERE customer_id = :customer_id) +
					(SELECT count(*) FROM leads WHERE customer_id = :customer_id) AS n) WHERE n > 0`),
				exec(`DELETE FROM customer_notes WHERE customer_id = :customer_id`),
				exec(`DELETE FROM contacts WHERE customer_id = :customer_id`),
				exec(`DELETE FROM customers WHERE id = :customer_id`),
				gone("customer_id"),
			},
			lua: `crm.customer.delete({ customer_id = "cus_0525" })`,
		}, {
			id: "crm.customer.merge", title: "Merge two customers", op: catalog.Admin,
			about:    "Merge a customer into another: everything it has moves over and the customer is gone. Cannot be undone.",
			entities: "customer", tags: "crm customer duplicates dangerous", aliases: "combine customers; merge duplicates",
			in: `customer_id: str -- Customer that goes, like cus_0009.
				into_customer_id: str -- Customer that stays, like cus_0001.`,
			out: "customer_overview",
			do: []step{
				refuse(`SELECT 'a customer cannot be merged into itself' WHERE :customer_id = :into_customer_id`),
				exec(`UPDATE contacts SET customer_id = :into_customer_id, is_primary = 0 WHERE customer_id = :customer_id`),
				exec(`UPDATE customer_notes SET customer_id = :into_customer_id WHERE customer_id = :customer_id`),
				exec(`UPDATE leads SET customer_id = :into_customer_id WHERE customer_id = :customer_id`),
				exec(`UPDATE orders SET customer_id = :into_customer_id WHERE customer_id = :customer_id`),
				exec(`UPDATE invoices SET customer_id = :into_customer_id WHERE customer_id = :customer_id`),
				exec(`UPDATE payments SET customer_id = :into_customer_id WHERE customer_id = :customer_id`),
				exec(`UPDATE refunds SET customer_id = :into_customer_id WHERE customer_id = :customer_id`),
				exec(`UPDATE credits SET customer_id = :into_customer_id WHERE customer_id = :customer_id`),
				exec(`UPDATE ledger SET customer_id = :into_customer_id WHERE customer_id = :customer_id`),
				exec(`UPDATE tickets SET customer_id = :into_customer_id WHERE customer_id = :customer_id`),
				exec(`DELETE FROM customers WHERE id = :customer_id`),
				one(`SELECT * FROM customer_overview_view WHERE id = :into_customer_id`),
			},
			lua: `crm.customer.merge({ customer_id = "cus_0009", into_customer_id = "cus_0008" })`,
		}, {
			id: "crm.customer.list_notes", title: "List notes about a customer", op: catalog.Read,
			about:    "List the notes that staff wrote about a customer, newest first.",
			entities: "customer note", tags: "crm customer note", aliases: "customer history; remarks about a customer",
			in: `customer_id: str -- Customer, like cus_0001.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<customer_note>",
			do: []step{list(`SELECT * FROM customer_notes WHERE customer_id = :customer_id
				ORDER BY created_on DESC, id DESC LIMIT :limit`)},
			lua: `crm.customer.list_notes({ customer_id = "cus_0001" })`,
		}, {
			id: "crm.customer.add_note", title: "Write a note about a customer", op: catalog.Create, risk: catalog.Low,
			about:    "Write a note about a customer for other staff to see.",
			entities: "customer note", tags: "crm customer note", aliases: "leave a remark; log a call",
			in: `customer_id: str -- Customer, like cus_0001.
				body: str 1..4000 -- Text of the note.`,
			out: "customer_note",
			do: []step{
				fresh("nte"),
				exec(`INSERT INTO customer_notes VALUES (:new_id, :customer_id, coalesce(nullif(:caller, ''), 'unknown'), :body,
					:today)`),
				one(`SELECT * FROM customer_notes WHERE id = :new_id`),
			},
			lua: `crm.customer.add_note({ customer_id = "cus_0001", body = "Promised to pay in November." })`,
		},
	}
}

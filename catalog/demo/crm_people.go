package demo

// This file has the actions on contacts and leads.

import "almanac/catalog"

func crmContacts() []action {
	return []action{
		{
			id: "crm.contact.search", title: "Search contacts", op: catalog.Read,
			about:    "Find people at customers by words of name, email, job title or company.",
			entities: "contact", tags: "crm contact people lookup",
			aliases: "find person; who works at; look up contact by email",
			in: `query: str 1..200 -- Words to look for.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<contact>",
			do: []step{list(`SELECT * FROM contact_view WHERE NOT EXISTS (SELECT 1 FROM json_each(:query_words) w
				WHERE instr(lower(name || ' ' || email || ' ' || job_title || ' ' || company_name), w.value) = 0)
				ORDER BY name, id LIMIT :limit`)},
			lua: `crm.contact.search({ query = "buyer acme" })`,
		}, {
			id: "crm.contact.get", title: "Get a contact", op: catalog.Read,
			about:    "Get one contact by its id.",
			entities: "contact", tags: "crm contact people", aliases: "show contact; contact details",
			in:  `contact_id: str -- Contact, like con_00001.`,
			out: "contact",
			do:  []step{one(`SELECT * FROM contact_view WHERE id = :contact_id`)},
			lua: `crm.contact.get({ contact_id = "con_00001" })`,
		}, {
			id: "crm.contact.list_for_customer", title: "List the contacts of a customer", op: catalog.Read,
			about:    "List the people to write to at a customer, the primary contact first.",
			entities: "contact customer", tags: "crm contact people", aliases: "who to write to; people at a customer",
			in: `customer_id: str -- Customer, like cus_0001.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<contact>",
			do: []step{list(`SELECT * FROM contact_view WHERE customer_id = :customer_id
				ORDER BY is_primary DESC, id LIMIT :limit`)},
			lua: `crm.contact.list_for_customer({ customer_id = "cus_0001" })`,
		}, {
			id: "crm.contact.create", title: "Add a contact", op: catalog.Create, risk: catalog.Low,
			about:    "Add a person to a customer.",
			entities: "contact customer", tags: "crm contact new people", aliases: "new contact; add person",
			in: `customer_id: str -- Customer, like cus_0001.
				name: str 1..120 -- Name of the person.
				email: str 3..200 -- Email address.
				job_title: str 1..120 -- What the person does.
				phone?: str 3..40 -- Phone number.`,
			out:  "contact",
			undo: "crm.contact.delete; contact_id = $result.id",
			do: []step{
				refuse(`SELECT 'the customer has a contact with that address already: ' || id FROM contacts
					WHERE customer_id = :customer_id AND lower(email) = lower(:email)`),
				fresh("con"),
				exec(`INSERT INTO contacts SELECT :new_id, :customer_id, :name, :email, :phone, :job_title,
					NOT EXISTS (SELECT 1 FROM contacts WHERE customer_id = :customer_id AND is_primary)`),
				one(`SELECT * FROM contact_view WHERE id = :new_id`),
			},
			lua: `crm.contact.create({ customer_id = "cus_0001", name = "Rita Vance", email = "rita.vance@acme-corp.example", job_title = "Buyer" })`,
		}, {
			id: "crm.contact.update", title: "Change a contact", op: catalog.Update,
			about:    "Change the name, email, phone or job title of a contact.",
			entities: "contact", tags: "crm contact edit people", aliases: "edit contact; new email address",
			in: `contact_id: str -- Contact, like con_00001.
				name?: str 1..120 -- New name.
				email?: str 3..200 -- New email address.
				phone?: str 3..40 -- New phone number.
				job_title?: str 1..120 -- New job title.`,
			out: "contact",
			do: []step{
				someOf("name", "email", "phone", "job_title"),
				exec(`UPDATE contacts SET name = coalesce(:name, name), email = coalesce(:email, email),
					phone = coalesce(:phone, phone), job_title = coalesce(:job_title, job_title) WHERE id = :contact_id`),
				one(`SELECT * FROM contact_view WHERE id = :contact_id`),
			},
			lua: `crm.contact.update({ contact_id = "con_00001", job_title = "Head of purchasing" })`,
		}, {
			id: "crm.contact.set_primary", title: "Set the primary contact", op: catalog.Update,
			about:    "Make a contact the primary one, to whom the customer's mail goes.",
			entities: "contact customer", tags: "crm contact people", aliases: "main contact; default recipient",
			in:  `contact_id: str -- Contact, like con_00001.`,
			out: "contact",
			do: []step{
				exec(`UPDATE contacts SET is_primary = (id = :contact_id)
					WHERE customer_id = (SELECT customer_id FROM contacts WHERE id = :contact_id)`),
				one(`SELECT * FROM contact_view WHERE id = :contact_id`),
			},
			lua: `crm.contact.set_primary({ contact_id = "con_00001" })`,
		}, {
			id: "crm.contact.delete", title: "Delete a contact", op: catalog.Delete,
			about:    "Delete a contact. The tickets the person wrote stay, without a name.",
			entities: "contact", tags: "crm contact remove people", aliases: "remove person; forget contact",
			in:  `contact_id: str -- Contact, like con_00001.`,
			out: "deleted",
			do: []step{
				exec(`UPDATE tickets SET contact_id = NULL WHERE contact_id = :contact_id`),
				exec(`DELETE FROM contacts WHERE id = :contact_id`),
				gone("contact_id"),
			},
			lua: `crm.contact.delete({ contact_id = "con_00002" })`,
		},
	}
}

func crmLeads() []action {
	return []action{
		{
			id: "crm.lead.list", title: "List leads", op: catalog.Read,
			about:    "List leads by status, owner, source or words of the company name, the most valuable first.",
			entities: "lead", tags: "crm lead sales pipeline", aliases: "sales pipeline; prospects; open leads",
			in: `status?: new|contacted|qualified|lost|converted -- Only this status.
				owner_id?: str -- Only leads of this staff user, like usr_002.
				source?: web|referral|trade_fair|cold_call|partner -- Only from this source.
				query?: str -- Words of company or contact name.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<lead>",
			do: []step{list(`SELECT * FROM lead_view WHERE 1 {AND status = :status} {AND owner_id = :owner_id}
				{AND source = :source}
				{AND NOT EXISTS (SELECT 1 FROM json_each(:query_words) w
				WHERE instr(lower(company_name || ' ' || contact_name), w.value) = 0)}
				ORDER BY value_cents DESC, id LIMIT :limit`)},
			lua: `crm.lead.list({ status = "qualified", limit = 10 })`,
		}, {
			id: "crm.lead.get", title: "Get a lead", op: catalog.Read,
			about:    "Get one lead by its id.",
			entities: "lead", tags: "crm lead sales", aliases: "show lead; prospect details",
			in:  `lead_id: str -- Lead, like led_0001.`,
			out: "lead",
			do:  []step{one(`SELECT * FROM lead_view WHERE id = :lead_id`)},
			lua: `crm.lead.get({ lead_id = "led_0001" })`,
		}, {
			id: "crm.lead.create", title: "Add a lead", op: catalog.Create, risk: catalog.Low,
			about:    "Add a company that may become a customer.",
			entities: "lead", tags: "crm lead new sales", aliases: "new prospect; register interest",
			in: `company_name: str 1..120 -- Company.
				contact_name: str 1..120 -- Person there.
				email: str 3..200 -- Email address of that person.
				owner_id: str -- Staff user who follows it up, like usr_002.
				source?: web|referral|trade_fair|cold_call|partner = web -- Where it came from.
				value_cents?: int = 0 0..10000000000 -- Expected yearly sales, in cents.`,
			out:  "lead",
			undo: "crm.lead.delete; lead_id = $result.id",
			do: []step{
				fresh("led"),
				exec(`INSERT INTO leads VALUES (:new_id, :company_name, :contact_name, :email, :source, 'new', :owner_id,
					:value_cents, NULL, :today)`),
				one(`SELECT * FROM lead_view WHERE id = :new_id`),
			},
			lua: `crm.lead.create({ company_name = "Harbor Hotels", contact_name = "Ines Costa", email = "ines@harbor-hotels.example", owner_id = "usr_002", value_cents = 1200000 })`,
		}, {
			id: "crm.lead.set_status", title: "Move a lead on", op: catalog.Update, risk: catalog.Low,
			about:    "Mark a lead as contacted, qualified or lost. Use crm.lead.convert to make it a customer.",
			entities: "lead", tags: "crm lead sales pipeline qualify", aliases: "qualify lead; lose lead; advance lead",
			in: `lead_id: str -- Lead, like led_0001.
				status: new|contacted|qualified|lost -- New status.`,
			out: "lead",
			do: []step{
				refuse(`SELECT 'lead ' || id || ' became customer ' || customer_id || ' and cannot go back' FROM leads
					WHERE id = :lead_id AND status = 'converted'`),
				exec(`UPDATE leads SET status = :status WHERE id = :lead_id`),
				one(`SELECT * FROM lead_view WHERE id = :lead_id`),
			},
			lua: `crm.lead.set_status({ lead_id = "led_0003", status = "qualified" })`,
		}, {
			id: "crm.lead.assign", title: "Give a lead to somebody", op: catalog.Update, risk: catalog.Low,
			about:    "Give a lead to another staff user to follow up.",
			entities: "lead user", tags: "crm lead sales owner", aliases: "reassign lead; hand over prospect",
			in: `lead_id: str -- Lead, like led_0001.
				owner_id: str -- The new owner, like usr_002.`,
			out: "lead",
			do: []step{
				exec(`UPDATE leads SET owner_id = :owner_id WHERE id = :lead_id`),
				one(`SELECT * FROM lead_view WHERE id = :lead_id`),
			},
			lua: `crm.lead.assign({ lead_id = "led_0001", owner_id = "usr_002" })`,
		}, {
			id: "crm.lead.convert", title: "Make a lead a customer", op: catalog.Create,
			about:    "Make a lead a customer: opens an account, adds the customer with its first contact and closes the lead.",
			entities: "lead customer account contact", tags: "crm lead customer sales win",
			aliases: "win a lead; close the deal",
			in: `lead_id: str -- Lead, like led_0001.
				phone: str 3..40 -- Main phone number.
				street: str 1..120 -- Street and number.
				city: str 1..80 -- City.
				country: str 2..2 -- Two-letter country code.
				industry?: str = retail -- Line of business.`,
			out: "customer",
			do: []step{
				refuse(`SELECT 'lead ' || id || ' is ' || status FROM leads
					WHERE id = :lead_id AND status IN ('converted', 'lost')`),
				fresh("acc"),
				let("account_id", `SELECT :new_id`),
				exec(`INSERT INTO accounts SELECT :account_id, company_name, lower(:industry), 'standard', 'active', NULL, owner_id,
					:today FROM leads WHERE id = :lead_id`),
				fresh("con"),
				let("contact_id", `SELECT :new_id`),
				fresh("cus"),
				exec(`INSERT INTO customers SELECT :new_id, :account_id, company_name, email, :phone, :street, :city,
					upper(:country), 'active', 30, 'sla_01', :today FROM leads WHERE id = :lead_id`),
				exec(`INSERT INTO contacts SELECT :contact_id, :new_id, contact_name, email, :phone, 'Buyer', 1 FROM leads
					WHERE id = :lead_id`),
				exec(`UPDATE leads SET status = 'converted', customer_id = :new_id WHERE id = :lead_id`),
				one(`SELECT * FROM customer_view WHERE id = :new_id`),
			},
			lua: `crm.lead.convert({ lead_id = "led_0001", phone = "+31 20 5550100", street = "Canal Road 9", city = "Amsterdam", country = "NL" })`,
		}, {
			id: "crm.lead.delete", title: "Delete a lead", op: catalog.Delete, risk: catalog.Medium,
			about:    "Delete a lead that did not become a customer.",
			entities: "lead", tags: "crm lead remove", aliases: "remove prospect",
			in:  `lead_id: str -- Lead, like led_0001.`,
			out: "deleted",
			do: []step{
				refuse(`SELECT 'lead ' || id || ' became customer ' || customer_id || ' and is kept' FROM leads
					WHERE id = :lead_id AND status = 'converted'`),
				exec(`DELETE FROM leads WHERE id = :lead_id`),
				gone("lead_id"),
			},
			lua: `crm.lead.delete({ lead_id = "led_0002" })`,
		},
	}
}

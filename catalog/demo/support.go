package demo

// This file has the actions on tickets.

import "almanac/catalog"

func supportTickets() []action {
	return []action{
		{
			id: "support.ticket.search", title: "Search tickets", op: catalog.Read,
			about:    "Find tickets by words of subject or company, status, priority, category or assignee, the newest first.",
			entities: "ticket customer", tags: "support ticket helpdesk lookup",
			aliases: "find ticket; look up case; search requests",
			in: `query?: str 1..200 -- Words of subject, company name or id.
				status?: open|pending|solved|closed -- Only this status.
				priority?: low|normal|high|urgent -- Only this priority.
				category?: billing|delivery|returns|product|account -- Only this category.
				assignee_id?: str -- Only tickets of this staff user, like usr_003.
				limit?: int = 25 1..200 -- How many at most.
				offset?: int = 0 0..100000 -- How many to leave out first.`,
			out: "list<ticket>",
			do: []step{list(`SELECT * FROM ticket_view WHERE 1
				{AND NOT EXISTS (SELECT 1 FROM json_each(:query_words) w
				WHERE instr(lower(subject || ' ' || company_name || ' ' || id), w.value) = 0)}
				{AND status = :status} {AND priority = :priority} {AND category = :category} {AND assignee_id = :assignee_id}
				ORDER BY id DESC LIMIT :limit OFFSET :offset`)},
			lua: `support.ticket.search({ query = "refund", status = "open" })
				support.ticket.search({ priority = "urgent", limit = 5 })`,
		}, {
			id: "support.ticket.list_open", title: "List open tickets", op: catalog.Read,
			about:    "List the tickets that wait for us, the most pressing and then the oldest first.",
			entities: "ticket", tags: "support ticket helpdesk queue backlog",
			aliases: "ticket queue; backlog; what needs an answer",
			in: `unassigned_only?: bool = false -- Only tickets that nobody works on.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<ticket>",
			do: []step{list(`SELECT * FROM ticket_view WHERE status = 'open' AND (assignee_id IS NULL OR NOT :unassigned_only)
				ORDER BY CASE priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'normal' THEN 2 ELSE 3 END, opened_at, id
				LIMIT :limit`)},
			lua: `support.ticket.list_open({ unassigned_only = true })`,
		}, {
			id: "support.ticket.list_for_customer", title: "List the tickets of a customer", op: catalog.Read,
			about:    "List what a customer wrote to us about, the newest first.",
			entities: "ticket customer", tags: "support ticket history", aliases: "customer complaints; support history",
			in: `customer_id: str -- Customer, like cus_0001.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<ticket>",
			do:  []step{list(`SELECT * FROM ticket_view WHERE customer_id = :customer_id ORDER BY id DESC LIMIT :limit`)},
			lua: `support.ticket.list_for_customer({ customer_id = "cus_0001" })`,
		}, {
			id: "support.ticket.get", title: "Get a ticket", op: catalog.Read,
			about:    "Get one ticket by its id.",
			entities: "ticket", tags: "support ticket", aliases: "show ticket; ticket details; case status",
			in:  `ticket_id: str -- Ticket, like tkt_00001.`,
			out: "ticket",
			do:  []step{one(`SELECT * FROM ticket_view WHERE id = :ticket_id`)},
			lua: `support.ticket.get({ ticket_id = "tkt_00001" })`,
		}, {
			id: "support.ticket.list_messages", title: "Read a ticket", op: catalog.Read,
			about:    "List the messages of a ticket, the oldest first.",
			entities: "ticket ticket_message", tags: "support ticket conversation", aliases: "read conversation; ticket thread",
			in: `ticket_id: str -- Ticket, like tkt_00001.
				limit?: int = 50 1..200 -- How many at most.`,
			out: "list<ticket_message>",
			do:  []step{list(`SELECT * FROM ticket_messages WHERE ticket_id = :ticket_id ORDER BY at, id LIMIT :limit`)},
			lua: `support.ticket.list_messages({ ticket_id = "tkt_00001" })`,
		},
	}
}

func supportTicketChanges() []action {
	return []action{
		{
			id: "support.ticket.create", title: "Open a ticket", op: catalog.Create, risk: catalog.Low,
			about:    "Open a ticket for a customer with its first message.",
			entities: "ticket customer", tags: "support ticket new helpdesk",
			aliases: "new case; log a complaint; file a request",
			in: `customer_id: str -- Customer, like cus_0001.
				subject: str 1..200 -- Subject line.
				body: str 1..8000 -- What the customer says.
				category: billing|delivery|returns|product|account -- What it is about.
				priority?: low|normal|high|urgent = normal -- How pressing it is.
				order_id?: str -- Order it is about, like ord_00001.
				invoice_id?: str -- Invoice it is about, like inv_00042.`,
			out:  "ticket",
			undo: "support.ticket.delete; ticket_id = $result.id",
			do: []step{
				let("contact_id", `SELECT id FROM contacts WHERE customer_id = :customer_id ORDER BY is_primary DESC, id LIMIT 1`),
				fresh("msg"),
				let("message_id", `SELECT :new_id`),
				fresh("tkt"),
				exec(`INSERT INTO tickets VALUES (:new_id, :customer_id, :contact_id, :order_id, :invoice_id, :subject, :category,
					:priority, 'open', NULL, :now, NULL, NULL)`),
				exec(`INSERT INTO ticket_messages SELECT :message_id, :new_id, 'customer',
					coalesce((SELECT name FROM contacts WHERE id = :contact_id), company_name), :body, :now FROM customers
					WHERE id = :customer_id`),
				one(`SELECT * FROM ticket_view WHERE id = :new_id`),
			},
			lua: `support.ticket.create({ customer_id = "cus_0001", subject = "Box missing", body = "One box is missing.", category = "delivery", priority = "high" })`,
		}, {
			id: "support.ticket.reply", title: "Answer a ticket", op: catalog.Create,
			about:    "Answer a ticket, or add an internal message that the customer does not see.",
			entities: "ticket ticket_message", tags: "support ticket answer",
			aliases: "respond to customer; reply to case; internal comment",
			in: `ticket_id: str -- Ticket, like tkt_00001.
				body: str 1..8000 -- Text.
				internal?: bool = false -- Whether only staff sees it.`,
			out: "ticket_message",
			do: []step{
				refuse(`SELECT 'ticket ' || id || ' is closed; reopen it first' FROM tickets
					WHERE id = :ticket_id AND status = 'closed'`),
				fresh("msg"),
				exec(`INSERT INTO ticket_messages VALUES (:new_id, :ticket_id, iif(:internal, 'internal', 'agent'),
					coalesce(nullif(:caller, ''), 'unknown'), :body, :now)`),
				exec(`UPDATE tickets SET first_response_at = coalesce(first_response_at, :now),
					status = iif(status = 'open', 'pending', status) WHERE id = :ticket_id AND NOT :internal`),
				one(`SELECT * FROM ticket_messages WHERE id = :new_id`),
			},
			lua: `support.ticket.reply({ ticket_id = "tkt_02200", body = "We are looking into it." })`,
		}, {
			id: "support.ticket.assign", title: "Assign a ticket", op: catalog.Update, risk: catalog.Low,
			about:    "Give a ticket to a staff user.",
			entities: "ticket user", tags: "support ticket assign", aliases: "reassign case; take a ticket; hand over ticket",
			in: `ticket_id: str -- Ticket, like tkt_00001.
				assignee_id: str -- Staff user, like usr_003.`,
			out: "ticket",
			do: []step{
				refuse(`SELECT 'user ' || id || ' is ' || status || ' and cannot take tickets' FROM users
					WHERE id = :assignee_id AND status <> 'active'`),
				exec(`UPDATE tickets SET assignee_id = :assignee_id WHERE id = :ticket_id`),
				one(`SELECT * FROM ticket_view WHERE id = :ticket_id`),
			},
			lua: `support.ticket.assign({ ticket_id = "tkt_02200", assignee_id = "usr_003" })`,
		}, {
			id: "support.ticket.set_priority", title: "Change the priority of a ticket", op: catalog.Update, risk: catalog.Low,
			about:    "Make a ticket more or less pressing.",
			entities: "ticket", tags: "support ticket priority triage", aliases: "raise priority; mark urgent; triage",
			in: `ticket_id: str -- Ticket, like tkt_00001.
				priority: low|normal|high|urgent -- New priority.`,
			out: "ticket",
			do: []step{
				exec(`UPDATE tickets SET priority = :priority WHERE id = :ticket_id`),
				one(`SELECT * FROM ticket_view WHERE id = :ticket_id`),
			},
			lua: `support.ticket.set_priority({ ticket_id = "tkt_02200", priority = "urgent" })`,
		}, {
			id: "support.ticket.solve", title: "Solve a ticket", op: catalog.Update,
			about:    "Mark a ticket as solved, or as closed for good.",
			entities: "ticket", tags: "support ticket solve close", aliases: "close ticket; resolve case; finish request",
			in: `ticket_id: str -- Ticket, like tkt_00001.
				status?: solved|closed = solved -- New status; a closed ticket takes no more answers.`,
			out:  "ticket",
			undo: "support.ticket.reopen; ticket_id = $args.ticket_id",
			do: []step{
				refuse(`SELECT 'ticket ' || id || ' is ' || status || ' already' FROM tickets
					WHERE id = :ticket_id AND (status = 'closed' OR status = :status)`),
				exec(`UPDATE tickets SET status = :status, solved_at = coalesce(solved_at, :now) WHERE id = :ticket_id`),
				one(`SELECT * FROM ticket_view WHERE id = :ticket_id`),
			},
			lua: `support.ticket.solve({ ticket_id = "tkt_02200", status = "closed" })`,
		}, {
			id: "support.ticket.reopen", title: "Reopen a ticket", op: catalog.Update,
			about:    "Open a solved or closed ticket again.",
			entities: "ticket", tags: "support ticket reopen", aliases: "unsolve; open case again",
			in:   `ticket_id: str -- Ticket, like tkt_00001.`,
			out:  "ticket",
			undo: "support.ticket.solve; ticket_id = $args.ticket_id",
			do: []step{
				refuse(`SELECT 'ticket ' || id || ' is ' || status || ' already' FROM tickets
					WHERE id = :ticket_id AND status IN ('open', 'pending')`),
				exec(`UPDATE tickets SET status = 'open', solved_at = NULL WHERE id = :ticket_id`),
				one(`SELECT * FROM ticket_view WHERE id = :ticket_id`),
			},
			lua: `support.ticket.reopen({ ticket_id = "tkt_00001" })`,
		}, {
			id: "support.ticket.merge", title: "Merge two tickets", op: catalog.Update, risk: catalog.High,
			about:    "Move the messages of a ticket into another of the same customer and close it. Cannot be undone.",
			entities: "ticket", tags: "support ticket duplicates", aliases: "combine cases; duplicate ticket",
			in: `ticket_id: str -- Ticket that is closed.
				into_ticket_id: str -- Ticket that takes the messages.`,
			out: "ticket",
			do: []step{
				refuse(`SELECT 'a ticket cannot be merged into itself' WHERE :ticket_id = :into_ticket_id`),
				refuse(`SELECT 'tickets ' || a.id || ' and ' || b.id || ' belong to different customers' FROM tickets a, tickets b
					WHERE a.id = :ticket_id AND b.id = :into_ticket_id AND a.customer_id <> b.customer_id`),
				exec(`UPDATE ticket_messages SET ticket_id = :into_ticket_id WHERE ticket_id = :ticket_id`),
				exec(`UPDATE escalations SET ticket_id = :into_ticket_id WHERE ticket_id = :ticket_id`),
				exec(`UPDATE tickets SET opened_at = min(opened_at, (SELECT opened_at FROM tickets WHERE id = :ticket_id))
					WHERE id = :into_ticket_id`),
				exec(`UPDATE tickets SET status = 'closed', solved_at = coalesce(solved_at, :now) WHERE id = :ticket_id`),
				one(`SELECT * FROM ticket_view WHERE id = :into_ticket_id`),
			},
			lua: `support.ticket.merge({ ticket_id = "tkt_02141", into_ticket_id = "tkt_02197" })`,
		}, {
			id: "support.ticket.delete", title: "Delete a ticket", op: catalog.Delete,
			about:    "Delete a ticket with its messages and escalations. Cannot be undone.",
			entities: "ticket", tags: "support ticket remove spam", aliases: "remove spam; erase case",
			in:  `ticket_id: str -- Ticket, like tkt_00001.`,
			out: "deleted",
			do: []step{
				exec(`DELETE FROM escalations WHERE ticket_id = :ticket_id`),
				exec(`DELETE FROM ticket_messages WHERE ticket_id = :ticket_id`),
				exec(`DELETE FROM tickets WHERE id = :ticket_id`),
				gone("ticket_id"),
			},
			lua: `support.ticket.delete({ ticket_id = "tkt_00002" })`,
		},
	}
}

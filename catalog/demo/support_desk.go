package demo

// This file has the actions on macros, escalations and service levels.

import "almanac/catalog"

func supportMacros() []action {
	return []action{
		{
			id: "support.macro.list", title: "List macros", op: catalog.Read,
			about:    "List the ready-made answers, by category or words of the name, the most used first.",
			entities: "macro", tags: "support macro template", aliases: "canned responses; reply templates; text modules",
			in: `category?: billing|delivery|returns|product|account -- Only this category.
				query?: str 1..200 -- Words of the name or text.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<macro>",
			do: []step{list(`SELECT * FROM macros WHERE 1 {AND category = :category}
				{AND NOT EXISTS (SELECT 1 FROM json_each(:query_words) w WHERE instr(lower(name || ' ' || body), w.value) = 0)}
				ORDER BY uses DESC, id LIMIT :limit`)},
			lua: `support.macro.list({ category = "billing" })`,
		}, {
			id: "support.macro.get", title: "Get a macro", op: catalog.Read,
			about:    "Get one macro by its id.",
			entities: "macro", tags: "support macro template", aliases: "show canned response",
			in:  `macro_id: str -- Macro, like mac_01.`,
			out: "macro",
			do:  []step{one(`SELECT * FROM macros WHERE id = :macro_id`)},
			lua: `support.macro.get({ macro_id = "mac_01" })`,
		}, {
			id: "support.macro.create", title: "Add a macro", op: catalog.Create, risk: catalog.Low,
			about:    "Add a ready-made answer.",
			entities: "macro", tags: "support macro template new", aliases: "new canned response; save reply template",
			in: `name: str 1..80 -- Name.
				category: billing|delivery|returns|product|account -- Tickets it is for.
				body: str 1..4000 -- Reply text; {company}, {ticket} and {subject} are filled in.
				sets_status?: open|pending|solved -- Status it puts the ticket in.`,
			out:  "macro",
			undo: "support.macro.delete; macro_id = $result.id",
			do: []step{
				refuse(`SELECT 'there is a macro called ' || name || ' already: ' || id FROM macros
					WHERE lower(name) = lower(:name)`),
				fresh("mac"),
				exec(`INSERT INTO macros VALUES (:new_id, :name, :category, :body, :sets_status, 0)`),
				one(`SELECT * FROM macros WHERE id = :new_id`),
			},
			lua: `support.macro.create({ name = "Thank you", category = "account", body = "Hello {company}, thank you.", sets_status = "solved" })`,
		}, {
			id: "support.macro.update", title: "Change a macro", op: catalog.Update, risk: catalog.Low,
			about:    "Change the name, category, text or status of a macro.",
			entities: "macro", tags: "support macro template edit", aliases: "edit canned response",
			in: `macro_id: str -- Macro, like mac_01.
				name?: str 1..80 -- New name.
				category?: billing|delivery|returns|product|account -- New category.
				body?: str 1..4000 -- New text.
				sets_status?: open|pending|solved -- New status it puts the ticket in.`,
			out: "macro",
			do: []step{
				someOf("name", "category", "body", "sets_status"),
				exec(`UPDATE macros SET name = coalesce(:name, name), category = coalesce(:category, category),
					body = coalesce(:body, body), sets_status = coalesce(:sets_status, sets_status) WHERE id = :macro_id`),
				one(`SELECT * FROM macros WHERE id = :macro_id`),
			},
			lua: `support.macro.update({ macro_id = "mac_01", sets_status = "open" })`,
		}, {
			id: "support.macro.apply", title: "Answer a ticket with a macro", op: catalog.Create,
			about:    "Answer a ticket with a macro: fills in its text, sends it and sets the ticket's status.",
			entities: "macro ticket ticket_message", tags: "support macro ticket answer",
			aliases: "use canned response; send template",
			in: `macro_id: str -- Macro, like mac_01.
				ticket_id: str -- Ticket, like tkt_00001.`,
			out: "ticket_message",
			do: []step{
				refuse(`SELECT 'ticket ' || id || ' is closed; reopen it first' FROM tickets
					WHERE id = :ticket_id AND status = 'closed'`),
				fresh("msg"),
				exec(`INSERT INTO ticket_messages SELECT :new_id, t.id, 'agent', coalesce(nullif(:caller, ''), 'unknown'),
					replace(replace(replace(m.body, char(123) || 'company' || char(125), t.company_name),
					char(123) || 'ticket' || char(125), t.id),
					char(123) || 'subject' || char(125), t.subject), :now FROM macros m, ticket_view t
					WHERE m.id = :macro_id AND t.id = :ticket_id`),
				exec(`UPDATE tickets SET first_response_at = coalesce(first_response_at, :now),
					status = coalesce(m.sets_status, status),
					solved_at = iif(coalesce(m.sets_status, status) = 'solved', coalesce(solved_at, :now), NULL)
					FROM (SELECT sets_status FROM macros WHERE id = :macro_id) m WHERE id = :ticket_id`),
				exec(`UPDATE macros SET uses = uses + 1 WHERE id = :macro_id`),
				one(`SELECT * FROM ticket_messages WHERE id = :new_id`),
			},
			lua: `support.macro.apply({ macro_id = "mac_05", ticket_id = "tkt_02196" })`,
		}, {
			id: "support.macro.delete", title: "Delete a macro", op: catalog.Delete, risk: catalog.Medium,
			about:    "Delete a ready-made answer. Answers sent with it stay.",
			entities: "macro", tags: "support macro template remove", aliases: "remove canned response",
			in:  `macro_id: str -- Macro, like mac_01.`,
			out: "deleted",
			do: []step{
				exec(`DELETE FROM macros WHERE id = :macro_id`),
				gone("macro_id"),
			},
			lua: `support.macro.delete({ macro_id = "mac_20" })`,
		},
	}
}

func supportEscalations() []action {
	return []action{
		{
			id: "support.escalation.list", title: "List escalations", op: catalog.Read,
			about:    "List escalations by status, level, owner or ticket, the highest level first.",
			entities: "escalation ticket", tags: "support escalation",
			aliases: "escalated tickets; hot cases; management attention",
			in: `status?: open|resolved = open -- Only this status.
				level?: int 1..3 -- Only this level.
				owner_id?: str -- Only those of this staff user, like usr_003.
				ticket_id?: str -- Only of this ticket, like tkt_00001.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<escalation>",
			do: []step{list(`SELECT * FROM escalation_view WHERE 1 {AND status = :status} {AND level = :level}
				{AND owner_id = :owner_id} {AND ticket_id = :ticket_id} ORDER BY level DESC, raised_at, id LIMIT :limit`)},
			lua: `support.escalation.list({ level = 3 })`,
		}, {
			id: "support.escalation.get", title: "Get an escalation", op: catalog.Read,
			about:    "Get one escalation by its id.",
			entities: "escalation", tags: "support escalation", aliases: "show escalation",
			in:  `escalation_id: str -- Escalation, like esc_0001.`,
			out: "escalation",
			do:  []step{one(`SELECT * FROM escalation_view WHERE id = :escalation_id`)},
			lua: `support.escalation.get({ escalation_id = "esc_0001" })`,
		}, {
			id: "support.escalation.raise", title: "Escalate a ticket", op: catalog.Create,
			about:    "Escalate a ticket to a staff user; a second escalation of a ticket goes one level up.",
			entities: "escalation ticket", tags: "support escalation new", aliases: "escalate case; involve the team lead",
			in: `ticket_id: str -- Ticket, like tkt_00001.
				owner_id: str -- Staff user who takes it, like usr_003.
				reason: str 1..400 -- Why.`,
			out:  "escalation",
			undo: "support.escalation.resolve; escalation_id = $result.id; resolution = Raised by mistake.",
			do: []step{
				refuse(`SELECT 'ticket ' || id || ' is ' || status FROM tickets
					WHERE id = :ticket_id AND status IN ('solved', 'closed')`),
				let("level", `SELECT min(3, 1 + coalesce(max(level), 0)) FROM escalations WHERE ticket_id = :ticket_id`),
				fresh("esc"),
				exec(`INSERT INTO escalations VALUES (:new_id, :ticket_id, :level, :reason, 'open', :owner_id, :now, NULL, NULL)`),
				one(`SELECT * FROM escalation_view WHERE id = :new_id`),
			},
			lua: `support.escalation.raise({ ticket_id = "tkt_02199", owner_id = "usr_009", reason = "Large order at risk" })`,
		}, {
			id: "support.escalation.resolve", title: "Resolve an escalation", op: catalog.Update,
			about:    "Mark an escalation as resolved and say how it ended.",
			entities: "escalation", tags: "support escalation close", aliases: "close escalation; settle hot case",
			in: `escalation_id: str -- Escalation, like esc_0001.
				resolution: str 1..400 -- How it ended.`,
			out: "escalation",
			do: []step{
				refuse(`SELECT 'escalation ' || id || ' was resolved at ' || resolved_at FROM escalations
					WHERE id = :escalation_id AND status = 'resolved'`),
				exec(`UPDATE escalations SET status = 'resolved', resolved_at = :now, resolution = :resolution
					WHERE id = :escalation_id`),
				one(`SELECT * FROM escalation_view WHERE id = :escalation_id`),
			},
			lua: `support.escalation.resolve({ escalation_id = "esc_0035", resolution = "Called the customer" })`,
		},
	}
}

func supportSLAs() []action {
	return []action{
		{
			id: "support.sla.list_policies", title: "List service levels", op: catalog.Read,
			about:    "List the SLA policies: what is promised and how many customers have it.",
			entities: "sla_policy", tags: "support sla policy", aliases: "service level agreements; response times promised",
			out: "list<sla_policy>",
			do:  []step{list(`SELECT * FROM sla_policy_view ORDER BY id`)},
			lua: `support.sla.list_policies({})`,
		}, {
			id: "support.sla.check_ticket", title: "Check a ticket against its service level", op: catalog.Read,
			about:    "Tell whether a ticket was answered and solved as promised, with hours promised and taken.",
			entities: "ticket sla_policy sla_check", tags: "support sla ticket breach",
			aliases: "was the sla met; response time of a ticket",
			in:      `ticket_id: str -- Ticket, like tkt_00001.`,
			out:     "sla_check",
			do:      []step{one(`SELECT * FROM sla_check_view WHERE ticket_id = :ticket_id`)},
			lua:     `support.sla.check_ticket({ ticket_id = "tkt_00001" })`,
		}, {
			id: "support.sla.list_breaches", title: "List broken service levels", op: catalog.Read,
			about:    "List unsolved tickets whose promised time for the first answer or the solution is over.",
			entities: "ticket sla_policy sla_check", tags: "support sla breach overdue",
			aliases: "sla breaches; late tickets; overdue tickets",
			in:      `limit?: int = 25 1..200 -- How many at most.`,
			out:     "list<sla_check>",
			do: []step{list(`SELECT * FROM sla_check_view WHERE status IN ('open', 'pending')
				AND (first_response_breached OR resolution_breached) ORDER BY opened_at, ticket_id LIMIT :limit`)},
			lua: `support.sla.list_breaches({ limit = 10 })`,
		}, {
			id: "support.sla.update_policy", title: "Change a service level", op: catalog.Admin,
			about:    "Change what an SLA policy promises to all customers who have it.",
			entities: "sla_policy", tags: "support sla policy dangerous",
			aliases: "change response time; edit service level agreement",
			in: `sla_policy_id: str -- Policy, like sla_01.
				first_response_hours?: int 1..240 -- Hours until the first answer.
				resolution_hours?: int 1..2000 -- Hours until solved, not less than until the first answer.`,
			out: "sla_policy",
			do: []step{
				someOf("first_response_hours", "resolution_hours"),
				refuse(`SELECT 'resolution_hours must not be less than first_response_hours' FROM sla_policies
					WHERE id = :sla_policy_id
					AND coalesce(:resolution_hours, resolution_hours) < coalesce(:first_response_hours, first_response_hours)`),
				exec(`UPDATE sla_policies SET first_response_hours = coalesce(:first_response_hours, first_response_hours),
					resolution_hours = coalesce(:resolution_hours, resolution_hours) WHERE id = :sla_policy_id`),
				one(`SELECT * FROM sla_policy_view WHERE id = :sla_policy_id`),
			},
			lua: `support.sla.update_policy({ sla_policy_id = "sla_01", first_response_hours = 20 })`,
		},
	}
}

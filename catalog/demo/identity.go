package demo

// This file has the actions on staff users, roles and the audit log.

import "almanac/catalog"

func identityUsers() []action {
	return []action{
		{
			id: "identity.user.list", title: "List users", op: catalog.Read,
			about:    "List staff users by team, status or words of name and email.",
			entities: "user", tags: "identity user staff", aliases: "employees; colleagues; who works here; find user",
			in: `team?: sales|billing|support|operations|admin -- Only this team.
				status?: active|inactive|purged -- Only this status.
				query?: str 1..200 -- Words of name, email or job title.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<user>",
			do: []step{list(`SELECT * FROM user_view WHERE 1 {AND team = :team} {AND status = :status}
				{AND NOT EXISTS (SELECT 1 FROM json_each(:query_words) w
				WHERE instr(lower(name || ' ' || email || ' ' || job_title), w.value) = 0)} ORDER BY id LIMIT :limit`)},
			lua: `identity.user.list({ team = "support", status = "active" })`,
		}, {
			id: "identity.user.get", title: "Get a user", op: catalog.Read,
			about:    "Get one staff user by id, with the roles.",
			entities: "user role", tags: "identity user staff", aliases: "show user; user details",
			in:  `user_id: str -- User, like usr_001.`,
			out: "user",
			do:  []step{one(`SELECT * FROM user_view WHERE id = :user_id`)},
			lua: `identity.user.get({ user_id = "usr_001" })`,
		}, {
			id: "identity.user.create", title: "Add a user", op: catalog.Create, risk: catalog.High,
			about:    "Add a staff user without any role.",
			entities: "user", tags: "identity user staff new", aliases: "invite user; new employee; onboard colleague",
			in: `name: str 1..120 -- Name.
				email: str 3..200 -- Email address, which is the login.
				team: sales|billing|support|operations|admin -- Team.
				job_title: str 1..120 -- What the user does.`,
			out:  "user",
			undo: "identity.user.set_status; user_id = $result.id; status = inactive",
			do: []step{
				refuse(`SELECT 'there is a user with that address already: ' || id FROM users WHERE lower(email) = lower(:email)`),
				fresh("usr"),
				exec(`INSERT INTO users VALUES (:new_id, :name, lower(:email), :team, :job_title, 'active', :today, NULL)`),
				one(`SELECT * FROM user_view WHERE id = :new_id`),
			},
			lua: `identity.user.create({ name = "Mona Berg", email = "mona.berg@northgate.example", team = "support", job_title = "Support agent" })`,
		}, {
			id: "identity.user.update", title: "Change a user", op: catalog.Update,
			about:    "Change the name, team or job title of a staff user.",
			entities: "user", tags: "identity user staff edit", aliases: "edit user; move to another team",
			in: `user_id: str -- User, like usr_001.
				name?: str 1..120 -- New name.
				team?: sales|billing|support|operations|admin -- New team.
				job_title?: str 1..120 -- New job title.`,
			out: "user",
			do: []step{
				someOf("name", "team", "job_title"),
				refuse(purged),
				exec(`UPDATE users SET name = coalesce(:name, name), team = coalesce(:team, team),
					job_title = coalesce(:job_title, job_title) WHERE id = :user_id`),
				one(`SELECT * FROM user_view WHERE id = :user_id`),
			},
			lua: `identity.user.update({ user_id = "usr_004", job_title = "Billing lead" })`,
		}, {
			id: "identity.user.set_status", title: "Lock or unlock a user", op: catalog.Update, risk: catalog.High,
			about:    "Let a staff user log in, or no longer.",
			entities: "user", tags: "identity user staff access",
			aliases: "deactivate user; disable login; reactivate user; offboard",
			in: `user_id: str -- User, like usr_001.
				status: active|inactive -- New status.`,
			out: "user",
			do: []step{
				refuse(purged),
				exec(`UPDATE users SET status = :status WHERE id = :user_id`),
				one(`SELECT * FROM user_view WHERE id = :user_id`),
			},
			lua: `identity.user.set_status({ user_id = "usr_006", status = "inactive" })`,
		}, {
			id: "identity.user.purge", title: "Purge a user", op: catalog.Admin,
			about:    "Erase a staff user's name, address and roles and give accounts, leads and escalations to a successor. Cannot be undone.",
			entities: "user", tags: "identity user staff erase gdpr dangerous",
			aliases: "erase user; delete employee; gdpr erasure; remove user for good",
			in: `user_id: str -- User to erase, like usr_006.
				successor_user_id: str -- Active user who takes over, like usr_009.`,
			out: "purge_summary",
			do: []step{
				refuse(purged),
				refuse(`SELECT 'a user cannot take over from itself' WHERE :user_id = :successor_user_id`),
				refuse(`SELECT 'user ' || id || ' is ' || status || ' and cannot take over' FROM users
					WHERE id = :successor_user_id AND status <> 'active'`),
				let("accounts", `SELECT count(*) FROM accounts WHERE owner_id = :user_id`),
				let("leads", `SELECT count(*) FROM leads WHERE owner_id = :user_id`),
				let("tickets", `SELECT count(*) FROM tickets WHERE assignee_id = :user_id AND status IN ('open', 'pending')`),
				let("roles", `SELECT count(*) FROM user_roles WHERE user_id = :user_id`),
				exec(`UPDATE accounts SET owner_id = :successor_user_id WHERE owner_id = :user_id`),
				exec(`UPDATE leads SET owner_id = :successor_user_id WHERE owner_id = :user_id`),
				exec(`UPDATE reports SET owner_id = :successor_user_id WHERE owner_id = :user_id`),
				exec(`UPDATE escalations SET owner_id = :successor_user_id WHERE owner_id = :user_id`),
				exec(`UPDATE tickets SET assignee_id = NULL WHERE assignee_id = :user_id AND status IN ('open', 'pending')`),
				exec(`DELETE FROM user_roles WHERE user_id = :user_id`),
				exec(`UPDATE users SET name = 'Purged user', email = id || '@purged.example', job_title = '-', status = 'purged',
					last_seen_on = NULL WHERE id = :user_id`),
				one(`SELECT :user_id AS id, :accounts AS accounts_moved, :leads AS leads_moved, :tickets AS tickets_unassigned,
					:roles AS roles_removed`),
			},
			lua: `identity.user.purge({ user_id = "usr_006", successor_user_id = "usr_009" })`,
		},
	}
}

// purged refuses to change a user who was erased.
const purged = `SELECT 'user ' || id || ' was purged' FROM users WHERE id = :user_id AND status = 'purged'`

func identityRoles() []action {
	return []action{
		{
			id: "identity.role.list", title: "List roles", op: catalog.Read,
			about:    "List the roles with what they allow and how many users have them.",
			entities: "role", tags: "identity role permission", aliases: "permissions; access rights; groups",
			out: "list<role>",
			do:  []step{list(`SELECT * FROM role_view ORDER BY id`)},
			lua: `identity.role.list({})`,
		}, {
			id: "identity.role.list_users", title: "List who has a role", op: catalog.Read,
			about:    "List the staff users who have a role.",
			entities: "role user", tags: "identity role permission", aliases: "members of a role; who is administrator",
			in: `role_id: str -- Role, like rol_01.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<user>",
			do: []step{list(`SELECT v.* FROM user_roles ur JOIN user_view v ON v.id = ur.user_id WHERE ur.role_id = :role_id
				ORDER BY v.id LIMIT :limit`)},
			lua: `identity.role.list_users({ role_id = "rol_01" })`,
		}, {
			id: "identity.role.check", title: "Check a permission", op: catalog.Read,
			about:    "Tell whether a staff user is allowed something, and through which roles.",
			entities: "user role", tags: "identity role permission", aliases: "may this user; has access; can user do",
			in: `user_id: str -- User, like usr_001.
				permission: str 3..80 -- Permission, as namespace:verb, such as billing:write.`,
			out: "permission_check",
			do: []step{one(`SELECT u.id AS user_id, :permission AS permission,
				u.status = 'active' AND count(r.name) > 0 AS allowed,
				json_group_array(r.name) FILTER (WHERE r.name IS NOT NULL) AS through
				FROM users u LEFT JOIN (SELECT ur.user_id, r.name FROM user_roles ur JOIN roles r ON r.id = ur.role_id
					WHERE EXISTS (SELECT 1 FROM json_each(r.permissions) p WHERE p.value IN (:permission, '*:*'))) r
				ON r.user_id = u.id WHERE u.id = :user_id GROUP BY u.id`)},
			lua: `identity.role.check({ user_id = "usr_004", permission = "billing:write" })`,
		}, {
			id: "identity.role.grant", title: "Give a role", op: catalog.Update, risk: catalog.High,
			about:    "Give a role to an active staff user.",
			entities: "user role", tags: "identity role permission access",
			aliases: "grant access; add permission; make administrator",
			in: `user_id: str -- User, like usr_001.
				role_id: str -- Role, like rol_02.`,
			out:  "user",
			undo: "identity.role.revoke; user_id = $args.user_id; role_id = $args.role_id",
			do: []step{
				refuse(`SELECT 'user ' || id || ' is ' || status FROM users WHERE id = :user_id AND status <> 'active'`),
				refuse(`SELECT 'user ' || user_id || ' has role ' || role_id || ' already' FROM user_roles
					WHERE user_id = :user_id AND role_id = :role_id`),
				exec(`INSERT INTO user_roles VALUES (:user_id, :role_id)`),
				one(`SELECT * FROM user_view WHERE id = :user_id`),
			},
			lua: `identity.role.grant({ user_id = "usr_004", role_id = "rol_02" })`,
		}, {
			id: "identity.role.revoke", title: "Take a role away", op: catalog.Delete,
			about:    "Take a role away from a staff user; the last active administrator keeps the role.",
			entities: "user role", tags: "identity role permission access", aliases: "revoke access; remove permission",
			in: `user_id: str -- User, like usr_001.
				role_id: str -- Role, like rol_02.`,
			out:  "user",
			undo: "identity.role.grant; user_id = $args.user_id; role_id = $args.role_id",
			do: []step{
				refuse(`SELECT 'user ' || :user_id || ' does not have role ' || :role_id
					WHERE NOT EXISTS (SELECT 1 FROM user_roles WHERE user_id = :user_id AND role_id = :role_id)`),
				refuse(`SELECT 'user ' || :user_id || ' is the last active administrator' WHERE :role_id = 'rol_01' AND NOT EXISTS
					(SELECT 1 FROM user_roles ur JOIN users u ON u.id = ur.user_id
					WHERE ur.role_id = 'rol_01' AND u.status = 'active' AND u.id <> :user_id)`),
				exec(`DELETE FROM user_roles WHERE user_id = :user_id AND role_id = :role_id`),
				one(`SELECT * FROM user_view WHERE id = :user_id`),
			},
			lua: `identity.role.revoke({ user_id = "usr_004", role_id = "rol_03" })`,
		}, {
			id: "identity.audit.list", title: "Read the audit log", op: catalog.Read,
			about:    "List who changed what, the newest first. Every mutation leaves an entry.",
			entities: "audit_entry user", tags: "identity audit log history",
			aliases: "change history; who changed this; audit trail",
			in: `actor?: str -- Only changes by this actor.
				action?: str -- Only this action, such as billing.refund.issue.
				subject?: str -- Only changes of the record with this id.
				limit?: int = 25 1..200 -- How many at most.
				offset?: int = 0 0..100000 -- How many to leave out first.`,
			out: "list<audit_entry>",
			do: []step{list(`SELECT seq, at, actor, tenant, session_id, action, subject, args FROM audit
				WHERE 1 {AND actor = :actor} {AND action = :action} {AND subject = :subject} ORDER BY seq DESC LIMIT :limit OFFSET :offset`)},
			lua: `identity.audit.list({ limit = 10 })`,
		},
	}
}

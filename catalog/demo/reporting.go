package demo

// This file has the reports, and the actions on datasets and saved reports.

import "almanac/catalog"

func reportingFigures() []action {
	return []action{
		{
			id: "reporting.revenue.monthly", title: "Revenue by month", op: catalog.Read,
			about:    "Sum up what was invoiced, received and refunded each month.",
			entities: "month_revenue", tags: "reporting revenue finance billing",
			aliases: "turnover; sales per month; monthly income",
			in: `from_month?: str 7..7 = 2026-01 -- First month, as YYYY-MM.
				to_month?: str 7..7 = 2026-10 -- Last month, as YYYY-MM.`,
			out: "list<month_revenue>",
			do: []step{list(`WITH m AS (
				SELECT substr(issued_on, 1, 7) AS month, 1 AS n, total_cents AS invoiced, 0 AS received, 0 AS refunded FROM invoices
				WHERE status IN ('open', 'paid')
				UNION ALL SELECT substr(received_on, 1, 7), 0, 0, amount_cents, 0 FROM payments WHERE status = 'settled'
				UNION ALL SELECT substr(issued_on, 1, 7), 0, 0, 0, amount_cents FROM refunds)
				SELECT month, sum(n) AS invoices, sum(invoiced) AS invoiced_cents, sum(received) AS received_cents,
				sum(refunded) AS refunded_cents
				FROM m WHERE month BETWEEN :from_month AND :to_month GROUP BY month ORDER BY month`)},
			lua: `reporting.revenue.monthly({ from_month = "2026-07" })`,
		}, {
			id: "reporting.revenue.by_customer", title: "Best customers", op: catalog.Read,
			about:    "Rank customers by what was invoiced to them between two days.",
			entities: "customer customer_revenue", tags: "reporting revenue customer ranking",
			aliases: "top customers; biggest customers; revenue per customer",
			in: `from_date?: date = 2026-01-01 -- First day.
				to_date?: date = 2026-10-31 -- Last day.
				limit?: int = 10 1..200 -- How many at most.`,
			out: "list<customer_revenue>",
			do: []step{list(`SELECT c.id AS customer_id, c.company_name, count(*) AS invoices,
				sum(i.total_cents) AS invoiced_cents, sum(i.balance_cents) AS balance_cents
				FROM invoices i JOIN customers c ON c.id = i.customer_id
				WHERE i.status IN ('open', 'paid') AND i.issued_on BETWEEN :from_date AND :to_date
				GROUP BY c.id ORDER BY invoiced_cents DESC, c.id LIMIT :limit`)},
			lua: `reporting.revenue.by_customer({ limit = 5 })`,
		}, {
			id: "reporting.receivables.aging", title: "Aging of receivables", op: catalog.Read,
			about:    "Sum up what is owed to us by how long it is overdue.",
			entities: "aging_bucket invoice", tags: "reporting receivable aging finance billing",
			aliases: "aging report; overdue totals; accounts receivable",
			in:      `customer_id?: str -- Only this customer, like cus_0001.`,
			out:     "list<aging_bucket>",
			do: []step{list(`SELECT CASE WHEN days_overdue = 0 THEN 'not due' WHEN days_overdue <= 30 THEN '1-30'
				WHEN days_overdue <= 60 THEN '31-60' WHEN days_overdue <= 90 THEN '61-90' ELSE 'over 90' END AS bucket,
				count(*) AS invoices, count(DISTINCT customer_id) AS customers, sum(balance_cents) AS balance_cents
				FROM invoice_view WHERE status = 'open' {AND customer_id = :customer_id} GROUP BY 1 ORDER BY min(days_overdue)`)},
			lua: `reporting.receivables.aging({})`,
		}, {
			id: "reporting.sales.by_category", title: "Sales by product group", op: catalog.Read,
			about:    "Sum up orders between two days by product group, with margin.",
			entities: "category_sales product order", tags: "reporting sales product margin commerce",
			aliases: "what sells best; sales figures; margin by category",
			in: `from_date?: date = 2026-01-01 -- First day.
				to_date?: date = 2026-10-31 -- Last day.`,
			out: "list<category_sales>",
			do: []step{list(`SELECT p.category, count(DISTINCT o.id) AS orders, sum(l.quantity) AS units,
				sum(l.amount_cents) AS amount_cents, sum(l.amount_cents - l.quantity * p.cost_cents) AS margin_cents
				FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN products p ON p.id = l.product_id
				WHERE o.status <> 'cancelled' AND o.placed_on BETWEEN :from_date AND :to_date GROUP BY p.category
				ORDER BY amount_cents DESC`)},
			lua: `reporting.sales.by_category({ from_date = "2026-07-01", to_date = "2026-09-30" })`,
		}, {
			id: "reporting.inventory.value", title: "Worth of the stock", op: catalog.Read,
			about:    "Sum up what is in each warehouse, at purchase and sales prices.",
			entities: "stock_value warehouse", tags: "reporting inventory stock valuation commerce",
			aliases: "stock valuation; inventory worth",
			out:     "list<stock_value>",
			do: []step{list(`SELECT w.id AS warehouse_id, w.name AS warehouse_name, sum(v.on_hand) AS units,
				sum(v.on_hand * p.cost_cents) AS cost_cents, sum(v.on_hand * p.price_cents) AS retail_cents
				FROM inventory v JOIN products p ON p.id = v.product_id JOIN warehouses w ON w.id = v.warehouse_id GROUP BY w.id
				ORDER BY w.id`)},
			lua: `reporting.inventory.value({})`,
		}, {
			id: "reporting.support.volume", title: "Tickets by month", op: catalog.Read,
			about:    "Count the tickets opened each month by category, and those not solved yet.",
			entities: "ticket_volume ticket", tags: "reporting support ticket volume",
			aliases: "ticket statistics; support load; complaints per month",
			in: `from_month?: str 7..7 = 2026-01 -- First month, as YYYY-MM.
				to_month?: str 7..7 = 2026-10 -- Last month, as YYYY-MM.
				category?: billing|delivery|returns|product|account -- Only this category.`,
			out: "list<ticket_volume>",
			do: []step{list(`SELECT substr(opened_at, 1, 7) AS month, category, count(*) AS opened,
				sum(status IN ('open', 'pending')) AS unsolved
				FROM tickets WHERE substr(opened_at, 1, 7) BETWEEN :from_month AND :to_month {AND category = :category}
				GROUP BY 1, 2 ORDER BY 1, 2`)},
			lua: `reporting.support.volume({ from_month = "2026-09", category = "billing" })`,
		}, {
			id: "reporting.support.agents", title: "Work by agent", op: catalog.Read,
			about:    "Count open and solved tickets of each active staff user, with the average time to solve.",
			entities: "agent_load user ticket", tags: "reporting support agent workload",
			aliases: "agent performance; who has most tickets; workload",
			in:      `limit?: int = 25 1..200 -- How many at most.`,
			out:     "list<agent_load>",
			do: []step{list(`SELECT u.id AS user_id, u.name, sum(t.status IN ('open', 'pending')) AS open_tickets,
				sum(t.solved_at IS NOT NULL) AS solved,
				round(avg(24 * (julianday(t.solved_at) - julianday(t.opened_at))), 1) AS average_hours
				FROM users u JOIN tickets t ON t.assignee_id = u.id WHERE u.status = 'active' GROUP BY u.id
				ORDER BY open_tickets DESC, u.id LIMIT :limit`)},
			lua: `reporting.support.agents({ limit = 5 })`,
		}, {
			id: "reporting.support.sla", title: "How well service levels were met", op: catalog.Read,
			about:    "Count for each service level how many tickets were answered and solved as promised.",
			entities: "sla_summary sla_policy ticket", tags: "reporting support sla compliance",
			aliases: "sla compliance; response time report",
			in: `from_date?: date = 2026-01-01 -- First day tickets were opened.
				to_date?: date = 2026-10-31 -- Last day tickets were opened.`,
			out: "list<sla_summary>",
			do: []step{list(`SELECT policy, count(*) AS tickets, sum(NOT first_response_breached) AS first_response_met,
				sum(NOT resolution_breached) AS resolution_met,
				round(100.0 * sum(NOT first_response_breached AND NOT resolution_breached) / count(*), 1) AS met_percent
				FROM sla_check_view WHERE substr(opened_at, 1, 10) BETWEEN :from_date AND :to_date GROUP BY policy
				ORDER BY policy`)},
			lua: `reporting.support.sla({ from_date = "2026-10-01" })`,
		}, {
			id: "reporting.leads.funnel", title: "Lead funnel", op: catalog.Read,
			about:    "Count leads and their value by how far they have come.",
			entities: "funnel_step lead", tags: "reporting leads sales pipeline crm",
			aliases: "conversion rate; pipeline value; sales funnel",
			in:      `owner_id?: str -- Only leads of this staff user, like usr_002.`,
			out:     "list<funnel_step>",
			do: []step{list(`SELECT status, count(*) AS leads, sum(value_cents) AS value_cents FROM leads
				WHERE 1 {AND owner_id = :owner_id} GROUP BY status
				ORDER BY CASE status WHEN 'new' THEN 1 WHEN 'contacted' THEN 2 WHEN 'qualified' THEN 3 WHEN 'converted' THEN 4
				ELSE 5 END`)},
			lua: `reporting.leads.funnel({})`,
		}, {
			id: "reporting.books.calendar", title: "What day it is", op: catalog.Read,
			about:    "Tell what day it is in the office, which decides what is overdue, and which currency amounts are in.",
			entities: "calendar", tags: "reporting books date currency", aliases: "today; current date; currency",
			out: "calendar",
			do:  []step{one(`SELECT * FROM books`)},
			lua: `reporting.books.calendar({})`,
		},
	}
}

func reportingDatasets() []action {
	return []action{
		{
			id: "reporting.dataset.list", title: "List datasets", op: catalog.Read,
			about:    "List the datasets that reports draw on.",
			entities: "dataset", tags: "reporting dataset warehouse", aliases: "data marts; report sources",
			out: "list<dataset>",
			do:  []step{list(`SELECT * FROM dataset_view ORDER BY id`)},
			lua: `reporting.dataset.list({})`,
		}, {
			id: "reporting.dataset.query", title: "Read a dataset", op: catalog.Read,
			about:    "List the rows of a dataset by metric and months.",
			entities: "dataset dataset_row", tags: "reporting dataset query", aliases: "time series; figures of a dataset",
			in: `dataset_id: str -- Dataset, like dst_01.
				metric?: str -- Only this metric, such as invoiced_cents.
				from_month?: str 7..7 -- First month, as YYYY-MM.
				to_month?: str 7..7 -- Last month, as YYYY-MM.
				limit?: int = 100 1..1000 -- How many at most.`,
			out: "list<dataset_row>",
			do: []step{list(`SELECT period, metric, value FROM dataset_rows WHERE dataset_id = :dataset_id {AND metric = :metric}
				{AND period >= :from_month} {AND period <= :to_month} ORDER BY period, metric LIMIT :limit`)},
			lua: `reporting.dataset.query({ dataset_id = "dst_01", metric = "invoiced_cents", from_month = "2026-01" })`,
		}, {
			id: "reporting.dataset.rebuild", title: "Rebuild a dataset", op: catalog.Admin,
			about:    "Throw the rows of a dataset away and compute them again from the books. Reports started meanwhile wait.",
			entities: "dataset", tags: "reporting dataset refresh dangerous",
			aliases: "recompute dataset; refresh data mart; regenerate figures",
			in:      `dataset_id: str -- Dataset, like dst_01.`,
			out:     "dataset",
			do: []step{
				exec(`DELETE FROM dataset_rows WHERE dataset_id = :dataset_id`),
				exec(`INSERT INTO dataset_rows SELECT * FROM dataset_source WHERE dataset_id = :dataset_id`),
				exec(`UPDATE datasets SET rebuilt_on = :today WHERE id = :dataset_id`),
				one(`SELECT * FROM dataset_view WHERE id = :dataset_id`),
			},
			lua: `reporting.dataset.rebuild({ dataset_id = "dst_01" })`,
		}, {
			id: "reporting.report.list", title: "List saved reports", op: catalog.Read,
			about:    "List saved reports by owner, dataset or schedule.",
			entities: "report", tags: "reporting report", aliases: "dashboards; scheduled reports",
			in: `owner_id?: str -- Only those of this staff user, like usr_002.
				dataset_id?: str -- Only on this dataset, like dst_01.
				schedule?: none|daily|weekly|monthly -- Only sent so often.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<report>",
			do: []step{list(`SELECT * FROM report_view WHERE 1 {AND owner_id = :owner_id} {AND dataset_id = :dataset_id}
				{AND schedule = :schedule} ORDER BY id LIMIT :limit`)},
			lua: `reporting.report.list({ dataset_id = "dst_01" })`,
		}, {
			id: "reporting.report.create", title: "Save a report", op: catalog.Create, risk: catalog.Low,
			about:    "Save a report on a dataset.",
			entities: "report dataset", tags: "reporting report new", aliases: "new dashboard; schedule a report",
			in: `name: str 1..120 -- Name.
				dataset_id: str -- Dataset it draws on, like dst_01.
				owner_id: str -- Staff user who keeps it, like usr_002.
				schedule?: none|daily|weekly|monthly = none -- How often it is sent.`,
			out:  "report",
			undo: "reporting.report.delete; report_id = $result.id",
			do: []step{
				fresh("rpt"),
				exec(`INSERT INTO reports VALUES (:new_id, :name, :dataset_id, :owner_id, :schedule, :today)`),
				one(`SELECT * FROM report_view WHERE id = :new_id`),
			},
			lua: `reporting.report.create({ name = "Weekly refunds", dataset_id = "dst_01", owner_id = "usr_004", schedule = "weekly" })`,
		}, {
			id: "reporting.report.set_schedule", title: "Schedule a report", op: catalog.Update, risk: catalog.Low,
			about:    "Change how often a saved report is sent.",
			entities: "report", tags: "reporting report schedule", aliases: "send report weekly; stop report",
			in: `report_id: str -- Report, like rpt_001.
				schedule: none|daily|weekly|monthly -- How often it is sent.`,
			out: "report",
			do: []step{
				exec(`UPDATE reports SET schedule = :schedule WHERE id = :report_id`),
				one(`SELECT * FROM report_view WHERE id = :report_id`),
			},
			lua: `reporting.report.set_schedule({ report_id = "rpt_001", schedule = "daily" })`,
		}, {
			id: "reporting.report.delete", title: "Delete a saved report", op: catalog.Delete, risk: catalog.Medium,
			about:    "Delete a saved report. Its dataset stays.",
			entities: "report", tags: "reporting report remove", aliases: "remove dashboard",
			in:  `report_id: str -- Report, like rpt_001.`,
			out: "deleted",
			do: []step{
				exec(`DELETE FROM reports WHERE id = :report_id`),
				gone("report_id"),
			},
			lua: `reporting.report.delete({ report_id = "rpt_002" })`,
		},
	}
}

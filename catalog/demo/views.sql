-- Indexes, and one view for each kind of record that actions answer with (shapes.txt names the columns).

CREATE INDEX customers_account   ON customers (account_id);
CREATE INDEX contacts_customer   ON contacts (customer_id);
CREATE INDEX notes_customer      ON customer_notes (customer_id);
CREATE INDEX orders_customer     ON orders (customer_id);
CREATE INDEX order_lines_product ON order_lines (product_id);
CREATE INDEX shipments_order     ON shipments (order_id);
CREATE INDEX invoices_customer   ON invoices (customer_id, status);
CREATE INDEX invoices_order      ON invoices (order_id);
CREATE INDEX payments_invoice    ON payments (invoice_id);
CREATE INDEX payments_customer   ON payments (customer_id);
CREATE INDEX refunds_invoice     ON refunds (invoice_id);
CREATE INDEX credits_customer    ON credits (customer_id);
CREATE INDEX credit_uses_invoice ON credit_uses (invoice_id);
CREATE INDEX ledger_customer     ON ledger (customer_id);
CREATE INDEX ledger_invoice      ON ledger (invoice_id);
CREATE INDEX lines_product       ON invoice_lines (product_id);
CREATE INDEX tickets_customer    ON tickets (customer_id);
CREATE INDEX tickets_assignee    ON tickets (assignee_id);
CREATE INDEX tickets_contact     ON tickets (contact_id);
CREATE INDEX tickets_order       ON tickets (order_id);
CREATE INDEX tickets_invoice     ON tickets (invoice_id);
CREATE INDEX messages_ticket     ON ticket_messages (ticket_id);
CREATE INDEX escalations_ticket  ON escalations (ticket_id);

-- crm

CREATE VIEW account_view AS
  SELECT a.*, u.name AS owner_name, (SELECT count(*) FROM customers c WHERE c.account_id = a.id) AS customers
  FROM accounts a JOIN users u ON u.id = a.owner_id;

CREATE VIEW customer_view AS SELECT * FROM customers;

CREATE VIEW contact_view AS
  SELECT n.*, c.company_name FROM contacts n JOIN customers c ON c.id = n.customer_id;

CREATE VIEW lead_view AS
  SELECT l.*, u.name AS owner_name FROM leads l JOIN users u ON u.id = l.owner_id;

CREATE VIEW customer_overview_view AS
  SELECT c.id, c.company_name, c.status, a.name AS account_name, a.tier, u.name AS owner_name,
    (SELECT name || ' <' || email || '>' FROM contacts n WHERE n.customer_id = c.id ORDER BY is_primary DESC, id LIMIT 1) AS primary_contact,
    (SELECT count(*) FROM invoices i WHERE i.customer_id = c.id AND i.status = 'open') AS unpaid_invoices,
    (SELECT count(*) FROM invoices i, books b WHERE i.customer_id = c.id AND i.status = 'open' AND i.due_date < b.today) AS overdue_invoices,
    (SELECT coalesce(sum(balance_cents), 0) FROM invoices i WHERE i.customer_id = c.id AND i.status = 'open') AS balance_cents,
    (SELECT coalesce(sum(balance_cents), 0) FROM invoices i, books b WHERE i.customer_id = c.id AND i.status = 'open' AND i.due_date < b.today) AS overdue_cents,
    (SELECT coalesce(sum(remaining_cents), 0) FROM credits d, books b WHERE d.customer_id = c.id AND d.status = 'active' AND d.expires_on >= b.today) AS credit_cents,
    (SELECT coalesce(sum(paid_cents - refunded_cents), 0) FROM invoices i WHERE i.customer_id = c.id) AS lifetime_paid_cents,
    (SELECT count(*) FROM tickets t WHERE t.customer_id = c.id AND t.status IN ('open', 'pending')) AS open_tickets,
    (SELECT count(*) FROM orders o WHERE o.customer_id = c.id AND o.status IN ('placed', 'shipped')) AS open_orders,
    (SELECT max(placed_on) FROM orders o WHERE o.customer_id = c.id) AS last_order_on
  FROM customers c JOIN accounts a ON a.id = c.account_id JOIN users u ON u.id = a.owner_id;

-- billing

CREATE VIEW invoice_view AS
  SELECT i.id, i.customer_id, c.company_name, i.order_id, i.status, i.total_cents AS amount_cents, i.paid_cents,
    i.credited_cents, i.refunded_cents, i.balance_cents, i.issued_on, i.due_date, i.paid_on,
    i.status = 'open' AND i.due_date < b.today AS overdue,
    CASE WHEN i.status = 'open' THEN max(0, CAST(julianday(b.today) - julianday(i.due_date) AS INTEGER)) ELSE 0 END AS days_overdue
  FROM invoices i JOIN customers c ON c.id = i.customer_id JOIN books b;

CREATE VIEW refund_view AS
  SELECT r.*, c.company_name FROM refunds r JOIN customers c ON c.id = r.customer_id;

CREATE VIEW ledger_view AS
  SELECT seq, customer_id, day, kind, reference, invoice_id, amount_cents FROM ledger;

-- commerce

CREATE VIEW product_view AS
  SELECT p.*,
    (SELECT coalesce(sum(on_hand), 0) FROM inventory v WHERE v.product_id = p.id) AS on_hand,
    (SELECT coalesce(sum(on_hand - reserved), 0) FROM inventory v WHERE v.product_id = p.id) AS available
  FROM products p;

CREATE VIEW stock_view AS
  SELECT v.product_id, p.sku, p.name AS product_name, v.warehouse_id, w.name AS warehouse_name, v.on_hand, v.reserved,
    v.on_hand - v.reserved AS available, p.reorder_level
  FROM inventory v JOIN products p ON p.id = v.product_id JOIN warehouses w ON w.id = v.warehouse_id;

CREATE VIEW warehouse_view AS
  SELECT w.*, (SELECT count(*) FROM inventory v WHERE v.warehouse_id = w.id AND v.on_hand > 0) AS products,
    (SELECT coalesce(sum(on_hand), 0) FROM inventory v WHERE v.warehouse_id = w.id) AS units
  FROM warehouses w;

CREATE VIEW order_view AS
  SELECT o.*, c.company_name,
    (SELECT count(*) FROM order_lines l WHERE l.order_id = o.id) AS lines,
    (SELECT i.id FROM invoices i WHERE i.order_id = o.id AND i.status <> 'void' ORDER BY i.id LIMIT 1) AS invoice_id
  FROM orders o JOIN customers c ON c.id = o.customer_id;

CREATE VIEW order_line_view AS
  SELECT l.*, p.sku, p.name AS product_name FROM order_lines l JOIN products p ON p.id = l.product_id;

CREATE VIEW shipment_view AS
  SELECT s.*, o.customer_id, c.company_name
  FROM shipments s JOIN orders o ON o.id = s.order_id JOIN customers c ON c.id = o.customer_id;

-- support

CREATE VIEW ticket_view AS
  SELECT t.*, c.company_name, u.name AS assignee_name,
    (SELECT count(*) FROM ticket_messages m WHERE m.ticket_id = t.id) AS messages
  FROM tickets t JOIN customers c ON c.id = t.customer_id LEFT JOIN users u ON u.id = t.assignee_id;

CREATE VIEW escalation_view AS
  SELECT e.*, t.subject, t.customer_id, u.name AS owner_name
  FROM escalations e JOIN tickets t ON t.id = e.ticket_id JOIN users u ON u.id = e.owner_id;

CREATE VIEW sla_policy_view AS
  SELECT p.*, (SELECT count(*) FROM customers c WHERE c.sla_policy_id = p.id) AS customers FROM sla_policies p;

-- How long each ticket took, or has been taking, against what its customer was promised.
CREATE VIEW sla_check_view AS
  SELECT ticket_id, customer_id, company_name, subject, priority, status, assignee_id, policy, opened_at,
    first_response_limit_hours, round(response_hours, 1) AS first_response_hours, response_hours > first_response_limit_hours AS first_response_breached,
    resolution_limit_hours, round(resolution_hours, 1) AS resolution_hours, resolution_hours > resolution_limit_hours AS resolution_breached
  FROM (
    SELECT t.id AS ticket_id, t.customer_id, c.company_name, t.subject, t.priority, t.status, t.assignee_id, p.name AS policy, t.opened_at,
      p.first_response_hours AS first_response_limit_hours, p.resolution_hours AS resolution_limit_hours,
      24 * (julianday(coalesce(t.first_response_at, t.solved_at, b.now)) - julianday(t.opened_at)) AS response_hours,
      24 * (julianday(coalesce(t.solved_at, b.now)) - julianday(t.opened_at)) AS resolution_hours
    FROM tickets t JOIN customers c ON c.id = t.customer_id JOIN sla_policies p ON p.id = c.sla_policy_id JOIN books b);

-- identity

CREATE VIEW user_view AS
  SELECT u.*, (SELECT coalesce(json_group_array(r.name), '[]') FROM user_roles ur JOIN roles r ON r.id = ur.role_id WHERE ur.user_id = u.id) AS roles
  FROM users u;

CREATE VIEW role_view AS
  SELECT r.*, (SELECT count(*) FROM user_roles ur WHERE ur.role_id = r.id) AS users FROM roles r;

-- reporting

CREATE VIEW dataset_view AS
  SELECT d.*, (SELECT count(*) FROM dataset_rows r WHERE r.dataset_id = d.id) AS rows FROM datasets d;

CREATE VIEW report_view AS
  SELECT r.*, d.name AS dataset_name, u.name AS owner_name
  FROM reports r JOIN datasets d ON d.id = r.dataset_id JOIN users u ON u.id = r.owner_id;

-- What a rebuild writes into dataset_rows, one metric a row.
CREATE VIEW dataset_source AS
  SELECT 'dst_01' AS dataset_id, substr(issued_on, 1, 7) AS period, 'invoiced_cents' AS metric, sum(total_cents) AS value
    FROM invoices WHERE status IN ('open', 'paid') GROUP BY 2
  UNION ALL SELECT 'dst_01', substr(received_on, 1, 7), 'received_cents', sum(amount_cents) FROM payments WHERE status = 'settled' GROUP BY 2
  UNION ALL SELECT 'dst_01', substr(issued_on, 1, 7), 'refunded_cents', sum(amount_cents) FROM refunds GROUP BY 2
  UNION ALL SELECT 'dst_02', substr(opened_at, 1, 7), 'opened', count(*) FROM tickets GROUP BY 2
  UNION ALL SELECT 'dst_02', substr(solved_at, 1, 7), 'solved', count(*) FROM tickets WHERE solved_at IS NOT NULL GROUP BY 2
  UNION ALL SELECT 'dst_03', substr(o.placed_on, 1, 7), p.category || '_units', sum(l.quantity)
    FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN products p ON p.id = l.product_id
    WHERE o.status <> 'cancelled' GROUP BY 2, 3
  UNION ALL SELECT 'dst_04', substr(created_on, 1, 7), 'leads_' || status, count(*) FROM leads GROUP BY 2, 3;

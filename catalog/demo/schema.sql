-- The tables of the back office. Money is in whole cents, days are 'YYYY-MM-DD', moments 'YYYY-MM-DDTHH:MM:SSZ'.
-- Indexes and views are in views.sql: they are made after the rows.

-- What day it is in the office. The only clock there is.
CREATE TABLE books (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  company  TEXT NOT NULL,
  currency TEXT NOT NULL,
  today    TEXT NOT NULL,
  now      TEXT NOT NULL
) STRICT;

-- The last number given out for each kind of id.
CREATE TABLE counters (
  prefix TEXT PRIMARY KEY,
  width  INTEGER NOT NULL,
  n      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row for every mutation that was carried out.
CREATE TABLE audit (
  seq        INTEGER PRIMARY KEY,
  at         TEXT NOT NULL,
  actor      TEXT NOT NULL,
  tenant     TEXT NOT NULL,
  session_id TEXT NOT NULL,
  action     TEXT NOT NULL,
  subject    TEXT,
  args       TEXT NOT NULL
) STRICT;

-- identity

CREATE TABLE users (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  email        TEXT NOT NULL UNIQUE,
  team         TEXT NOT NULL CHECK (team IN ('sales', 'billing', 'support', 'operations', 'admin')),
  job_title    TEXT NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'purged')),
  created_on   TEXT NOT NULL,
  last_seen_on TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE roles (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  permissions TEXT NOT NULL CHECK (json_valid(permissions))
) STRICT, WITHOUT ROWID;

CREATE TABLE user_roles (
  user_id TEXT NOT NULL REFERENCES users (id),
  role_id TEXT NOT NULL REFERENCES roles (id),
  PRIMARY KEY (user_id, role_id)
) STRICT, WITHOUT ROWID;

-- crm

CREATE TABLE accounts (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  industry   TEXT NOT NULL,
  tier       TEXT NOT NULL CHECK (tier IN ('standard', 'silver', 'gold', 'enterprise')),
  status     TEXT NOT NULL CHECK (status IN ('active', 'closed')),
  website    TEXT,
  owner_id   TEXT NOT NULL REFERENCES users (id),
  created_on TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE customers (
  id                 TEXT PRIMARY KEY,
  account_id         TEXT NOT NULL REFERENCES accounts (id),
  company_name       TEXT NOT NULL,
  email              TEXT NOT NULL,
  phone              TEXT NOT NULL,
  street             TEXT NOT NULL,
  city               TEXT NOT NULL,
  country            TEXT NOT NULL,
  status             TEXT NOT NULL CHECK (status IN ('active', 'suspended', 'closed')),
  payment_terms_days INTEGER NOT NULL CHECK (payment_terms_days BETWEEN 0 AND 120),
  sla_policy_id      TEXT NOT NULL REFERENCES sla_policies (id),
  created_on         TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE contacts (
  id          TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES customers (id),
  name        TEXT NOT NULL,
  email       TEXT NOT NULL,
  phone       TEXT,
  job_title   TEXT NOT NULL,
  is_primary  INTEGER NOT NULL CHECK (is_primary IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE customer_notes (
  id          TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES customers (id),
  author      TEXT NOT NULL,
  body        TEXT NOT NULL,
  created_on  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE leads (
  id           TEXT PRIMARY KEY,
  company_name TEXT NOT NULL,
  contact_name TEXT NOT NULL,
  email        TEXT NOT NULL,
  source       TEXT NOT NULL CHECK (source IN ('web', 'referral', 'trade_fair', 'cold_call', 'partner')),
  status       TEXT NOT NULL CHECK (status IN ('new', 'contacted', 'qualified', 'lost', 'converted')),
  owner_id     TEXT NOT NULL REFERENCES users (id),
  value_cents  INTEGER NOT NULL CHECK (value_cents >= 0),
  customer_id  TEXT REFERENCES customers (id),
  created_on   TEXT NOT NULL,
  CHECK ((status = 'converted') = (customer_id IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- commerce

CREATE TABLE products (
  id            TEXT PRIMARY KEY,
  sku           TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL,
  category      TEXT NOT NULL,
  price_cents   INTEGER NOT NULL CHECK (price_cents >= 0),
  cost_cents    INTEGER NOT NULL CHECK (cost_cents >= 0),
  status        TEXT NOT NULL CHECK (status IN ('active', 'discontinued')),
  reorder_level INTEGER NOT NULL CHECK (reorder_level >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE warehouses (
  id      TEXT PRIMARY KEY,
  name    TEXT NOT NULL,
  city    TEXT NOT NULL,
  country TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- reserved is what placed orders hold; it is part of on_hand.
CREATE TABLE inventory (
  product_id   TEXT NOT NULL REFERENCES products (id),
  warehouse_id TEXT NOT NULL REFERENCES warehouses (id),
  on_hand      INTEGER NOT NULL CHECK (on_hand >= 0),
  reserved     INTEGER NOT NULL CHECK (reserved BETWEEN 0 AND on_hand),
  PRIMARY KEY (product_id, warehouse_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE orders (
  id           TEXT PRIMARY KEY,
  customer_id  TEXT NOT NULL REFERENCES customers (id),
  warehouse_id TEXT NOT NULL REFERENCES warehouses (id),
  status       TEXT NOT NULL CHECK (status IN ('placed', 'shipped', 'delivered', 'returned', 'cancelled')),
  total_cents  INTEGER NOT NULL CHECK (total_cents >= 0),
  ship_to      TEXT NOT NULL,
  note         TEXT,
  placed_on    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE order_lines (
  order_id         TEXT NOT NULL REFERENCES orders (id),
  line             INTEGER NOT NULL,
  product_id       TEXT NOT NULL REFERENCES products (id),
  quantity         INTEGER NOT NULL CHECK (quantity > 0),
  unit_price_cents INTEGER NOT NULL,
  amount_cents     INTEGER NOT NULL CHECK (amount_cents = quantity * unit_price_cents),
  PRIMARY KEY (order_id, line)
) STRICT, WITHOUT ROWID;

CREATE TABLE shipments (
  id           TEXT PRIMARY KEY,
  order_id     TEXT NOT NULL REFERENCES orders (id),
  warehouse_id TEXT NOT NULL REFERENCES warehouses (id),
  carrier      TEXT NOT NULL,
  tracking     TEXT NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('in_transit', 'delivered', 'returned')),
  shipped_on   TEXT NOT NULL,
  delivered_on TEXT
) STRICT, WITHOUT ROWID;

-- billing. balance = total - paid - credited while an invoice is open, 0 when it is paid or void. What a refund pays
-- out is matched by a credit note, so it leaves the balance alone; the part of a refund that is set against the
-- balance counts as credited.

CREATE TABLE invoices (
  id             TEXT PRIMARY KEY,
  customer_id    TEXT NOT NULL REFERENCES customers (id),
  order_id       TEXT REFERENCES orders (id),
  status         TEXT NOT NULL CHECK (status IN ('draft', 'open', 'paid', 'void')),
  total_cents    INTEGER NOT NULL CHECK (total_cents >= 0),
  paid_cents     INTEGER NOT NULL CHECK (paid_cents >= 0),
  credited_cents INTEGER NOT NULL CHECK (credited_cents >= 0),
  refunded_cents INTEGER NOT NULL CHECK (refunded_cents BETWEEN 0 AND paid_cents),
  balance_cents  INTEGER NOT NULL CHECK (balance_cents >= 0),
  issued_on      TEXT NOT NULL,
  due_date       TEXT NOT NULL,
  paid_on        TEXT,
  CHECK (CASE status WHEN 'void' THEN balance_cents = 0 ELSE balance_cents = total_cents - paid_cents - credited_cents END),
  CHECK (CASE status WHEN 'paid' THEN balance_cents = 0 WHEN 'open' THEN balance_cents > 0 ELSE 1 END)
) STRICT, WITHOUT ROWID;

CREATE TABLE invoice_lines (
  invoice_id       TEXT NOT NULL REFERENCES invoices (id),
  line             INTEGER NOT NULL,
  product_id       TEXT REFERENCES products (id),
  description      TEXT NOT NULL,
  quantity         INTEGER NOT NULL CHECK (quantity > 0),
  unit_price_cents INTEGER NOT NULL,
  amount_cents     INTEGER NOT NULL CHECK (amount_cents = quantity * unit_price_cents),
  PRIMARY KEY (invoice_id, line)
) STRICT, WITHOUT ROWID;

CREATE TABLE payments (
  id           TEXT PRIMARY KEY,
  invoice_id   TEXT NOT NULL REFERENCES invoices (id),
  customer_id  TEXT NOT NULL REFERENCES customers (id),
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  method       TEXT NOT NULL CHECK (method IN ('bank_transfer', 'card', 'direct_debit', 'cheque')),
  status       TEXT NOT NULL CHECK (status IN ('settled', 'reversed')),
  reference    TEXT NOT NULL,
  received_on  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE refunds (
  id             TEXT PRIMARY KEY,
  invoice_id     TEXT NOT NULL REFERENCES invoices (id),
  customer_id    TEXT NOT NULL REFERENCES customers (id),
  amount_cents   INTEGER NOT NULL CHECK (amount_cents > 0),
  credited_cents INTEGER NOT NULL CHECK (credited_cents >= 0),
  paid_out_cents INTEGER NOT NULL CHECK (paid_out_cents >= 0),
  reason         TEXT NOT NULL,
  issued_by      TEXT NOT NULL,
  issued_on      TEXT NOT NULL,
  CHECK (amount_cents = credited_cents + paid_out_cents)
) STRICT, WITHOUT ROWID;

CREATE TABLE credits (
  id              TEXT PRIMARY KEY,
  customer_id     TEXT NOT NULL REFERENCES customers (id),
  amount_cents    INTEGER NOT NULL CHECK (amount_cents > 0),
  remaining_cents INTEGER NOT NULL CHECK (remaining_cents BETWEEN 0 AND amount_cents),
  reason          TEXT NOT NULL,
  status          TEXT NOT NULL CHECK (status IN ('active', 'used', 'revoked')),
  granted_on      TEXT NOT NULL,
  expires_on      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE credit_uses (
  credit_id    TEXT NOT NULL REFERENCES credits (id),
  invoice_id   TEXT NOT NULL REFERENCES invoices (id),
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  used_on      TEXT NOT NULL,
  PRIMARY KEY (credit_id, invoice_id)
) STRICT, WITHOUT ROWID;

-- What customers owe, entry by entry: the sum for a customer is the balance of its open invoices.
CREATE TABLE ledger (
  seq          INTEGER PRIMARY KEY,
  customer_id  TEXT NOT NULL REFERENCES customers (id),
  day          TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('invoice', 'payment', 'reversal', 'credit', 'credit_note', 'refund', 'void')),
  reference    TEXT NOT NULL,
  invoice_id   TEXT NOT NULL REFERENCES invoices (id),
  amount_cents INTEGER NOT NULL
) STRICT;

-- support

CREATE TABLE sla_policies (
  id                   TEXT PRIMARY KEY,
  name                 TEXT NOT NULL UNIQUE,
  first_response_hours INTEGER NOT NULL CHECK (first_response_hours > 0),
  resolution_hours     INTEGER NOT NULL CHECK (resolution_hours >= first_response_hours)
) STRICT, WITHOUT ROWID;

CREATE TABLE tickets (
  id                TEXT PRIMARY KEY,
  customer_id       TEXT NOT NULL REFERENCES customers (id),
  contact_id        TEXT REFERENCES contacts (id),
  order_id          TEXT REFERENCES orders (id),
  invoice_id        TEXT REFERENCES invoices (id),
  subject           TEXT NOT NULL,
  category          TEXT NOT NULL CHECK (category IN ('billing', 'delivery', 'returns', 'product', 'account')),
  priority          TEXT NOT NULL CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
  status            TEXT NOT NULL CHECK (status IN ('open', 'pending', 'solved', 'closed')),
  assignee_id       TEXT REFERENCES users (id),
  opened_at         TEXT NOT NULL,
  first_response_at TEXT,
  solved_at         TEXT,
  CHECK ((status IN ('solved', 'closed')) = (solved_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE ticket_messages (
  id          TEXT PRIMARY KEY,
  ticket_id   TEXT NOT NULL REFERENCES tickets (id),
  author_kind TEXT NOT NULL CHECK (author_kind IN ('customer', 'agent', 'internal')),
  author      TEXT NOT NULL,
  body        TEXT NOT NULL,
  at          TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE macros (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  category    TEXT NOT NULL CHECK (category IN ('billing', 'delivery', 'returns', 'product', 'account')),
  body        TEXT NOT NULL,
  sets_status TEXT CHECK (sets_status IN ('open', 'pending', 'solved')),
  uses        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE escalations (
  id          TEXT PRIMARY KEY,
  ticket_id   TEXT NOT NULL REFERENCES tickets (id),
  level       INTEGER NOT NULL CHECK (level BETWEEN 1 AND 3),
  reason      TEXT NOT NULL,
  status      TEXT NOT NULL CHECK (status IN ('open', 'resolved')),
  owner_id    TEXT NOT NULL REFERENCES users (id),
  raised_at   TEXT NOT NULL,
  resolved_at TEXT,
  resolution  TEXT
) STRICT, WITHOUT ROWID;

-- reporting

CREATE TABLE datasets (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  rebuilt_on  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE dataset_rows (
  dataset_id TEXT NOT NULL REFERENCES datasets (id),
  period     TEXT NOT NULL,
  metric     TEXT NOT NULL,
  value      INTEGER NOT NULL,
  PRIMARY KEY (dataset_id, period, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE reports (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  dataset_id TEXT NOT NULL REFERENCES datasets (id),
  owner_id   TEXT NOT NULL REFERENCES users (id),
  schedule   TEXT NOT NULL CHECK (schedule IN ('none', 'daily', 'weekly', 'monthly')),
  created_on TEXT NOT NULL
) STRICT, WITHOUT ROWID;

package demo

// This file turns the short blocks in which actions are declared into catalog entries, and runs them.

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"almanac/catalog"
)

// An action is the declaration of one entry. Reads use read-only connections. Everything else runs in one transaction
// that also writes the audit row, and is atomic.
type action struct {
	id, title, about string
	op               catalog.Operation
	risk             catalog.Risk // empty: low for reads, high for deletes and admin, else medium
	entities, tags   string       // words
	aliases          string       // phrases, parted by ";"
	in               string       // fields, one a line; see shape.go
	out              string       // a record of shapes.txt or a list<…> of one
	undo             string       // what takes a call back: "id; argument = value; argument = $result.id"
	do               []step       // the value of the last step that has one is the answer
	lua              string       // examples, one a line
}

// A step is one statement or check of an action. A nil value leaves the answer unchanged.
type step func(ctx context.Context, w *work) (any, error)

// work is a running call.
type work struct {
	tx   *sql.Tx
	vars map[string]any // the arguments and what steps add; bound to the parameters of their names
	out  *shape
	all  shapes
}

// entry makes the catalog entry of a.
func (o *Office) entry(all shapes, a action) (catalog.Entry, error) {
	fail := func(err error) (catalog.Entry, error) { return catalog.Entry{}, fmt.Errorf("%s: %w", a.id, err) }
	fields, err := parseFields(a.in)
	if err != nil {
		return fail(err)
	}
	in, err := all.objectSchema("", fields)
	if err != nil {
		return fail(err)
	}
	out, err := all.kindSchema(a.out)
	if err != nil {
		return fail(err)
	}
	item := a.out
	if of, ok := listOf(a.out); ok {
		item = of
	}
	risk := a.risk
	if risk == "" {
		switch a.op {
		case catalog.Read:
			risk = catalog.Low
		case catalog.Delete, catalog.Admin:
			risk = catalog.High
		default:
			risk = catalog.Medium
		}
	}
	return catalog.Entry{
		ID: a.id, Title: a.title, Description: a.about,
		Namespace: strings.Split(a.id[:strings.LastIndexByte(a.id, '.')], "."),
		Operation: a.op, Risk: risk, Mutates: a.op != catalog.Read,
		Entities: strings.Fields(a.entities), Tags: strings.Fields(a.tags), Aliases: splitTrim(a.aliases, ";"),
		Input: catalog.MustSchema(in), Output: catalog.MustSchema(out),
		Examples: splitTrim(a.lua, "\n"), Compensate: compensation(a.undo),
		Action: func(ctx context.Context, call catalog.Call) (catalog.Result, error) {
			data, err := o.run(ctx, a, fields, &work{all: all, out: all[item]}, call)
			if err != nil {
				return catalog.Result{}, fmt.Errorf("%s: %w", a.id, err)
			}
			return catalog.Result{Data: data}, nil
		},
	}, nil
}

func compensation(undo string) *catalog.Compensation {
	parts := splitTrim(undo, ";")
	if len(parts) == 0 {
		return nil
	}
	c := &catalog.Compensation{ID: parts[0], Args: map[string]any{}}
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(part, " = ")
		c.Args[name] = value
	}
	return c
}

func splitTrim(s, sep string) []string {
	var parts []string
	for _, p := range strings.Split(s, sep) {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	return parts
}

// run carries out one call of a.
func (o *Office) run(ctx context.Context, a action, fields []field, w *work, call catalog.Call) (any, error) {
	w.vars = make(map[string]any, len(call.Args)+4)
	for _, f := range fields {
		v := call.Args[f.name]
		if s, ok := v.(string); ok && f.kind == "date" {
			if _, err := time.Parse(time.DateOnly, s); err != nil {
				return nil, fmt.Errorf("argument %s: want a day like 2026-11-30, got %q", f.name, s)
			}
		}
		w.vars[f.name] = v
	}
	w.vars["caller"] = call.Context.Actor
	var data any
	err := o.within(ctx, a.op != catalog.Read, func(tx *sql.Tx) error {
		w.tx = tx
		if err := w.checkIDs(ctx, fields); err != nil {
			return err
		}
		for _, s := range a.do {
			v, err := s(ctx, w)
			if err != nil {
				return err
			}
			if v != nil {
				data = v
			}
		}
		if a.op == catalog.Read {
			return nil
		}
		return w.audit(ctx, a.id, call, data)
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, readable(err)
	}
	return data, nil
}

// within runs do in a transaction, a read-only one for reads.
func (o *Office) within(ctx context.Context, write bool, do func(*sql.Tx) error) error {
	db := o.read
	if write {
		db = o.write
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: !write})
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, rollback(tx))
	}
	return tx.Commit()
}

func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// audit records the call; the record is rolled back with the call if that fails to commit.
func (w *work) audit(ctx context.Context, id string, call catalog.Call, data any) error {
	args, err := json.Marshal(call.Args)
	if err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	var subject any
	if record, ok := data.(map[string]any); ok {
		for _, name := range []string{"id", "product_id", "customer_id"} {
			if subject = record[name]; subject != nil {
				break
			}
		}
	}
	c := call.Context
	_, err = w.tx.ExecContext(ctx, `INSERT INTO audit (at, actor, tenant, session_id, action, subject, args)
		SELECT now, ?, ?, ?, ?, ?, ? FROM books`, c.Actor, c.Tenant, c.SessionID, id, subject, string(args))
	return err
}

// readable puts SQLite's error codes into words, for errors that the actions' own checks did not catch.
func readable(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("such a record already exists: %w", err)
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("other records depend on it, or a record it names does not exist: %w", err)
	case sqlite3.SQLITE_CONSTRAINT_CHECK:
		return fmt.Errorf("a value is out of bounds: %w", err)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("another program is writing to the back office, try again: %w", err)
	}
	return err
}

// A kind is the table of the records that an id argument names.
type kind struct {
	arg, table, noun, like, find string
}

// kinds lists the id arguments. An argument whose name ends in "_" and one of these names is of the same kind, such
// as into_customer_id.
func kinds() []kind {
	return []kind{
		{"customer_id", "customers", "customer", "cus_0001", "crm.customer.search"},
		{"account_id", "accounts", "account", "acc_0001", "crm.account.search"},
		{"contact_id", "contacts", "contact", "con_00001", "crm.contact.search"},
		{"lead_id", "leads", "lead", "led_0001", "crm.lead.list"},
		{"note_id", "customer_notes", "note", "nte_0001", "crm.customer.list_notes"},
		{"invoice_id", "invoices", "invoice", "inv_00042", "billing.invoice.list"},
		{"payment_id", "payments", "payment", "pay_00001", "billing.payment.list"},
		{"refund_id", "refunds", "refund", "rfd_0001", "billing.refund.list"},
		{"credit_id", "credits", "credit", "crd_0001", "billing.credit.list"},
		{"ticket_id", "tickets", "ticket", "tkt_00001", "support.ticket.search"},
		{"macro_id", "macros", "macro", "mac_01", "support.macro.list"},
		{"escalation_id", "escalations", "escalation", "esc_0001", "support.escalation.list"},
		{"sla_policy_id", "sla_policies", "policy", "sla_01", "support.sla.list_policies"},
		{"product_id", "products", "product", "prd_001", "commerce.product.search"},
		{"warehouse_id", "warehouses", "warehouse", "whs_01", "commerce.warehouse.list"},
		{"order_id", "orders", "order", "ord_00001", "commerce.order.list"},
		{"shipment_id", "shipments", "shipment", "shp_00001", "commerce.shipment.list"},
		{"user_id", "users", "user", "usr_001", "identity.user.list"},
		{"owner_id", "users", "user", "usr_001", "identity.user.list"},
		{"assignee_id", "users", "user", "usr_001", "identity.user.list"},
		{"role_id", "roles", "role", "rol_01", "identity.role.list"},
		{"dataset_id", "datasets", "dataset", "dst_01", "reporting.dataset.list"},
		{"report_id", "reports", "report", "rpt_001", "reporting.report.list"},
	}
}

func kindOf(arg string) (kind, bool) {
	for _, k := range kinds() {
		if arg == k.arg || strings.HasSuffix(arg, "_"+k.arg) {
			return k, true
		}
	}
	return kind{}, false
}

// checkIDs makes sure that the records named by the arguments exist.
func (w *work) checkIDs(ctx context.Context, fields []field) error {
	for _, f := range fields {
		id, ok := w.vars[f.name].(string)
		if !ok {
			continue
		}
		if err := w.exists(ctx, f.name, id); err != nil {
			return err
		}
	}
	return nil
}

// exists returns nil if the record exists, or arg does not name a kind of record.
func (w *work) exists(ctx context.Context, arg, id string) error {
	k, ok := kindOf(arg)
	if !ok {
		return nil
	}
	var one int
	err := w.tx.QueryRowContext(ctx, `SELECT 1 FROM `+k.table+` WHERE id = ?`, id).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("no %s %s (ids look like %s; find them with %s)", k.noun, id, k.like, k.find)
	}
	return err
}

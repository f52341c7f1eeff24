package demo

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"almanac/catalog"
)

// pristine makes one back office for all tests and gives its bytes.
var pristine = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "office")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "office.db")
	o, err := Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := o.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// newOffice opens a back office of the test's own.
func newOffice(t testing.TB) *Office {
	t.Helper()
	data, err := pristine()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "office.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// call runs an action the way the session does: arguments are checked first, the answer is checked after.
func call(t testing.TB, o *Office, id string, args map[string]any) (any, error) {
	t.Helper()
	e := entryOf(t, o, id)
	checked, err := e.Input.Check(args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	r, err := e.Action(t.Context(), catalog.Call{ID: id, Args: checked,
		Context: catalog.Context{Actor: "ada", Tenant: "northgate", SessionID: "s1"}})
	if err == nil {
		checkAnswer(t, e, r.Data)
	}
	return r.Data, err
}

func mustCall(t testing.TB, o *Office, id string, args map[string]any) any {
	t.Helper()
	data, err := call(t, o, id, args)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func entryOf(t testing.TB, o *Office, id string) catalog.Entry {
	t.Helper()
	for _, e := range o.Entries() {
		if e.ID == id {
			return e
		}
	}
	t.Fatalf("no action %s", id)
	return catalog.Entry{}
}

// dump is every row of every table, as text.
func dump(t testing.TB, o *Office) string {
	t.Helper()
	var b strings.Builder
	all := tables(t, o)
	for _, table := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s\n%s\n", table, all[table])
	}
	return b.String()
}

func query(t testing.TB, o *Office, text string, args ...any) [][]any {
	t.Helper()
	rows, err := o.read.QueryContext(t.Context(), text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out [][]any
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		out = append(out, values)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func column(t testing.TB, o *Office, text string, args ...any) []string {
	t.Helper()
	var out []string
	for _, r := range query(t, o, text, args...) {
		out = append(out, fmt.Sprint(r[0]))
	}
	return out
}

func number(t testing.TB, o *Office, text string, args ...any) int64 {
	t.Helper()
	var n sql.NullInt64
	if err := o.read.QueryRowContext(t.Context(), text, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n.Int64
}

// books says, row by row, where the records do not hang together. It must find nothing, ever.
const books = `
	SELECT 'lines of ' || id FROM invoices i WHERE total_cents <> (SELECT coalesce(sum(amount_cents), 0)
	FROM invoice_lines l WHERE l.invoice_id = i.id) UNION ALL SELECT 'payments of ' || id FROM invoices i
		WHERE paid_cents <> (SELECT coalesce(sum(amount_cents), 0) FROM payments p
		WHERE p.invoice_id = i.id AND p.status = 'settled')
	UNION ALL SELECT 'credits of ' || id FROM invoices i WHERE credited_cents <> (SELECT coalesce(sum(amount_cents), 0)
	FROM credit_uses u WHERE u.invoice_id = i.id)
		+ (SELECT coalesce(sum(credited_cents), 0) FROM refunds r WHERE r.invoice_id = i.id)
	UNION ALL SELECT 'refunds of ' || id FROM invoices i WHERE refunded_cents <> (SELECT coalesce(sum(paid_out_cents), 0)
	FROM refunds r WHERE r.invoice_id = i.id)
	UNION ALL SELECT 'refunds over payments of ' || id FROM invoices WHERE refunded_cents > paid_cents
	UNION ALL SELECT 'paid ' || id FROM invoices WHERE status = 'paid'
	AND (paid_cents + credited_cents <> total_cents OR paid_on IS NULL)
	UNION ALL SELECT 'dates of ' || id FROM invoices WHERE due_date < issued_on OR paid_on < issued_on
	UNION ALL SELECT 'customer of ' || p.id FROM payments p JOIN invoices i ON i.id = p.invoice_id
	WHERE p.customer_id <> i.customer_id
	UNION ALL SELECT 'customer of ' || i.id FROM invoices i JOIN orders o ON o.id = i.order_id
	WHERE o.customer_id <> i.customer_id
	UNION ALL SELECT 'order billed by ' || i.id FROM invoices i JOIN orders o ON o.id = i.order_id
	WHERE i.total_cents <> o.total_cents
	UNION ALL SELECT 'ledger of ' || id FROM customers c WHERE (SELECT coalesce(sum(amount_cents), 0) FROM ledger l
	WHERE l.customer_id = c.id)
		<> (SELECT coalesce(sum(balance_cents), 0) FROM invoices i WHERE i.customer_id = c.id AND i.status = 'open')
	UNION ALL SELECT 'uses of ' || id FROM credits c WHERE status <> 'revoked'
		AND amount_cents - remaining_cents <> (SELECT coalesce(sum(amount_cents), 0) FROM credit_uses u
		WHERE u.credit_id = c.id)
	UNION ALL SELECT 'lines of ' || id FROM orders o WHERE total_cents <> (SELECT coalesce(sum(amount_cents), 0)
	FROM order_lines l WHERE l.order_id = o.id)
	UNION ALL SELECT 'shipment of ' || id FROM orders o WHERE (status IN ('shipped', 'delivered',
	'returned')) <> EXISTS (SELECT 1 FROM shipments s WHERE s.order_id = o.id)
	UNION ALL SELECT 'reserved ' || product_id || ' in ' || warehouse_id
	FROM (SELECT product_id, warehouse_id, reserved FROM inventory EXCEPT
		SELECT v.product_id, v.warehouse_id, coalesce(held, 0) FROM inventory v LEFT
		JOIN (SELECT l.product_id AS p, o.warehouse_id AS w, sum(l.quantity) AS held
			FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.status = 'placed' GROUP BY 1, 2) ON p = v.product_id
			AND w = v.warehouse_id)
	UNION ALL SELECT 'times of ' || id FROM tickets, books WHERE first_response_at < opened_at OR solved_at < opened_at
	OR solved_at > now OR first_response_at > now
	UNION ALL SELECT 'ticket ' || t.id || ' of another' FROM tickets t JOIN invoices i ON i.id = t.invoice_id
	WHERE i.customer_id <> t.customer_id
	UNION ALL SELECT 'ticket ' || t.id || ' of another' FROM tickets t JOIN orders o ON o.id = t.order_id
	WHERE o.customer_id <> t.customer_id
	UNION ALL SELECT 'messages out of order in ' || ticket_id FROM ticket_messages m JOIN tickets t ON t.id = m.ticket_id
	WHERE m.at < t.opened_at
	UNION ALL SELECT 'escalation ' || e.id FROM escalations e JOIN tickets t ON t.id = e.ticket_id
	WHERE e.raised_at < t.opened_at OR e.resolved_at < e.raised_at`

func checkBooks(t testing.TB, o *Office) {
	t.Helper()
	if wrong := column(t, o, books); len(wrong) > 0 {
		t.Errorf("%d records do not hang together, such as %s", len(wrong), wrong[0])
	}
}

func TestContentsHangTogether(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	checkBooks(t, o)
	for _, c := range []struct {
		table string
		least int64
	}{
		{"customers", 500}, {"accounts", 400}, {"contacts", 900}, {"leads", 300}, {"invoices", 5000}, {"invoice_lines", 5000},
		{"payments", 4000}, {"refunds", 100}, {"credits", 100}, {"tickets", 2000}, {"ticket_messages", 4000}, {"macros", 20},
		{"escalations", 100}, {"sla_policies", 4}, {"orders", 3000}, {"order_lines", 5000}, {"products", 150},
		{"inventory", 600}, {"shipments", 2500}, {"users", 40}, {"roles", 5}, {"reports", 5}, {"dataset_rows", 100},
	} {
		if n := number(t, o, `SELECT count(*) FROM `+c.table); n < c.least {
			t.Errorf("%s: %d rows, want at least %d", c.table, n, c.least)
		}
	}
	// Every state that actions care about occurs.
	for _, c := range []struct {
		table, column string
		want          string
	}{
		{"invoices", "status", "draft open paid void"}, {"orders", "status", "cancelled delivered placed returned shipped"},
		{"tickets", "status", "closed open pending solved"}, {"leads", "status", "contacted converted lost new qualified"},
		{"credits", "status", "active used"}, {"customers", "status", "active closed suspended"},
		{"users", "status", "active inactive"},
		{"escalations", "status", "open resolved"}, {"products", "status", "active discontinued"},
	} {
		got := strings.Join(column(t, o, `SELECT DISTINCT `+c.column+` FROM `+c.table+` ORDER BY 1`), " ")
		if got != c.want {
			t.Errorf("%s.%s: %s, want %s", c.table, c.column, got, c.want)
		}
	}
}

func TestAcmeScript(t *testing.T) {
	o := newOffice(t)
	customers := mustCall(t, o, "crm.customer.search", map[string]any{"query": "Acme", "limit": int64(1)}).([]any)
	customer := customers[0].(map[string]any)
	if customer["company_name"] != "Acme Corp" {
		t.Fatalf("first hit of Acme: %v", customer["company_name"])
	}
	before := o.fingerprint(t)
	invoices := mustCall(t, o, "billing.invoice.list_unpaid",
		map[string]any{"customer_id": customer["id"], "limit": int64(10)}).([]any)
	overdue := 0
	for _, v := range invoices {
		invoice := v.(map[string]any)
		if invoice["overdue"] == true {
			overdue++
		}
		note := mustCall(t, o, "billing.refund.draft_note", map[string]any{"invoice_id": invoice["id"]}).(map[string]any)
		if note["amount_cents"] != invoice["amount_cents"] || note["issued"] != false {
			t.Errorf("note for %v: %v", invoice, note)
		}
	}
	if o.fingerprint(t) != before {
		t.Error("the script changed the books")
	}
	if len(invoices) < 6 || overdue < 2 || overdue == len(invoices) {
		t.Errorf("Acme Corp has %d unpaid invoices, %d overdue", len(invoices), overdue)
	}
}

func TestReadsCannotWrite(t *testing.T) {
	o := newOffice(t)
	if _, err := o.read.ExecContext(t.Context(), `DELETE FROM reports`); err == nil {
		t.Error("a read connection deleted rows")
	}
}

func TestCancelled(t *testing.T) {
	o := newOffice(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, id := range []string{"crm.customer.list", "reporting.dataset.rebuild"} {
		e := entryOf(t, o, id)
		_, err := e.Action(ctx,
			catalog.Call{ID: id, Args: map[string]any{"dataset_id": "dst_01", "limit": int64(1), "offset": int64(0)}})
		if err == nil || !strings.Contains(err.Error(), "context canceled") {
			t.Errorf("%s on a cancelled context: %v", id, err)
		}
	}
	if n := number(t, o, `SELECT count(*) FROM audit`); n != 0 {
		t.Errorf("%d audit rows", n)
	}
}

func TestConcurrentCalls(t *testing.T) {
	o := newOffice(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 5 {
				if _, err := call(t, o, "crm.customer.add_note",
					map[string]any{"customer_id": "cus_0001", "body": fmt.Sprint("note ", i)}); err != nil {
					t.Error(err)
				}
				if _, err := call(t, o, "crm.customer.overview", map[string]any{"customer_id": "cus_0001"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := number(t, o, `SELECT count(*) FROM audit WHERE action = 'crm.customer.add_note'`); n != 40 {
		t.Errorf("%d audit rows, want 40", n)
	}
}

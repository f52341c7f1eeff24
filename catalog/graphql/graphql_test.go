package graphql

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"almanac/catalog"
	"almanac/catalog/web"
	"almanac/internal/golden"
)

type table = map[string]any

// TestEntries shows what becomes of each field, the same from the server's answer and from a file of the schema.
func TestEntries(t *testing.T) {
	told := entriesOf(t, open(t, "", nil))
	if filed := entriesOf(t, open(t, "testdata/shop.graphql", nil)); filed != told {
		t.Errorf("from the file:\n%s\nfrom the server:\n%s", filed, told)
	}
	golden.Equal(t, "testdata/shop.golden", told)
}

func entriesOf(t *testing.T, k *talk) string {
	t.Helper()
	all, report := catalog.New(k.batch.Entries, catalog.Options{})
	if len(report.Skipped) > 0 || k.batch.Found != len(k.batch.Entries)+len(k.batch.Skipped) {
		t.Fatalf("skipped %v, found %d, %d entries", report.Skipped, k.batch.Found, len(k.batch.Entries))
	}
	var b strings.Builder
	for _, e := range k.batch.Entries {
		fmt.Fprintf(&b, "%s\n  %s, mutates %v, risk %s, entities %v, paged %v\n  %s\n  takes %s\n  gives %s\n", all.View().Line(e.ID),
			e.Operation, e.Mutates, e.Risk, e.Entities, e.Paged, strings.ReplaceAll(e.Target, k.server.URL, "SERVER"),
			e.Input.JSON(), e.Output.JSON())
	}
	for _, s := range k.batch.Renamed {
		fmt.Fprintf(&b, "renamed %s: %s\n", s.ID, s.Reason)
	}
	return b.String()
}

// TestCalls calls fields of a real server.
func TestCalls(t *testing.T) {
	k := open(t, "", map[string]string{"ALMANAC_SHOP_TOKEN": "t0ken-of-the-shop"})
	for _, test := range []struct {
		id   string
		args table
		want string // the result as JSON, or the error
	}{
		{"shop.order", table{"id": "o1"}, `{"customer":{"id":"c1","name":"Ada"},"id":"o1","status":"OPEN","total":250}`},
		{"shop.order", table{"id": "o99"}, `null`},
		{"shop.order", table{"id": "o1", "fields": "id lines(first: 1){sku count}"},
			`{"id":"o1","lines":[{"count":1,"sku":"tea"}]}`},
		{"shop.order", table{"id": "o1", "fields": "{ number: id }"}, `{"number":"o1"}`},
		{"shop.order", table{"id": "o1", "fields": "id nope"}, `argument fields: Cannot query field "nope" on type "Order".`},
		{"shop.order", table{"id": "o1", "fields": "customer"},
			`argument fields: Field "customer" of type "Customer!" must have a selection of subfields. Did you mean "customer { ... }"?`},
		{"shop.order", table{"id": "o1", "fields": "id lines(first: $n){sku}"},
			`argument fields: Variable "$n" is not defined.`},
		{"shop.order", table{"id": "o1", "fields": "id } mutation { cancelOrder(id: 1) { id }"},
			`argument fields: want one selection of fields, without braces of another`},
		{"shop.order", table{"id": "o1", "fields": "id broken(really: true)"},
			`this field is broken (order.broken); fields without what failed gives the rest`},
		{"shop.orders", table{}, `{"nodes":[{"customer":{"id":"c1","name":"Ada"},"id":"o1","status":"OPEN","total":250},` +
			`{"customer":{"id":"c1","name":"Ada"},"id":"o2","status":"PAID","total":500}],"totalCount":4}` + ` next {"after":"2"}`},
		{"shop.orders", table{"after": "2", "first": 9, "fields": "nodes{id}"}, `{"nodes":[{"id":"o3"},{"id":"o4"}]}`},
		{"shop.orders", table{"status": "LOST"}, `argument status: want one of "OPEN", "PAID", null, got string "LOST"`},
		{"shop.search", table{"text": "a"}, `[{"__typename":"Order","id":"o1","status":"OPEN"},` +
			`{"__typename":"Customer","id":"c1","name":"Ada"}]`},
		{"shop.node", table{"id": "o2", "fields": "id ... on Order{status}"}, `{"id":"o2","status":"PAID"}`},
		{"shop.version", table{}, `"1"`},
		{"shop.place_order", table{"input": table{"customer": "c1", "lines": []any{table{"sku": "tea", "count": 3}}}},
			`{"errors":[],"order":{"customer":{"id":"c1","name":"Ada"},"id":"o5","status":"OPEN","total":750}}`},
		{"shop.place_order", table{"input": table{"customer": "c1", "lines": []any{}}, "select_fields": "errors{message}"},
			`{"errors":[{"message":"an order needs lines"}]}`},
		{"shop.place_order", table{"input": table{"lines": []any{}}},
			`argument input.customer: want string or integer, got nothing`},
		{"shop.place_order", table{"input": table{"customer": "c1", "lines": []any{table{"sku": "tea", "count": 1}}},
			"select_fields": "order{id broken(really: true)}"},
			"the mutation was made, but a part of its answer failed: this field is broken (placeOrder.order.broken); do not repeat it"},
		{"shop.cancel_order", table{"id": "o1"}, "too late (cancelOrder)"},
		{"shop.types", table{"name": "[Line!]!"}, `"type Line {\n\tsku: String!\n\tcount: Int!\n}"`},
		{"shop.types", table{"name": "Ordr"}, `type "Ordr": there is none: did you mean Order?`},
	} {
		got, err := k.call(test.id, test.args)
		raw, _ := json.Marshal(got.Data)
		is := string(raw)
		if got.Next != nil {
			next, _ := json.Marshal(got.Next)
			is += " next " + string(next)
		}
		if err != nil {
			is = err.Error()
		}
		if is != test.want {
			t.Errorf("%s %v:\n got %s\nwant %s", test.id, test.args, is, test.want)
		}
	}
	for _, body := range k.asked {
		if !strings.HasPrefix(body, "Bearer t0ken-of-the-shop ") {
			t.Errorf("sent without the token: %s", body)
		}
	}
	if got := k.api.Secrets(); len(got) != 1 {
		t.Errorf("secrets %q", got)
	}
}

// TestBroken shows what is said of schemas that cannot be used, and of servers that do not tell theirs.
func TestBroken(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"a.graphql", "type Lost { a: Int }", "the schema has no type for its queries"},
		{"a.graphql", "type Query {", "the schema: a.graphql:1:13: Expected Name, found <EOF>"},
		{"a.json", "[1]", `the schema: want the answer to an introspection query as JSON, got "[1]"`},
		{"a.json", `{"errors":[{"message":"introspection is disabled"}]}`,
			"the schema: introspection is disabled: if the server does not tell it, give a file with --catalog graphql:FILE and --base"},
		{"a.json", `{"data":{"__schema":{"queryType":{"name":"Lost"},"types":[]}}}`, "the schema has no type for its queries"},
	} {
		file := filepath.Join(t.TempDir(), test.file)
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := newAPI(web.Site{From: file}).load(t.Context(), nil)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.text, err, test.want)
		}
	}
}

// TestMended reads a schema that breaks the rules in ways that real ones do: the rest can be used.
func TestMended(t *testing.T) {
	file := filepath.Join(t.TempDir(), "odd.graphql")
	if err := os.WriteFile(file, []byte(`
type Query implements Lost { a: Int a: String b: Lost c(x: Lost): Int d(x: Lost!): Int e(x: In): U @odd f: In }
input In { a: Query b: Int }
union U = Query | Lost | Query
enum E { A A }
type Query { z: Int }
extend type Query { g: E }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	batch, err := newAPI(web.Site{From: file, Name: "odd"}).load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range batch.Entries {
		got = append(got, e.ID)
	}
	for _, s := range batch.Mended {
		got = append(got, s.Reason)
	}
	want := `odd.a
odd.c
odd.e
odd.g
odd.types
left out In.a: Query is no type of arguments
left out Query.a: defined twice
left out Query.b: there is no type Lost
left out Query.c(x): there is no type Lost
left out Query.d(x): there is no type Lost
left out Query.f: In is a type of arguments
left out Query: there is no interface Lost
left out U: there is no object Lost
left out type Query: defined twice`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// FuzzFields holds that whatever a caller writes as fields, what is sent is one query of the one field.
func FuzzFields(f *testing.F) {
	for _, s := range []string{"id", "{id}", "id } } mutation { x", "... on Order{id}", "id # }\n",
		`a: id @skip(if: true)`, "\"\"\"", "...F"} {
		f.Add(s)
	}
	text, err := os.ReadFile("testdata/shop.graphql")
	if err != nil {
		f.Fatal(err)
	}
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: string(text)})
	c := &caller{schema: schema, operation: ast.Query, field: schema.Query.Fields.ForName("order"), standard: "id",
		argument: "fields"}
	f.Fuzz(func(t *testing.T, fields string) {
		set, err := c.selection(fields)
		if err != nil {
			return
		}
		sent := written(c.document(set, table{"id": "1"}))
		doc, errs := gqlparser.LoadQueryWithRules(schema, sent, nil)
		if len(errs) > 0 {
			t.Fatalf("%q is sent as %s: %v", fields, sent, errs)
		}
		if len(doc.Operations) != 1 || doc.Operations[0].Operation != ast.Query || len(doc.Fragments) > 0 ||
			len(doc.Operations[0].SelectionSet) != 1 {
			t.Fatalf("%q is sent as %s", fields, sent)
		}
		if root, ok := doc.Operations[0].SelectionSet[0].(*ast.Field); !ok || root.Name != "order" {
			t.Fatalf("%q is sent as %s", fields, sent)
		}
	})
}

// TestAccess: what the configuration says of requests goes with each, the one for the schema too, in place of the
// source's own credential.
func TestAccess(t *testing.T) {
	var heard []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard = append(heard, r.RequestURI+" "+r.Header.Get("Authorization")+" "+r.Header.Get("X-Tenant"))
		http.Error(w, "{}", http.StatusForbidden)
	}))
	defer server.Close()
	environment := map[string]string{"MINE": "hunter2", "ALMANAC_SHOP_TOKEN": "other"}
	a := newAPI(web.Site{From: server.URL, Source: "shop", Name: "shop",
		Vault: web.NewVault(func(name string) string { return environment[name] }, nil),
		Access: web.Access{Auth: []web.Auth{{Kind: web.Bearer, Names: []string{"MINE"}}},
			Header: map[string]string{"X-Tenant": "a"}, Query: map[string]string{"v": "1"}}})
	defer a.Close()
	_, err := a.load(t.Context(), nil)
	if got, want := fmt.Sprint(heard), "[/?v=1 Bearer hunter2 a]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err == nil || !strings.Contains(err.Error(), "check the credential: MINE") {
		t.Errorf("error %v", err)
	}
}

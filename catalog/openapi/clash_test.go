package openapi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/catalog/web"
)

// An object whose names stand beside the parameters cannot speak for another of them, nor for a credential.
func TestForeignNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "open.yaml")
	const document = `openapi: 3.0.3
info: {title: open, version: "1"}
paths:
  /a:
    get:
      operationId: look
      parameters:
      - {name: tenant_id, in: query, schema: {type: string}}
      - {name: "page[size]", in: query, schema: {type: integer}}
      - {name: filter, in: query, schema: {type: object, additionalProperties: {type: string}}}
      - {name: page, in: query, style: deepObject, explode: true, schema: {type: object, additionalProperties: {type: string}}}
      - {name: marks, in: cookie, explode: true, schema: {type: object, additionalProperties: {type: string}}}
      - {name: sid, in: cookie, schema: {type: string}}
  /b:
    post:
      operationId: send
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {tenant_id: {type: string}, more: {type: object, additionalProperties: {type: string}}}}
            encoding: {more: {style: form, explode: true}}
components:
  securitySchemes:
    key: {type: apiKey, in: query, name: api_key}
    sess: {type: apiKey, in: cookie, name: auth}
security: [{key: []}]
`
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	k := listen(t, file, options{Site: web.Site{Name: "open"}}, answer(`[]`))
	for _, test := range []struct {
		id, arg string
		args    table
	}{
		{"open.a.look", "filter", table{"filter": table{"tenant_id": "evil"}}},
		{"open.a.look", "filter", table{"tenant_id": "mine", "filter": table{"Tenant_ID": "evil"}}},
		{"open.a.look", "filter", table{"filter": table{"tenant_id[]": "evil"}}},
		{"open.a.look", "filter", table{"filter": table{"tenant.id": "evil"}}},
		{"open.a.look", "filter", table{"filter": table{" tenant_id": "evil"}}},
		{"open.a.look", "filter", table{"filter": table{"api_key": "mine"}}},
		{"open.a.look", "filter", table{"filter": table{"page[size]": "9"}}},
		{"open.a.look", "page", table{"page": table{"size": "9"}}},
		{"open.a.look", "marks", table{"marks": table{"sid": "9"}}},
		{"open.a.look", "marks", table{"marks": table{"auth": "9"}}},
		{"open.b.send", "more", table{"more": table{"tenant_id": "evil"}}},
	} {
		_, err := k.call(test.id, test.args)
		if err == nil || !strings.HasPrefix(err.Error(), "argument "+test.arg+": must not contain") {
			t.Errorf("%s %v: got %v", test.id, test.args, err)
		}
	}
	if len(k.asked) > 0 {
		t.Errorf("sent %q", k.asked)
	}
	for _, args := range []table{{"filter": table{"color": "red", "filter": "x"}}, {"page": table{"number": "2"}},
		{"marks": table{"a": "b"}, "sid": "s"}} {
		if _, err := k.call("open.a.look", args); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	if _, err := k.call("open.b.send", table{"tenant_id": "mine", "more": table{"color": "red"}}); err != nil {
		t.Error(err)
	}
	want := "GET /v1/a?color=red&filter=x,GET /v1/a?page%5Bnumber%5D=2,GET /v1/a,POST /v1/b color=red&tenant_id=mine"
	if got := strings.Join(k.asked, ","); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

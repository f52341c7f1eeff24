package catalog

import (
	"regexp"
	"strings"
	"testing"
)

func TestTool(t *testing.T) {
	valid := regexp.MustCompile(`^[a-z0-9_]{1,64}$`)
	long := strings.Repeat("very_long_", 10)
	taken := map[string]bool{}
	for i, id := range []string{
		"crm.customer.get", "crm.customer_get", "crm_customer.get", "crm-customer.get", "crm.customerGet", "a", "A",
		"größe.mm", "gr__e.mm", long + "a", long + "b", long + ".a",
	} {
		name := (&Entry{ID: id}).Tool(taken).Name
		if !valid.MatchString(name) || len(taken) != i+1 {
			t.Errorf("%s: %q, %d names", id, name, len(taken))
		}
	}
	for _, test := range []struct {
		e                     Entry
		name, about           string
		readOnly, destructive bool
	}{
		{Entry{ID: "crm.customer.get", Description: " Get one.\n"}, "crm_customer_get", "Get one.", true, false},
		{Entry{ID: "shop.getHTTPItem2", Title: "An item"}, "shop_get_httpitem2", "An item", true, false},
		{Entry{ID: "a-b", Description: "Sets.", Mutates: true}, "a_b", "Sets. (changes data, medium risk)", false, false},
		{Entry{ID: "a.b", Mutates: true, Operation: Delete}, "a_b", " (changes data, medium risk)", false, true},
	} {
		got := test.e.Tool(nil)
		if got.ID != test.e.ID || got.Name != test.name || got.Description != test.about || got.ReadOnly != test.readOnly ||
			got.Destructive != test.destructive || string(got.Input) != string((*Schema)(nil).JSON()) || got.Output != nil {
			t.Errorf("%+v", got)
		}
	}
	c, _ := New([]Entry{{ID: "a.b", Strict: true, Input: MustSchema(`{"properties":{"o":{"type":"object"}}}`)}}, Options{})
	e, _ := c.View().Lookup("a.b")
	want := `{"properties":{"o":{"type":"object","additionalProperties":false}},"additionalProperties":false}`
	if got := string(e.Tool(nil).Input); got != want {
		t.Errorf("strict: %s", got)
	}
}

func FuzzTool(f *testing.F) {
	f.Add("crm.customer.get")
	f.Add("größe.-.x")
	valid := regexp.MustCompile(`^[a-z0-9_]{1,64}$`)
	f.Fuzz(func(t *testing.T, id string) {
		if CheckID(id) == nil && !valid.MatchString((&Entry{ID: id}).Tool(nil).Name) {
			t.Errorf("%q: %q", id, (&Entry{ID: id}).Tool(nil).Name)
		}
	})
}

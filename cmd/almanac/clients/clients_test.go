package clients

import (
	"reflect"
	"strings"
	"testing"
)

// Whatever a file holds, a server is added to it and taken out again, and nothing else changes; where the edit cannot
// be made the file stays as it is.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{
		"", "{}", "{\n}", `{"mcpServers":{}}`, `{"mcpServers":{"a":{"command":"x"}},"b":[1,2]}`,
		"{\n\t// c\n\t\"mcpServers\": {\n\t\t\"a\": {\"url\": \"u\"}, // d\n\t},\n}\n", `{"mcpServers": {"a": {} /* e */, "b": {}}}`,
	} {
		f.Add(0, text)
	}
	for _, text := range []string{
		"", "x = 1", "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a.env]\nK = '''\n[mcp_servers.b]\n'''\n# c\n[d]\n",
		"mcp_servers = {a = {url = \"u\"}}",
		"[mcp_servers]\na = {url = \"u\"}\n", "[[e]]\nx = 1\n[mcp_servers.\"a b\"]\nurl = \"u\"",
	} {
		f.Add(3, text)
	}
	f.Fuzz(func(t *testing.T, which int, text string) {
		all := All()
		c := all[max(which, -which-1)%len(all)]
		was, err := c.Parse(text)
		if err != nil {
			return
		}
		for _, name := range was.Names() {
			less, taken, err := was.Without(name)
			if err != nil {
				continue
			}
			back, err := less.Again(name, taken)
			if err != nil {
				t.Fatalf("%q is taken out of %q and does not go back: %v", taken, text, err)
			}
			if !reflect.DeepEqual(back.servers, was.servers) || !reflect.DeepEqual(back.rest, was.rest) {
				t.Fatalf("%q became %q", text, back.Text)
			}
		}
		more, err := was.With("almanac", Server{Command: "almanac", Args: []string{"serve"}})
		if err != nil {
			return
		}
		if len(more.servers) != len(was.servers)+1 {
			t.Fatalf("%q became %q", text, more.Text)
		}
		less, _, err := more.Without("almanac")
		if err != nil || !reflect.DeepEqual(less.servers, was.servers) || !reflect.DeepEqual(less.rest, was.rest) {
			t.Fatalf("%q became %q, then %q: %v", text, more.Text, less.Text, err)
		}
		if c.table != "mcp_servers" && !strings.Contains(text, ",") && strings.Contains(more.Text, ",\n  }\n") {
			t.Fatalf("a comma that others cannot read: %q", more.Text)
		}
	})
}

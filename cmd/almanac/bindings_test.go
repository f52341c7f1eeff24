package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"

	"almanac/ui"
)

func TestCheckKey(t *testing.T) {
	for _, c := range []struct{ key, want string }{
		{"ctrl+r", ""},
		{"f12", ""},
		{"ctrl+alt+shift+up", ""},
		{"ctrl+x ctrl+e", ""},
		{"ctrl+x e", ""},
		{"esc esc", ""},
		{"alt+enter", ""},
		{"alt+<", ""},
		{"crtl+r", "not a key: did you mean ctrl+r?"},
		{"Ctrl+R", "not a key: did you mean ctrl+r?"},
		{"C-r", "not a key: did you mean ctrl+r?"},
		{"<C-x>", "not a key: did you mean ctrl+x?"},
		{"Meta-Return", "not a key: did you mean alt+enter?"},
		{"shift+ctrl+a", "not a key: did you mean ctrl+shift+a?"},
		{"f13", "not a key: want one like ctrl+r, alt+enter, f4, or two: ctrl+x ctrl+e"},
		{"", "not a key: want one like ctrl+r, alt+enter, f4, or two: ctrl+x ctrl+e"},
		{"ctrl+i", "terminals cannot tell it from tab"},
		{"a", "add ctrl or alt, or it could no longer be typed"},
		{"space", "add ctrl or alt, or it could no longer be typed"},
		{"f2 f3", "the first key of a pair needs ctrl or alt"},
		{"ctrl+x ctrl+y ctrl+z", "want one key, or two separated by a space"},
	} {
		if got := checkKey(c.key); got != c.want {
			t.Errorf("%q: %q, want %q", c.key, got, c.want)
		}
	}
}

// Each key of the table is one that can be configured, and none has two actions.
func TestBindingsTable(t *testing.T) {
	keys := map[string][]string{}
	for _, b := range ui.Bindings() {
		keys[b.Action] = bindingKeys(b)
	}
	if err := checkBindings(keys, nil); err != nil {
		t.Error(err)
	}
}

// The template with its comment signs taken off says what is so anyway.
func TestBindingsTemplate(t *testing.T) {
	var got struct{ Keys map[string][]string }
	text := strings.Replace(bindingsTemplate(), "# Keys of", "## Keys of", 1)
	if _, err := toml.Decode(strings.ReplaceAll(text, "\n# ", "\n"), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for _, b := range ui.Bindings() {
		want[b.Action] = append([]string{}, bindingKeys(b)...)
	}
	if diff := cmp.Diff(want, got.Keys); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The table of docs/configuration.md is that of the program.
func TestBindingsDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range ui.Bindings() {
		keys := "`" + strings.Join(bindingKeys(b), "` `") + "`"
		if keys == "``" {
			keys = ""
		}
		row := fmt.Sprintf("| `%s` | %s | %s |", b.Action, keys, b.Does)
		if row = strings.ReplaceAll(row, "|  |", "| |"); !strings.Contains(string(text), row+"\n") {
			t.Errorf("docs/configuration.md lacks\n%s", row)
		}
	}
}

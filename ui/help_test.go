package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"almanac/repl"
)

func TestHelpAsksTheModel(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("?hi there", "enter")
	if s.work == nil || s.work.line != "?hi there" || s.help != nil {
		t.Errorf("got %s", s.state())
	}
	s = newScreen(t, 80, 24)
	s.keys("f1", "hi", "enter")
	if s.work != nil || s.help != nil {
		t.Errorf("F1: got %s", s.state())
	}
}

// Behind "?" stands a filter of help or a question: what is typed or pasted is edited as in the input, and becomes its
// text once it can be no filter.
func TestHelpLine(t *testing.T) {
	long := "how many invoices of the customer are overdue for more than thirty days, and why is that"
	for _, c := range []struct {
		name  string
		keys  []string
		paste string
		help  bool
		want  string // the words of the page, or the input
	}{
		{"a filter", []string{"?hist"}, "", true, "hist"},
		{"a slip", []string{"?histt", "left", "ctrl+d"}, "", false, "?hist"},
		{"cursor keys", []string{"?story", "home"}, "hi", true, "history"},
		{"a word is cut", []string{"?search histo", "ctrl+w"}, "", true, "search "},
		{"no help has it", []string{"?zebra"}, "", false, "?zebra"},
		{"no help has it, and the cursor stays", []string{"?hist", "left"}, "qq", false, "?hisqqt"},
		{"a paste", []string{"?"}, "hist\n", true, "hist"},
		{"a paste of a question", []string{"?"}, long, false, "?" + long},
		{"a paste of lines", []string{"?say "}, "a\nb", false, "?say a\nb"},
		{"F1 takes no question", []string{"f1"}, "zebra", true, "zebra"},
	} {
		s := newScreen(t, 80, 24)
		for _, k := range c.keys {
			s.keys(k)
		}
		if c.paste != "" {
			s.send(tea.PasteMsg{Content: c.paste})
		}
		got := s.edit.text
		if s.help != nil {
			got = s.help.edit.text
			if !strings.Contains(s.View().Content, "Help · "+got) || s.View().Cursor == nil {
				t.Errorf("%s: the page does not show its words", c.name)
			}
		}
		if (s.help != nil) != c.help || got != c.want {
			t.Errorf("%s: help is open: %v, text %q, want %v, %q", c.name, s.help != nil, got, c.help, c.want)
		}
	}
}

// What is bound elsewhere is what the help shows.
func TestHelpShowsBindings(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.model.keys = newBindings(map[string][]string{"history_search": {"alt+r"}, "verbose": {}})
	text := strings.Join(s.helpLines(""), "\n")
	if !strings.Contains(text, "Alt+R") || strings.Contains(text, "Ctrl+R") || strings.Contains(text, "Ctrl+O") {
		t.Errorf("got\n%s", text)
	}
}

// Help and hints name the keys that are bound, also where the shell itself speaks of them.
func TestHelpNamesBoundKeys(t *testing.T) {
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	sh := repl.New(repl.Options{Session: s})
	m := newModel(t.Context(), sh, Options{NoColor: true, Keys: map[string][]string{"catalog": {"ctrl+t"}, "preview": {}}})
	m.width, m.height = 80, 24
	help := strings.Join(m.helpLines("browse"), "\n") + strings.Join(m.helpLines("preview"),
		"\n") + strings.Join(m.helpLines(""), "\n")
	if !containsAll(help, "browse (Ctrl+T)", "Ctrl+T F2 F3") ||
		strings.Contains(help, "F4") || strings.Contains(help, "F5") {
		t.Errorf("help:\n%s", help)
	}
	m = newModel(t.Context(), sh, Options{NoColor: true})
	m.width, m.height = 80, 24
	if help := strings.Join(m.helpLines(""), "\n"); strings.Contains(help, "…") || strings.Count(help, "\n") > 21 {
		t.Errorf("help does not fit:\n%s", help)
	}
	m = newModel(t.Context(), sh, Options{NoColor: true, Keys: map[string][]string{"preview": {}}})
	preview := &previewPane{m: m}
	if rows := preview.rows(80, 5); !strings.Contains(rows[0], "then /preview") {
		t.Errorf("hint: %q", rows)
	}
}

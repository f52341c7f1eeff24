package ui

import (
	"fmt"
	"image/color"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"almanac/internal/golden"
	"almanac/repl/event"
	"almanac/session/trace"
	"almanac/session/vm"
)

// All themes have the same roles, every look of theirs can be read, and two alone need more than sixteen colours.
func TestPalettes(t *testing.T) {
	for _, p := range palettes {
		th, err := NewTheme(p.name, p.looks)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		if looks := th.palette().looks; len(looks) != len(RoleNames()) {
			t.Errorf("%s has %d roles, want %d", p.name, len(looks), len(RoleNames()))
		}
		if th.rich() != (p.name == darkTheme || p.name == lightTheme) {
			t.Errorf("%s: rich %v", p.name, th.rich())
		}
	}
}

func TestReadLook(t *testing.T) {
	for _, c := range []struct{ role, text, want string }{
		{"prompt", "bold cyan", ""},
		{"dim", "#808080", ""},
		{"dim", "plain", ""},
		{"error", "Bright-Red underline", ""},
		{"promt", "red", "unknown role: did you mean prompt?"},
		{"colour", "red", "unknown role: use one of dim, emphasis"},
		{"dim", "gren", `"gren": unknown colour or weight: did you mean green?`},
		{"dim", "bald red", `"bald": unknown colour or weight: did you mean bold?`},
		{"dim", "red blue", `"blue": a second colour`},
		{"dim", "#12345", `"#12345": want a colour like #ff8700`},
		{"dim", "", "want a colour, weights or both"},
		{"dim", "plain red", `"plain": unknown colour or weight`},
	} {
		err := CheckLook(c.role, c.text)
		if got := fmt.Sprint(err); (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(got, c.want) {
			t.Errorf("%s = %q: %v, want %q", c.role, c.text, err, c.want)
		}
	}
	if _, err := NewTheme("drak", nil); err == nil || !strings.Contains(err.Error(), "did you mean dark?") {
		t.Errorf("drak: %v", err)
	}
}

func FuzzReadLook(f *testing.F) {
	for _, s := range []string{"bold cyan", "#ff8700", "plain", "# bold", "bright-red reverse"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := readLook(text)
		if err != nil {
			return
		}
		// Whatever is accepted styles text and adds none.
		if got := ansi.Strip(l.style(colorprofile.TrueColor).Render("x")); got != "x" {
			t.Errorf("%q renders %q", text, got)
		}
	})
}

// colorful is a screen with colours, as a terminal with those of p shows it.
func colorful(t *testing.T, th Theme, p colorprofile.Profile, width, height int) *screen {
	t.Helper()
	s := newScreen(t, width, height)
	s.theme = newTheme(true, false)
	s.colors = func() colorprofile.Profile { return p }
	s.wear(th)
	return s
}

// The default theme in escape sequences: weights alone until the terminal has told its background, then colours.
func TestGoldenColors(t *testing.T) {
	s := colorful(t, Theme{}, colorprofile.TrueColor, 80, 24)
	paintAll(s)
	got := strings.ReplaceAll(s.picture(), "\x1b", "␛")
	golden.Equal(t, "testdata/colors_80x24.golden", got)
	if color := regexp.MustCompile(`␛\[[0-9;]*[349][0-9]`).FindString(got); color != "" {
		t.Errorf("a colour: %s", color)
	}
	s = colorful(t, Theme{}, colorprofile.TrueColor, 80, 24)
	s.send(tea.BackgroundColorMsg{Color: color.White})
	paintAll(s)
	golden.Equal(t, "testdata/colors_light_80x24.golden", strings.ReplaceAll(s.picture(), "\x1b", "␛"))
}

func paintAll(s *screen) {
	s.emit(
		event.Event{Kind: event.Began, Cell: 7, Text: `for i, v in ipairs(open) do print("n", 12.5) end -- note`},
		event.Event{
			Kind: event.Called, Cell: 7,
			Call: &trace.Call{N: 1, ID: "billing.refund.issue", Verdict: trace.OK, Mutates: true, Brief: "1 row"},
		},
		event.Event{
			Kind: event.Called, Cell: 7,
			Call: &trace.Call{N: 2, ID: "crm.customer.get", Verdict: trace.Rejected, Error: "id: missing"},
		},
		event.Event{Kind: event.Printed, Cell: 7, Stream: vm.Stderr, Text: "to stderr\n"},
		event.Event{Kind: event.Said, Level: event.Notice, Text: "a notice"},
		event.Event{
			Kind: event.Spoke, Cell: 7, Text: "# A heading\n\n**Strong**, *set apart*, `code` and https://example.com\n\n",
		},
		event.Event{Kind: event.Ended, Cell: 7},
	)
	s.keys(`local f = g(1, "two")`)
}

// A theme of true colours uses what the terminal has, in finished lines too; NoColor is stronger than any theme.
func TestThemeDegrades(t *testing.T) {
	dark, err := NewTheme("dark", map[string]string{"notice": "#010203"})
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[colorprofile.Profile]string{
		colorprofile.TrueColor: "\x1b[38;2;1;2;3mhello", colorprofile.ANSI256: "\x1b[38;5;16mhello",
		colorprofile.ASCII: "\x1b[30mhello",
	} {
		s := colorful(t, dark, p, 80, 24)
		s.emit(event.Event{Kind: event.Said, Level: event.Notice, Text: "hello"})
		if got := strings.Join(s.printed, "\n"); !strings.Contains(got, want) {
			t.Errorf("%v: %q, want %q", p, got, want)
		}
	}
	s := newScreen(t, 80, 24) // without colours
	s.wear(dark)
	s.emit(event.Event{Kind: event.Said, Level: event.Notice, Text: "hello"},
		event.Event{Kind: event.Themed, Text: "light"}, event.Event{Kind: event.Themed})
	if got := strings.Join(s.printed, "\n") + s.View().Content; strings.Contains(got, "\x1b[3") ||
		strings.Contains(got, "\x1b[1") {
		t.Errorf("colours without colours: %q", got)
	}
	if got := strings.Join(s.printed, "\n"); !strings.Contains(got, "* light") ||
		!strings.Contains(got, "colours are off") {
		t.Errorf("themes:\n%s", got)
	}
}

// The list of themes shows each in its own looks and fits the window; a change takes effect at once.
func TestThemes(t *testing.T) {
	s := colorful(t, Theme{}, colorprofile.TrueColor, 60, 20)
	s.emit(event.Event{Kind: event.Themed})
	if len(s.printed) != len(palettes) || !strings.Contains(s.printed[3], "38;5;81") ||
		strings.Contains(s.printed[0], "38;2") {
		t.Errorf("themes: %q", s.printed)
	}
	for _, row := range s.printed {
		if w := ansi.StringWidth(row); w > 59 {
			t.Errorf("row of %d columns: %q", w, ansi.Strip(row))
		}
	}
	s.keys("return 1")
	before := s.View().Content
	s.emit(event.Event{Kind: event.Themed, Text: "dark"})
	if after := s.View().Content; before == after || !strings.Contains(after, "38;5;183mreturn") {
		t.Errorf("the input after the change: %q", after)
	}
	if !strings.Contains(s.View().Content, `theme = "dark" below [ui]`) {
		t.Errorf("how to keep it is not told: %q", s.View().Content)
	}
}

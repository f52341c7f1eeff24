package ui

import (
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/repl/show"
)

// This file holds the themes: for each role a look, written as the configuration writes it. Their colours are measured
// against the palettes of usual terminals (TestContrast). What no colour can do on all of them, letters do: no colour
// of the sixteen can be read on every light palette, and one hue only on every dark one.

// A Theme says how each role looks. The zero Theme is the one called "auto".
type Theme struct {
	name string
	own  map[string]string // looks of roles that replace those of the theme
}

// A palette is a theme as it is shipped.
type palette struct {
	name, about string
	looks       map[string]string
}

// Themes that the code knows by name.
const (
	autoTheme  = "auto"
	monoTheme  = "mono"
	ansiTheme  = "ansi"
	darkTheme  = "dark"
	lightTheme = "light"
)

// palettes lists the themes, the default first, which is one of the others. All others have the same roles.
var palettes = []palette{
	{autoTheme, "fits the terminal's background", nil},
	{monoTheme, "no colours: bold, faint, underlined", map[string]string{
		"prompt": "bold", "ok": "plain", "error": "bold", "warning": "bold", "notice": "plain",
		"dim": "faint", "strong": "bold", "heading": "bold underline", "emphasis": "italic", "link": "underline",
		"match": "bold underline", "keyword": "bold", "string": "plain", "number": "plain",
	}},
	{ansiTheme, "mono, with the terminal's own colour", map[string]string{
		"prompt": "bold bright-cyan", "ok": "plain", "error": "bold", "warning": "bold", "notice": "bright-cyan",
		"dim": "faint", "strong": "bold", "heading": "bold underline bright-cyan", "emphasis": "italic",
		"link": "underline bright-cyan", "match": "bold underline", "keyword": "bright-cyan", "string": "plain",
		"number": "plain",
	}},
	{darkTheme, "colours for a dark background", map[string]string{
		"prompt": "bold #5fd7ff", "ok": "#87d787", "error": "#ff8787", "warning": "#ffd75f", "notice": "#87afff",
		"dim": "#a0a0a0", "strong": "bold", "heading": "bold underline #5fd7ff", "emphasis": "italic",
		"link": "underline #87afff", "match": "bold underline #ffaf5f", "keyword": "#d7afff", "string": "#afd787",
		"number": "#ffaf87",
	}},
	{lightTheme, "colours for a light background", map[string]string{
		"prompt": "bold #005f87", "ok": "#1a6b1a", "error": "#a80000", "warning": "#7a5200", "notice": "#1f4fa8",
		"dim": "#626262", "strong": "bold", "heading": "bold underline #005f87", "emphasis": "italic",
		"link": "underline #1f4fa8", "match": "bold underline #8f3f00", "keyword": "#7a1fa2", "string": "#2f6b00",
		"number": "#9a3b00",
	}},
}

// ThemeNames lists the themes, the default first.
func ThemeNames() []string {
	names := make([]string, len(palettes))
	for i, p := range palettes {
		names[i] = p.name
	}
	return names
}

// RoleNames lists the roles that a theme gives a look to.
func RoleNames() []string { return slices.Sorted(maps.Keys(Theme{}.palette().looks)) }

// NewTheme returns the theme called name, empty meaning the default, with the looks of some roles replaced. The error
// names what is not known and what was perhaps meant.
func NewTheme(name string, looks map[string]string) (Theme, error) {
	if name == "" {
		name = palettes[0].name
	}
	if !slices.Contains(ThemeNames(), name) {
		return Theme{}, fmt.Errorf("theme %q: unknown%s", name, meant(name, ThemeNames()))
	}
	for _, role := range slices.Sorted(maps.Keys(looks)) {
		if err := CheckLook(role, looks[role]); err != nil {
			return Theme{}, fmt.Errorf("theme: %s: %w", role, err)
		}
	}
	return Theme{name: name, own: looks}, nil
}

// CheckLook says what is wrong with a role and the look that it is given; nil when nothing is.
func CheckLook(role, text string) error {
	if roles := RoleNames(); !slices.Contains(roles, role) {
		return fmt.Errorf("unknown role%s", meant(role, roles))
	}
	_, err := readLook(text)
	return err
}

// meant names the nearest of names, or all of them when none is near.
func meant(word string, names []string) string {
	if near := spelling.Nearest(word, names); near != "" {
		return ": did you mean " + near + "?"
	}
	return ": use one of " + strings.Join(names, ", ")
}

// A look is how text is drawn. The zero look is as the terminal draws it.
type look struct {
	color                                   color.Color // nil leaves the terminal's
	bold, faint, italic, underline, reverse bool
}

// plainLook is how a configuration writes the zero look.
const plainLook = "plain"

// readLook reads "bold cyan", "#ff8700 underline" or "plain": weights and at most one colour.
func readLook(text string) (look, error) {
	var l look
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return l, fmt.Errorf("want a colour, weights or both, like \"bold cyan\"; %s is neither", plainLook)
	}
	weights := map[string]*bool{
		"bold": &l.bold, "faint": &l.faint, "italic": &l.italic, "underline": &l.underline, "reverse": &l.reverse,
	}
	for _, w := range words {
		if set, ok := weights[w]; ok {
			*set = true
			continue
		}
		if w == plainLook && len(words) == 1 {
			return l, nil
		}
		c, ok := readColor(w)
		switch {
		case !ok && strings.HasPrefix(w, "#"):
			return l, fmt.Errorf("%q: want a colour like #ff8700", w)
		case !ok:
			return l, fmt.Errorf("%q: unknown colour or weight%s", w,
				meant(w, slices.Concat(colorNames(), slices.Sorted(maps.Keys(weights)), []string{plainLook, "#rrggbb"})))
		case l.color != nil:
			return l, fmt.Errorf("%q: a second colour", w)
		}
		l.color = c
	}
	return l, nil
}

// baseColors are the first eight colours in their order; "bright-" in front of a name means that of the other eight.
const baseColors = "black red green yellow blue magenta cyan white"

func colorNames() []string {
	names := strings.Fields(baseColors)
	for _, n := range strings.Fields(baseColors) {
		names = append(names, "bright-"+n)
	}
	return names
}

func readColor(word string) (color.Color, bool) {
	if i := slices.Index(colorNames(), word); i >= 0 {
		return ansi.BasicColor(i), true
	}
	hex, ok := strings.CutPrefix(word, "#")
	n, err := strconv.ParseUint(hex, 16, 32)
	if !ok || err != nil || len(hex) != 6 {
		return nil, false
	}
	return color.RGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 0xff}, true
}

// palette is the theme as it is shipped; that of auto is what it is until the terminal has told its background.
func (t Theme) palette() palette {
	const mono = 1
	if i := slices.Index(ThemeNames(), t.name); i > mono {
		return palettes[i]
	}
	return palettes[mono]
}

// looks are those of all roles. What NewTheme has accepted can be read.
func (t Theme) looks() map[string]look {
	all := map[string]look{}
	for role, text := range t.palette().looks {
		all[role], _ = readLook(text)
	}
	for role, text := range t.own {
		all[role], _ = readLook(text)
	}
	return all
}

// rich tells whether a look has a colour beyond the sixteen.
func (t Theme) rich() bool {
	for _, l := range t.looks() {
		if _, basic := l.color.(ansi.BasicColor); l.color != nil && !basic {
			return true
		}
	}
	return false
}

// style is the look as far as the terminal has its colour.
func (l look) style(p colorprofile.Profile) lipgloss.Style {
	s := lipgloss.NewStyle()
	if l.color != nil {
		s = s.Foreground(p.Convert(l.color))
	}
	if l.bold {
		s = s.Bold(true)
	}
	if l.faint {
		s = s.Faint(true)
	}
	if l.italic {
		s = s.Italic(true)
	}
	if l.underline {
		s = s.Underline(true)
	}
	if l.reverse {
		s = s.Reverse(true)
	}
	return s
}

// in is the theme with the looks of another, for a terminal with the colours of p; without colour it stays plain. What
// is shipped has the nearest of 256 colours, which take half the bytes; what somebody has chosen is as they chose it.
func (t theme) in(looks Theme, p colorprofile.Profile) theme {
	if !t.color {
		return t
	}
	all := looks.looks()
	for role, style := range map[string]*lipgloss.Style{
		"prompt": &t.prompt, "ok": &t.good, "error": &t.bad, "warning": &t.warn, "notice": &t.name, "dim": &t.dim,
		"strong": &t.strong, "heading": &t.heading, "emphasis": &t.emphasis, "link": &t.link, "match": &t.match,
		"keyword": &t.keyword, "string": &t.text, "number": &t.number,
	} {
		if _, own := looks.own[role]; own {
			*style = all[role].style(p)
		} else {
			*style = all[role].style(min(p, colorprofile.ANSI256))
		}
	}
	return t
}

// profile is which colours the terminal has, of those that the theme needs: it is looked up for a rich theme only.
func (m *model) profile(t Theme) colorprofile.Profile {
	if !t.rich() {
		return colorprofile.ANSI
	}
	return max(m.colors(), colorprofile.ANSI)
}

// wear gives the screen the looks of a theme. Lines that are printed already keep theirs.
func (m *model) wear(t Theme) {
	if t.name == "" {
		t.name = autoTheme
	}
	m.looks = t
	t = m.seen(t)
	m.theme = m.theme.in(t, m.profile(t))
	m.painted, m.space.actions = painting{}, -1
	m.version++
}

// themed lists the themes, each with a line in its looks, or changes to one.
func (m *model) themed(name string) tea.Cmd {
	if name == "" {
		for _, p := range palettes {
			m.scroll.append(m.sample(p.name))
		}
		if !m.theme.color {
			m.scroll.append("colours are off: NO_COLOR or --color=never")
		}
		return nil
	}
	t, err := NewTheme(name, m.looks.own)
	if err != nil {
		m.notice = text.SanitizeLine(err.Error())
		return nil
	}
	m.wear(t)
	m.scroll.append(m.sample(name))
	m.notice = fmt.Sprintf("theme = %q below [ui] in the configuration keeps it", name)
	if !m.theme.color {
		m.notice = "colours are off: NO_COLOR or --color=never"
	}
	return m.askBackground()
}

// sample is a line about a theme, in its looks; the one that is worn is marked.
func (m *model) sample(name string) string {
	t := m.seen(Theme{name: name, own: m.looks.own})
	wears := m.theme.in(t, m.profile(t))
	mark, marks := "  ", m.render().Marks()
	if m.looks.name == name {
		mark = "* "
	}
	about := palettes[slices.Index(ThemeNames(), name)].about
	line := show.Line{
		show.Text.Span(mark), show.ID.Span(pad(name, 7)),
		show.Prompt.Span("lua " + marks.Prompt + " "), show.Keyword.Span("return"),
		show.Text.Span(" "), show.Number.Span("12"), show.Text.Span(", "),
		show.String.Span(`"a"`), show.OK.Span("  " + marks.OK + " ok"),
		show.Error.Span("  " + marks.Fail + " error"), show.Warning.Span("  warning"),
		show.Hint.Span("  hint"), show.Dim.Span("  " + about),
	}
	return ansi.Truncate(wears.line(line), m.lineWidth(), m.theme.glyphs.more)
}

package ui

import (
	"image/color"
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// This file asks the terminal for its background and chooses the theme that can be read on it. Nothing waits for the
// answer, and some terminals give none: until it is there, the theme auto is mono, which can be read on every
// background.

// answerTime is how long the program waits for the answer before it leaves: the shell would take it for typing.
const answerTime = 100 * time.Millisecond

// leastContrast is the least that WCAG 2.1 asks of text.
const leastContrast = 4.5

// askBackground asks for the background where the theme depends on it.
func (m *model) askBackground() tea.Cmd {
	if !m.theme.color || !m.answers || m.looks.name != autoTheme && m.looks.name != ansiTheme {
		return nil
	}
	m.asked = m.now()
	return func() tea.Msg { return tellMsg(ansi.RequestBackgroundColor) }
}

// background takes in the answer.
func (m *model) background(c color.Color) {
	m.asked = time.Time{}
	if c == nil {
		return
	}
	m.ground = groundOf(c)
	m.wear(m.looks)
}

// groundOf is the theme of true colours that can be read on a background; empty where neither can, as on a middle grey.
func groundOf(background color.Color) string {
	for _, name := range []string{darkTheme, lightTheme} {
		if readable(Theme{name: name}, colorprofile.TrueColor, background) {
			return name
		}
	}
	return ""
}

// readable tells whether all colours of a theme can be read on a background.
func readable(t Theme, p colorprofile.Profile, background color.Color) bool {
	for _, l := range t.looks() {
		if l.color != nil && contrast(p.Convert(l.color), background) < leastContrast {
			return false
		}
	}
	return true
}

// seen is the theme that t is on this terminal.
func (m *model) seen(t Theme) Theme {
	if t.name == autoTheme {
		switch {
		case m.ground == "":
			t.name = monoTheme
		case m.colors() <= colorprofile.ANSI: // the nearest of sixteen is not measured
			t.name = ansiTheme
		default:
			t.name = m.ground
		}
	}
	if t.name == ansiTheme && m.ground != darkTheme {
		t.name = monoTheme
	}
	return t
}

// unanswered is how long the answer may still come.
func (m *model) unanswered() time.Duration {
	if m.asked.IsZero() {
		return 0
	}
	return max(m.asked.Add(answerTime).Sub(m.now()), 0)
}

// answers tells whether the terminal may answer. The others say nothing, or hand nothing on.
func answers(getenv func(string) string) bool {
	return getenv("STY") == "" && !strings.HasPrefix(getenv("TERM"), "linux")
}

// contrast is the contrast ratio of WCAG 2.1, https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio.
func contrast(a, b color.Color) float64 {
	light := func(c color.Color) float64 {
		r, g, b, _ := c.RGBA()
		sum := 0.0
		for i, v := range []uint32{r, g, b} {
			x := float64(v) / 0xffff
			if x <= 0.03928 {
				x /= 12.92
			} else {
				x = math.Pow((x+0.055)/1.055, 2.4)
			}
			sum += x * []float64{0.2126, 0.7152, 0.0722}[i]
		}
		return sum
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

package ui

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// This file measures the themes against the palettes of usual terminals: all colours have the contrast that WCAG 2.1 AA
// asks of text, on every background where they are shown.

// A terminalPalette is what a terminal shows: its background, its letters, and its sixteen colours.
type terminalPalette struct{ name, background, letters, colors string }

const (
	// xterm: XTerm-col.ad of the sources of xterm.
	xtermColors = "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff"
	// Solarized: https://ethanschoonover.com/solarized, "The Values".
	solarizedColors = "073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5 002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3"
	// GNOME and Tango: the palettes of that name in GNOME Terminal, src/profile-editor.cc.
	gnomeColors = "171421 c01c28 26a269 a2734c 12488b a347ba 2aa1b3 d0cfcc 5e5c64 f66151 33d17a e9ad0c 2a7bde c061cb 33c7de ffffff"
	tangoColors = "2e3436 cc0000 4e9a06 c4a000 3465a4 75507b 06989a d3d7cf 555753 ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 eeeeec"
)

var terminalPalettes = []terminalPalette{
	{"xterm, black", "000000", "e5e5e5", xtermColors},
	{"xterm, white", "ffffff", "000000", xtermColors},
	// Visual Studio Code: ansiColorMap in terminalColorRegistry.ts.
	{"VS Code, dark", "1e1e1e", "cccccc",
		"000000 cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd e5e5e5 666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db e5e5e5"},
	{"VS Code, light", "ffffff", "333333",
		"000000 cd3131 107c10 949800 0451a5 bc05bc 0598bc 555555 666666 cd3131 14ce14 b5ba00 0451a5 bc05bc 0598bc a5a5a5"},
	{"Solarized, dark", "002b36", "839496", solarizedColors},
	{"Solarized, light", "fdf6e3", "657b83", solarizedColors},
	{"GNOME, dark", "171421", "d0cfcc", gnomeColors},
	{"GNOME, light", "ffffff", "171421", gnomeColors},
	{"Tango, dark", "2e3436", "d3d7cf", tangoColors},
	{"Tango, black", "000000", "d3d7cf", tangoColors},
	{"Tango, light", "ffffff", "2e3436", tangoColors},
	// Windows Terminal: Campbell in defaults.json.
	{"Campbell", "0c0c0c", "cccccc",
		"0c0c0c c50f1f 13a10e c19c00 0037da 881798 3a96dd cccccc 767676 e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 f2f2f2"},
	// Gruvbox: https://github.com/morhetz/gruvbox-contrib, xresources.
	{"Gruvbox, dark", "282828", "ebdbb2",
		"282828 cc241d 98971a d79921 458588 b16286 689d6a a89984 928374 fb4934 b8bb26 fabd2f 83a598 d3869b 8ec07c ebdbb2"},
	{"Gruvbox, light", "fbf1c7", "3c3836",
		"fbf1c7 cc241d 98971a d79921 458588 b16286 689d6a 7c6f64 928374 9d0006 79740e b57614 076678 8f3f71 427b58 3c3836"},
}

// shown is a colour as the terminal shows it: its own where the color is one of its sixteen.
func (p terminalPalette) shown(c color.Color) color.Color {
	if basic, ok := c.(ansi.BasicColor); ok {
		return hex(strings.Fields(p.colors)[basic])
	}
	return c
}

func hex(digits string) color.Color {
	c, ok := readColor("#" + digits)
	if !ok {
		panic(digits)
	}
	return c
}

// Whatever the terminal answers, or nothing, the theme auto has 4.5:1 in all colours that it shows, and so has ansi;
// with true colours, with 256 and with sixteen.
func TestContrast(t *testing.T) {
	for _, p := range terminalPalettes {
		for _, name := range []string{autoTheme, ansiTheme} {
			for _, answered := range []bool{true, false} {
				for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI} {
					s := colorful(t, Theme{name: name}, profile, 80, 24)
					if answered {
						s.background(hex(p.background))
					}
					seen := s.seen(s.looks)
					for role, l := range seen.looks() {
						if l.color == nil {
							continue
						}
						if c := contrast(p.shown(profile.Convert(l.color)), hex(p.background)); c < leastContrast {
							t.Errorf("%s is %s on %s, %v: %s: contrast %.1f", name, seen.name, p.name, profile, role, c)
						}
					}
					if want := name == autoTheme && answered && profile > colorprofile.ANSI; want != seen.rich() {
						t.Errorf("%s is %s on %s, %v", name, seen.name, p.name, profile)
					}
				}
			}
		}
	}
}

// Faint letters are two thirds of a letter's colour and one of the background's in VTE and xterm. Where the terminal's
// own letters have 7:1 (AAA), faint ones have at least 4:1; that leaves Solarized, whose letters have less than 5:1.
func TestFaint(t *testing.T) {
	for _, p := range terminalPalettes {
		letters, under := hex(p.letters), hex(p.background)
		mix := func(a, b uint32) uint8 { return uint8((2*a + b) / 3 >> 8) }
		r, g, b, _ := letters.RGBA()
		ur, ug, ub, _ := under.RGBA()
		faint := contrast(color.RGBA{mix(r, ur), mix(g, ug), mix(b, ub), 0xff}, under)
		if solarized := strings.HasPrefix(p.name, "Solarized"); solarized != (contrast(letters, under) < 7) ||
			solarized != (faint < 3.9) {
			t.Errorf("%s: faint %.1f, letters %.1f", p.name, faint, contrast(letters, under))
		}
	}
}

// A background on which neither dark nor light can be read shows no colours.
func TestMiddleGrey(t *testing.T) {
	for background, want := range map[string]string{
		"000000": darkTheme, "2e3440": darkTheme, "300a24": darkTheme, "808080": "", "5f5f5f": "", "ffffff": lightTheme,
		"eff1f5": lightTheme,
	} {
		if got := groundOf(hex(background)); got != want {
			t.Errorf("%s: %q, want %q", background, got, want)
		}
	}
}

// Who leaves at once is held up until the terminal has answered, for a moment at most, or the shell would read the
// answer.
func TestLeaveBeforeTheAnswer(t *testing.T) {
	s := colorful(t, Theme{}, colorprofile.TrueColor, 80, 24)
	if s.answers = true; s.askBackground() == nil {
		t.Fatal("the background is not asked for")
	}
	s.leave()
	if s.send(leaveMsg{}); s.left {
		t.Error("left before the answer")
	}
	s.clock = s.clock.Add(answerTime)
	if s.send(leaveMsg{}); !s.left {
		t.Error("waits for ever")
	}
	s = colorful(t, Theme{}, colorprofile.TrueColor, 80, 24)
	s.answers = true
	s.askBackground()
	s.leave()
	if s.send(tea.BackgroundColorMsg{Color: color.Black}); !s.left {
		t.Error("stays after the answer")
	}
}

// Nothing is asked without colours, for a theme that has a background of its own, or of a terminal that keeps quiet.
func TestWhoIsAsked(t *testing.T) {
	for _, c := range []struct {
		theme         string
		color, answer bool
		env           map[string]string
		want          bool
	}{
		{autoTheme, true, true, map[string]string{"TERM": "xterm-256color"}, true},
		{ansiTheme, true, true, map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/s"}, true},
		{autoTheme, false, true, map[string]string{"TERM": "xterm-256color"}, false},
		{darkTheme, true, true, map[string]string{"TERM": "xterm-256color"}, false},
		{monoTheme, true, true, map[string]string{"TERM": "xterm-256color"}, false},
		{autoTheme, true, false, map[string]string{"TERM": "screen", "STY": "1.pts"}, false},
		{autoTheme, true, false, map[string]string{"TERM": "linux"}, false},
	} {
		s := colorful(t, Theme{name: c.theme}, colorprofile.TrueColor, 80, 24)
		s.theme.color = c.color
		if s.answers = answers(func(name string) string { return c.env[name] }); s.answers != c.answer {
			t.Errorf("%v: answers %v", c.env, s.answers)
		}
		if got := s.askBackground() != nil; got != c.want {
			t.Errorf("%+v: asked %v", c, got)
		}
	}
}

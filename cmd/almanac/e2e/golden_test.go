//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"almanac/internal/golden"
	"almanac/llm/openai/openaitest"
)

// This file holds what the program looks like: seven screens, at three sizes, with and without colour, in ASCII, and in
// the line mode. The files in testdata read as the screens do; those with colour have the codes of styles in angle
// brackets.

const answerText = `Three invoices are open. The largest:

| invoice | amount |
| --- | --- |
| inv_00041 | 1290.00 |

- **first**, remind ` + "`cus_0001`" + `
- then wait

` + "```lua\nlocal open = billing.invoice.list_unpaid{ customer_id = \"cus_0001\" }\n```" + `
That is all.`

// A scene is what is done, and what is on the screen then.
type scene struct {
	name string
	play func(x *terminal)
	want string
	// from is the first row that is kept, with rows of the scrollback; empty keeps the screen. How much of an answer is
	// still on the screen depends on how it came.
	from string
	// after puts things back.
	after func(x *terminal)
}

func screenScenes() []scene {
	clear := func(x *terminal) {
		x.line("/clear")
		x.wait("empty screen", func() bool {
			return len(strings.Fields(x.screen())) > 0 && len(strings.Split(strings.TrimSpace(x.screen()), "\n")) <= 4
		})
	}
	return []scene{
		{"first screen", func(*terminal) {}, `ask [❯>]`, "", func(*terminal) {}},
		{"result table", func(x *terminal) { x.line("!crm.customer.list{limit=3}") },
			`cus_0003[\s\S]*ask [❯>]\s*$`, "", clear},
		{"failing call", func(x *terminal) { x.line(`!crm.customer.get{id="nobody"}`) },
			`get[\s\S]*nobody[\s\S]*ask [❯>]\s*$`, "", clear},
		{"help", func(x *terminal) { x.keys("F1") }, `Esc back`, "", func(x *terminal) {
			x.keys("Escape")
			x.gone("Esc back")
		}},
		{"completion menu", func(x *terminal) {
			x.text("!billing.invoice.li")
			x.keys("Tab")
		}, `list_unpaid`, "", func(x *terminal) {
			x.keys("Escape")
			x.gone("list_unpaid")
			x.keys("C-u")
			x.gone("billing.invoice")
		}},
		{"approval", func(x *terminal) { x.line("refund it") }, `y once`, "", func(x *terminal) {
			x.deny()
			x.want("Nothing was refunded", `ask [❯>]\s*$`)
			clear(x)
		}},
		{"streamed answer", func(x *terminal) { x.line("which are open?") }, `That is all[\s\S]*ask [❯>]\s*$`,
			"which are open?", func(*terminal) {}},
	}
}

// deny answers an approval with n and no reason, once it listens.
func (x *terminal) deny() {
	x.t.Helper()
	time.Sleep(600 * time.Millisecond) // the box is deaf to keys for a while
	x.keys("n")
	x.want("why [❯>]")
	x.keys("Escape")
}

func plainScenes() []scene {
	nothing := func(*terminal) {}
	ready := `ask [❯>]\s*$`
	return []scene{
		{"first screen", nothing, ready, "", nothing},
		{"result table", func(x *terminal) { x.line("!crm.customer.list{limit=3}") }, `cus_0003[\s\S]*` + ready,
			"!crm.customer.list", nothing},
		{"failing call", func(x *terminal) { x.line(`!crm.customer.get{id="nobody"}`) },
			`get[\s\S]*nobody[\s\S]*` + ready, "!crm.customer.get", nothing},
		{"approval", func(x *terminal) { x.line("refund it") }, `y/a/e/n[^\n]*\s*$`, "refund it", func(x *terminal) {
			time.Sleep(silence) // what comes at once was typed before the question
			x.line("n")
		}},
		{"streamed answer", func(x *terminal) {
			x.want(ready)
			x.line("which are open?")
		}, `That is all[\s\S]*` + ready, "which are open?", nothing},
		{"help", func(x *terminal) { x.line("/help") }, `/help NAME[\s\S]*` + ready, "", nothing},
	}
}

func TestGoldenScreens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}, {60, 20}} {
		for _, look := range []string{"color", "nocolor", "ascii", "plain"} {
			t.Run(fmt.Sprintf("%dx%d-%s", size[0], size[1], look), func(t *testing.T) {
				s := setup{width: size[0], height: size[1], model: []openaitest.Reply{
					{Calls: []openaitest.Call{{Name: "lua_tools_execute", Args: refundScript}}}, {Text: "Nothing was refunded."},
					{Text: answerText},
				}}
				scenes := screenScenes()
				switch look {
				case "color": // of its own accord it has colours only where the terminal tells its background
					s.env = []string{"ALMANAC_UI_THEME=dark"}
				case "nocolor":
					s.env = []string{"NO_COLOR=1"}
				case "ascii":
					s.args = []string{"--ascii"}
				case "plain":
					s.args = []string{"--plain"}
					scenes = plainScenes()
				}
				playScenes(t, start(t, s), look, scenes)
			})
		}
	}
}

func playScenes(t *testing.T, x *terminal, look string, scenes []scene) {
	t.Helper()
	var b strings.Builder
	for _, s := range scenes {
		s.play(x)
		re := regexp.MustCompile(s.want)
		x.wait(s.name, func() bool { return re.MatchString(strings.TrimRight(withoutStatus(x.screen()), "\n")) })
		fmt.Fprintf(&b, "-- %s --\n%s\n", s.name, x.still(look, s.from))
		s.after(x)
	}
	file := filepath.Join("testdata", strings.TrimPrefix(t.Name(), "TestGoldenScreens/")+".golden")
	golden.Equal(t, file, b.String())
}

// withoutStatus leaves out the status line, so that a pattern can ask for an empty prompt at the end.
func withoutStatus(screen string) string {
	rows := strings.Split(strings.TrimRight(screen, "\n "), "\n")
	if n := len(rows); n > 1 && strings.Contains(rows[n-1], "? help") ||
		n > 1 && strings.HasPrefix(rows[n-1], "writes: ask") {
		rows = rows[:n-1]
	}
	return strings.TrimRight(strings.Join(rows, "\n"), " \n")
}

// still is the screen once it does not change any more, with what differs between runs taken out. In plain mode the
// terminal breaks the lines, where depends on the digits of a time: they are kept whole.
func (x *terminal) still(look, from string) string {
	x.t.Helper()
	args := []string{"capture-pane", "-p", "-t", "s"}
	switch look {
	case "color":
		args = append(args, "-e")
	case "plain":
		args = append(args, "-J")
	}
	if from != "" {
		args = append(args, "-S", "-")
	}
	capture := func() string {
		out := x.tmux(args...)
		if at := strings.LastIndex(out, from); from != "" && at >= 0 {
			out = out[strings.LastIndex(out[:at], "\n")+1:]
		}
		if look == "color" {
			out = styled(out)
		}
		return settled(trimmed(out))
	}
	last, same := "", 0
	x.wait("screen that stands still", func() bool {
		now := capture()
		if now == last {
			same++
		} else {
			last, same = now, 0
		}
		return same == 10
	})
	return last
}

// settled replaces times, and the blanks that make room for them. Blank rows at the top depend on how tall the live
// region was.
func settled(screen string) string {
	for _, r := range []struct{ from, to string }{
		{`(<1|\d+) ms`, "N ms"},
		{`\d+\.\d s`, "N s"},
		{`N ms( *\[?\d*\.?)\n(\d*\.?\d*\])`, "N ms$1$2"}, // broken there or not
		{`(N m?s) +(\[)`, "$1 $2"},
		{`ctx ~?\d+k?/`, "ctx N/"},
		{`\d+k? in \d+k? out`, "N in N out"},
		{` +((<[0-9;]*>)?\? help)`, "  $1"},
		{`[ \t]+(\n|$)`, "$1"},
		{`^\n+`, ""},
	} {
		screen = regexp.MustCompile(r.from).ReplaceAllString(screen, r.to)
	}
	return screen
}

// styled writes a screen with its escapes so that looks can be read and compared: each change of style that is seen
// becomes its codes in angle brackets, <> for none.
func styled(screen string) string {
	var b strings.Builder
	var now, shown []string
	for _, row := range strings.SplitAfter(screen, "\n") {
		for row != "" {
			if m := sgr.FindStringSubmatch(row); m != nil {
				for _, code := range codes.FindAllString(m[1], -1) {
					switch code {
					case "0":
						now = nil
					case "39", "49":
						now = slices.DeleteFunc(now, func(c string) bool { return colorOf(c) == code[:1] })
					default:
						// A colour takes the place of the one before.
						now = append(slices.DeleteFunc(now, func(c string) bool {
							return c == code || colorOf(c) != "" && colorOf(c) == colorOf(code)
						}), code)
					}
				}
				if m[1] == "" {
					now = nil
				}
				row = row[len(m[0]):]
				continue
			}
			_, n := utf8.DecodeRuneInString(row)
			if slices.Sort(now); row[:n] != " " && row[:n] != "\n" && !slices.Equal(now, shown) {
				shown = slices.Clone(now)
				b.WriteString("<" + strings.Join(shown, ";") + ">")
			}
			b.WriteString(row[:n])
			row = row[n:]
		}
	}
	return b.String()
}

// colorOf is "3" for a code that colours letters, "4" for one of their background, else empty.
func colorOf(code string) string {
	if len(code) > 1 && strings.Contains("34", code[:1]) {
		return code[:1]
	}
	return ""
}

var (
	sgr   = regexp.MustCompile(`^\x1b\[([0-9;]*)m`)
	codes = regexp.MustCompile(`[34]8;5;\d+|[34]8;2;\d+;\d+;\d+|\d+`)
)

//go:build unix

package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"almanac/llm/openai/openaitest"
)

// This file holds the scrollback: 5,000 lines at 2,000 a second, with and without resizes, from the model and from Lua.

// streamed is an answer of n lines at about 2,000 a second, each a paragraph of its own.
func streamed(n int, line func(i int) string) openaitest.Reply {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i+1) + "\n\n")
	}
	// Three lines a piece: a timer of this system ends a millisecond late.
	return openaitest.Reply{Text: b.String(), Chunk: 3 * b.Len() / n, Delay: 500 * time.Microsecond}
}

func numbered(i int) string { return fmt.Sprintf("line%05d", i) }

// strays counts what a live region leaves in the scrollback when it is not erased: rules, prompts without input, and
// status lines above the last ones.
func strays(text string) []string {
	rows := strings.Split(text, "\n")
	var found []string
	for _, r := range rows[:max(len(rows)-3, 0)] {
		if regexp.MustCompile(`^─{10,}$|^(lua|ask) ❯\s*$|calls \d+/\d+|stops +(queued: \d+( \(.*\))?)?$|stops$`).MatchString(r) {
			found = append(found, r)
		}
	}
	return found
}

func (x *terminal) noStrays() {
	x.t.Helper()
	if s := strays(x.scrollback()); len(s) > 0 {
		x.t.Errorf("%d rows of the live region were left behind: %q", len(s), s[:min(len(s), 8)])
	}
}

// fewStrays is noStrays for a window that is resized while something is written: what falls into the moment may stay.
// It never costs a line.
func (x *terminal) fewStrays(n int) {
	x.t.Helper()
	s := strays(x.scrollback())
	x.t.Logf("%d rows of the live region were left behind", len(s))
	if len(s) > n {
		x.t.Errorf("%d rows of the live region were left behind: %q", len(s), s[:8])
	}
}

// past waits until a number beyond n is on the screen: a busy machine may not show every one.
func (x *terminal) past(pattern string, n int) {
	x.t.Helper()
	re := regexp.MustCompile(pattern)
	x.wait(fmt.Sprintf("%s beyond %d", pattern, n), func() bool {
		for _, m := range re.FindAllStringSubmatch(x.screen(), -1) {
			if at, _ := strconv.Atoi(m[1]); at > n {
				return true
			}
		}
		return false
	})
}

func TestR04Streaming(t *testing.T) {
	x := start(t, setup{model: []openaitest.Reply{streamed(5000, numbered)}})
	x.line("go")
	x.want(`line05000`, `ask ❯\s*$`)
	x.gone("stops")
	once(t, x.scrollback(), `line\d{5}`, 5000)
	x.noStrays()
}

func TestR04StreamingWithResizes(t *testing.T) {
	x := start(t, setup{model: []openaitest.Reply{streamed(5000, numbered)}})
	x.line("go")
	for i, size := range [][2]int{{100, 30}, {60, 20}, {120, 40}, {50, 12}, {80, 24}} {
		x.past(`line(\d{5})`, 1000*i)
		x.resize(size[0], size[1])
	}
	x.want(`line05000`, `ask ❯\s*$`)
	x.gone("stops")
	once(t, x.scrollback(), `line\d{5}`, 5000)
	x.fewStrays(4)
}

// Lines wider than the screen, from Lua, with a menu that opens and closes meanwhile.
func TestR04WideLinesWithMenu(t *testing.T) {
	x := start(t, setup{args: []string{"--lua-time", "1m"}})
	x.line(`for i=1,2000 do print(string.format("<line%05d %s>", i, ("wide "):rep(20))) for j=1,40000 do end end`)
	for range 4 {
		x.want(`<line\d{5}`)
		x.text("billing.invoice.")
		x.keys("Tab")
		x.want("list_lines +ro")
		x.keys("Escape")
		x.gone("list_lines +ro")
		x.keys("C-u")
		x.gone("❯ billing")
	}
	x.want(`<line02000`, `lua ❯\s*$`)
	x.gone("stops")
	once(t, x.scrollback(), `<line\d{5}`, 2000)
	x.noStrays()
}

func TestR04WideLinesWithResizes(t *testing.T) {
	x := start(t, setup{args: []string{"--lua-time", "1m"}})
	x.line(`for i=1,2000 do print(string.format("<line%05d %s>", i, ("wide "):rep(20))) for j=1,40000 do end end`)
	for i, size := range [][2]int{{100, 30}, {60, 20}, {120, 40}, {50, 12}, {80, 24}} {
		x.past(`<line(\d{5})`, 1000*(i/3))
		x.resize(size[0], size[1])
	}
	x.want(`<line02000`, `lua ❯\s*$`)
	x.gone("stops")
	once(t, x.scrollback(), `<line\d{5}`, 2000)
	x.fewStrays(4)
}

// Resizing an idle window leaves nothing behind.
func TestR04IdleResizes(t *testing.T) {
	x := start(t, setup{raw: true})
	x.run("1+1", `^2$`)
	for i := range 6 {
		width, height := 60+i%3*30, 16+i%4*6
		x.quiet(400 * time.Millisecond)
		x.resize(width, height)
		x.wait("the rule at the new width", func() bool {
			rows := x.rows()
			return len(rows) >= 3 && len([]rune(rows[len(rows)-3])) == width-1
		})
	}
	x.noStrays()
	// Dragged smaller step by step, as by a mouse.
	x.quiet(400 * time.Millisecond)
	for width := x.width; width > 50; width -= 5 {
		x.resize(width, 24)
	}
	x.wait("the rule at the last width", func() bool {
		rows := x.rows()
		return len(rows) >= 3 && len([]rune(rows[len(rows)-3])) == x.width-1
	})
	x.fewStrays(2)
	once(t, x.scrollback(), `^almanac .*actions`, 1)
}

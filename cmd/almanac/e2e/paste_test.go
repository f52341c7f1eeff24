//go:build unix

package e2e

// This file tests the history of inputs, and what is pasted.

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestR15History(t *testing.T) {
	home := newHome(t)
	x := start(t, setup{home: home})
	// Piece by piece: what a busy program reads in one go is a paste.
	x.text("function f(a)")
	x.want(`❯ function f\(a\)`)
	x.keys("C-j")
	x.want(`\.\. *$`)
	x.text("  return a + 1 -- größer")
	x.want(`größer`)
	x.keys("C-j")
	x.want(`größer *\n +\.\. *$`)
	x.text("end")
	x.want(`\.\. *end`)
	time.Sleep(pause)
	x.keys("Enter")
	x.want(`\[1\]`)
	x.run("f(1)", `^2$`)
	x.line(" secret = 7")
	x.want(`secret = 7 +\[3\]`)
	// Inside of a text of several lines Up moves the cursor; the draft is kept.
	x.text("draft")
	x.keys("Up")
	x.want(`❯ f\(1\)`)
	x.keys("Up")
	x.want(`\.\. +return a`)
	x.keys("Down", "Down", "Down", "Down")
	x.want(`❯ draft`)
	x.keys("C-c")

	y := open(t, setup{home: home})
	y.line("other = 1")
	y.want(`\[1\]`)
	x.line("mine = 1")
	x.want(`mine = 1 +\[4\]`)
	x.line("/quit")
	x.ended()
	y.line("/quit")
	y.ended()

	z := open(t, setup{home: home})
	z.text("kept")
	z.keys("C-r")
	z.text("return a")
	z.want(`function f\(a\)`)
	z.keys("Escape")
	z.want(`❯ kept`)
	z.keys("C-r")
	z.text("größer")
	z.want(`function f\(a\)`)
	z.keys("Enter")
	z.want(`❯ function f\(a\)`, `\.\. +return a \+ 1 -- größer`, `\.\. *end`)
	if strings.Contains(z.screen(), "[1]") {
		t.Errorf("it was run:\n%s", z.screen())
	}
	z.keys("C-c")
	z.gone(`größer`)
	z.keys("C-r")
	z.want(`mine = 1[\s\S]*other = 1|other = 1[\s\S]*mine = 1`) // a list
	z.keys("C-s")                                               // of this session, which has none yet
	z.want("nothing matches")
	z.keys("C-s", "C-r", "C-r")
	z.want("3 of")
	z.keys("Escape")
	z.gone("nothing matches|Esc back")
	for _, want := range []string{"other = 1", "mine = 1"} {
		z.keys("C-r")
		z.text(want)
		z.keys("Enter")
		z.want(`❯ ` + want)
		z.keys("C-c")
	}
	z.keys("C-r")
	z.text("secret")
	z.want("nothing matches|no match")
	z.keys("Escape")
}

func TestR16PasteIsData(t *testing.T) {
	x := start(t, setup{})
	x.paste("a = 1\n/quit\nb = 2")
	x.want(`❯ a = 1`, `\.\. /quit`, `\.\. b = 2`)
	x.keys("C-c")
	x.gone("/quit")
	x.paste("x = 1\r\ny = 2\r\n")
	x.want(`❯ x = 1`, `\.\. y = 2`)
	x.keys("C-c")
	x.gone("y = 2")

	var long strings.Builder
	for i := range 340 {
		fmt.Fprintf(&long, "v%d = %d\n", i, i)
	}
	x.paste(long.String())
	x.want(`\[pasted 340 lines #1\]`)
	x.keys("Enter")
	x.want(`v339 = 339`)
	x.run("v339", `^339$`)
	x.paste("\x1b[31mred\x1b]52;c;aGk=\a")
	x.want(`❯ .*red`)
	if strings.Contains(x.colors(), "\x1b[31mred") {
		t.Error("the paste coloured the screen")
	}
}

// Text that comes at once without brackets, as from a terminal that has no bracketed paste, is a paste, too.
func TestR16BurstIsPaste(t *testing.T) {
	x := start(t, setup{})
	x.tmux("send-keys", "-t", "s", "-l", "--", "a = 1\r/quit\rb = 2")
	x.want(`❯ a = 1`, `\.\. /quit`, `\.\. b = 2`)
	x.keys("C-c")
	x.gone("/quit")
	x.pasteBare(strings.Repeat("x = 1\n", 3000))
	x.want(`\[pasted 3000 lines #1\]`)
}

// A text that holds the mark of a paste's end is no more than a paste.
func TestR16PasteCannotEndItself(t *testing.T) {
	x := start(t, setup{})
	x.paste("x = 1\x1b[201~\rprint('R'..'AN')\r")
	x.want(`❯ x = 1`, `\.\. print\('R'\.\.'AN'\)`)
	x.keys("C-c")
	x.gone("print")
	x.run("x", "^nil$")
}

// A paste whose end was lost is taken after a second, and the keys work again.
func TestR16PasteWithoutEnd(t *testing.T) {
	x := start(t, setup{})
	x.tmux("send-keys", "-t", "s", "-H", "1b", "5b", "32", "30", "30", "7e", "34", "30") // the mark, then 40
	x.want(`❯ 40`)
	x.text("+2")
	x.want(`❯ 40\+2`)
	time.Sleep(pause)
	x.keys("Enter")
	x.want(`^42$`)
}

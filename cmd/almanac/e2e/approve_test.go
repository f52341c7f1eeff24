//go:build unix

package e2e

// This file tests the question about a write: what it shows, and what counts as an answer.

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"almanac/llm/openai/openaitest"
)

func refundReplies(answer string) []openaitest.Reply {
	return []openaitest.Reply{
		{Calls: []openaitest.Call{{Name: "lua_tools_execute", Args: refundScript}}},
		{Text: answer},
	}
}

func TestR07ApprovalBeforeAnyMutation(t *testing.T) {
	x := start(t, setup{model: refundReplies("It was not refunded.")})
	before := x.refunds()
	x.line("refund it")
	x.want(`y once`, `billing\.refund\.issue`, `amount_cents = 100`, `MUTATES`, `HIGH RISK`,
		`! Cannot be undone`, `asked by the model`)
	// Enter never says yes, however long one waits; y would be heard by the time that ? is.
	x.keys("Enter")
	x.wait("the box's ear", func() bool {
		x.keys("?")
		time.Sleep(900 * time.Millisecond) // typing keeps the box deaf
		return regexp.MustCompile(`invoice_id +str +required`).MatchString(x.screen())
	})
	x.keys("Enter")
	x.want("y once")
	time.Sleep(silence)
	x.keys("n")
	x.want("denies with this reason")
	x.line("wrong customer")
	x.want("denied: wrong customer", "It was not refunded")
	if told := x.server.Requests()[1].Last(); !strings.Contains(told, "denied") ||
		!strings.Contains(told, "wrong customer") {
		t.Errorf("the model was not told: %q", told)
	}
	if after := x.refunds(); after != before {
		t.Errorf("refunds before %q, after %q", before, after)
	}
}

// refunds is the last refund in the demo's database.
func (x *terminal) refunds() string {
	x.t.Helper()
	r := headless(x.t, x.home, "", nil, "-e", "return billing.refund.list{limit=1}[1].id")
	if r.code != 0 {
		x.t.Fatal(r)
	}
	return strings.TrimSpace(r.stdout)
}

// noAnswer types a word at an open question, as fast as people do, and waits until the box says that it is no answer.
func (x *terminal) noAnswer(word string) {
	x.t.Helper()
	time.Sleep(silence)
	for _, letter := range word {
		x.text(string(letter))
		time.Sleep(30 * time.Millisecond)
	}
	x.want(`no answer`)
	x.keys("Enter")
}

// Words, pastes and what was typed ahead answer no question, in any window: no refund is made, the box is still there,
// and then y makes exactly one.
func TestR07OnlyAnswersAnswer(t *testing.T) {
	for _, size := range []struct{ width, height int }{{100, 32}, {80, 24}, {40, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			x := start(t, setup{width: size.width, height: size.height, model: refundReplies("It was refunded.")})
			before := x.refunds()
			x.line("refund it")
			for range 5 {
				x.text("y")
			}
			x.want(`y once|no answer`)
			for _, word := range []string{"/trace", "/allow", "/policy", "yes", "away", "a lot", "no"} {
				x.noAnswer(word)
			}
			x.paste("y\n")
			x.pasteBare("a\n")
			x.paste("yes")
			time.Sleep(silence)
			x.want(`y once`, `billing\.refund\.issue`, `HIGH RISK`, `! Cannot be undone`)
			x.text("a")
			x.want(`1 exactly these arguments`, `3 any arguments`)
			for _, word := range []string{"/trace", "1 more", "all 3", "33"} {
				x.noAnswer(word)
			}
			x.paste("3\n")
			x.pasteBare("3\n")
			time.Sleep(silence)
			x.keys("Enter")
			x.want(`3 any arguments`, `marks|then Enter`)
			time.Sleep(silence)
			x.text("3")
			x.want(`> 3 any`, `HIGH RISK: Enter allows`)
			x.keys("Escape")
			x.want(`y once`)
			time.Sleep(silence)
			x.text("v")
			x.want(`Script calling`, `> 1`)
			x.text("y")
			x.keys("Enter")
			x.keys("Escape")
			x.gone(`Script calling`)
			x.keys("F3")
			x.want("Trace")
			x.text("ya")
			x.keys("F3")
			x.want("y once")
			time.Sleep(silence)
			if after := x.refunds(); after != before {
				t.Fatalf("refunds before %q, after %q", before, after)
			}
			x.text("y")
			x.want("It was refunded")
			var from, to int
			fmt.Sscanf(strings.Trim(before, `"`), "rfd_%d", &from)
			fmt.Sscanf(strings.Trim(x.refunds(), `"`), "rfd_%d", &to)
			if to != from+1 {
				t.Errorf("the last refund was %d and is %d: want one more", from, to)
			}
			x.want(`ask ❯ ?y*\s*$`) // and nothing of it is in the input, but for what was typed before the box came
		})
	}
}

// A window that shrinks step by step while a question waits at its lower end leaves no half box above it.
func TestR07ResizesLeaveOneBox(t *testing.T) {
	x := start(t, setup{width: 100, height: 32, model: refundReplies("It was not refunded.")})
	x.run("!for i = 1, 40 do print(i) end", `^40$`)
	x.line("refund it")
	x.want(`y once`)
	for _, size := range [][2]int{{92, 30}, {84, 26}, {80, 24}, {72, 22}, {66, 20}, {74, 24}, {70, 18}, {100, 32}} {
		x.resize(size[0], size[1])
		time.Sleep(silence)
		if boxes := strings.Count(x.scrollback(), "━━ approve?"); boxes != 1 {
			t.Fatalf("at %v there are %d boxes:\n%s", size, boxes, x.scrollback())
		}
	}
	x.want(`y once`, `HIGH RISK`, `! Cannot be undone`)
	time.Sleep(silence)
	x.text("y")
	x.want("y allows once")
	x.resize(80, 24)
	x.want("allowed once", "It was not refunded")
}

// Keys that were typed before the box could be read say nothing.
func TestR07TypedAheadIsNoAnswer(t *testing.T) {
	x := start(t, setup{model: refundReplies("done")})
	before := x.refunds()
	x.line("refund it")
	for range 10 {
		x.text("y")
	}
	x.want("y once")
	x.text("yyy")
	time.Sleep(300 * time.Millisecond)
	x.want("y once")
	x.keys("C-c")
	x.want("interrupted")
	if after := x.refunds(); after != before {
		t.Errorf("refunds before %q, after %q", before, after)
	}
}

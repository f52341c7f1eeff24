//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"almanac/llm/openai/openaitest"
)

// This file tests the one question about a whole run: a list of writes that a person switches off, edits, allows or
// denies.

// refunds3 is a run of three refunds.
const refunds3 = `local n = 0
for i, id in ipairs{'inv_00001', 'inv_00002', 'inv_00003'} do
  if billing.refund.issue{invoice_id=id, amount_cents=100+i, reason='duplicate'} then n = n + 1 end
end
return n .. ' were made'`

func listReplies(answer string) []openaitest.Reply {
	args, _ := json.Marshal(map[string]any{"script": refunds3, "actions": []string{"billing.refund.issue"}})
	return []openaitest.Reply{{Calls: []openaitest.Call{{Name: "lua_tools_execute", Args: string(args)}}}, {Text: answer}}
}

// lastRefund is the number of the last refund in the demo's database.
func (x *terminal) lastRefund() (n int) {
	x.t.Helper()
	fmt.Sscanf(strings.Trim(x.refunds(), `"`), "rfd_%d", &n)
	return n
}

// Words, digits, pastes and resizes answer no list and switch nothing on; then one item is switched off by its number,
// another is edited, and y makes exactly what is on.
func TestListOfARun(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {40, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			x := start(t, setup{width: size.width, height: size.height, model: listReplies("It was done.")})
			before := x.lastRefund()
			x.line("refund them")
			x.text("yyy")
			x.want(`make all 3|no answer`)
			time.Sleep(silence)
			x.want(`3 writes, 3 of high risk`, `HIGH RISK`, `! Cannot be undone`, `> 1 on`, `make all 3`)
			x.text("2")
			time.Sleep(pause)
			x.keys("Enter")
			x.want(`2 off`, `make 2 of 3`)
			for _, word := range []string{"/trace", "yes", "2 more", "12 y", "no", "a", "off 2"} {
				x.noAnswer(word)
			}
			x.paste("y\n")
			x.pasteBare("y\n")
			x.pasteBare("2\n")
			time.Sleep(silence)
			x.text("1") // answers nothing, and switches nothing without Enter
			time.Sleep(2 * silence)
			x.resize(size.width+3, size.height-2)
			x.want(`2 off`, `! Cannot be undone`, `1 switches|switches 1`)
			x.resize(size.width, size.height)
			x.keys("Down")
			time.Sleep(silence)
			x.want(`2 off`, `make 2 of 3`)
			if x.lastRefund() != before {
				t.Fatal("something was refunded")
			}
			x.keys("Down")
			time.Sleep(pause)
			x.text("e")
			x.want(`args ❯ [\s\S]*inv_00003`)
			time.Sleep(silence)
			for range 3 {
				x.keys("C-u", "BSpace", "C-u", "BSpace")
			}
			x.line(`{ invoice_id = "inv_00003", amount_cents = 7, reason = "late" }`)
			x.want(`3 on +{[\s\S]*"late"`, `edited`)
			time.Sleep(silence)
			x.text("y")
			x.want(`approved as a list: 2 of 3`, `edited: 3`, `It was done`)
			if told := x.server.Requests()[1].Last(); !strings.Contains(told, "2 were made") {
				t.Errorf("the model was told %q", told)
			}
			if after := x.lastRefund(); after != before+2 {
				t.Errorf("the last refund was %d and is %d: want two more", before, after)
			}
			x.want(`ask ❯ ?y*\s*$`)
		})
	}
}

// A denied run makes nothing, and its reason is with the model, in the transcript and in the log.
func TestListIsDenied(t *testing.T) {
	x := start(t, setup{model: listReplies("Nothing was done.")})
	before := x.lastRefund()
	x.line("refund them")
	x.want(`make all 3`)
	time.Sleep(silence)
	x.text("n")
	x.want("denies with this reason")
	x.line("wrong customer")
	x.want(`you: denied: wrong customer`, `×3 +you denied this: wrong customer`, `Nothing was done`)
	if told := x.server.Requests()[1].Last(); !strings.Contains(told, "wrong customer") {
		t.Errorf("the model was told %q", told)
	}
	if x.lastRefund() != before {
		t.Error("something was refunded")
	}
	if !strings.Contains(x.log(), "you denied this: wrong customer") {
		t.Errorf("the log has no reason:\n%s", x.log())
	}
	file := filepath.Join(x.dir, "out.md")
	x.line("/export " + file)
	x.want(`out\.md: \d+ cells? written`)
	out, err := os.ReadFile(file)
	if want := "`billing.refund.issue` 3 times denied, would change data (you denied this: wrong customer)"; err != nil ||
		!strings.Contains(string(out), want) {
		t.Errorf("the export does not say %q: %v\n%s", want, err, out)
	}
}

// A program that is killed while a list waits made nothing of it, and the resumed session says so.
func TestListOfAKilledProgram(t *testing.T) {
	x := start(t, setup{model: listReplies("not reached")})
	before := x.lastRefund()
	x.line("refund them")
	x.want(`make all 3`)
	time.Sleep(silence)
	x.signal(syscall.SIGKILL)
	x.want(`RC=137`)
	if x.lastRefund() != before {
		t.Error("something was refunded")
	}
	y := open(t, setup{home: x.home, args: []string{"--continue"}, first: prompt})
	y.want(`not made|never answered|not answered`)
}

// In the line mode the same list is answered by lines.
func TestPlainList(t *testing.T) {
	x := start(t, setup{args: []string{"--plain"}, raw: true, model: listReplies("It was done.")})
	before := x.lastRefund()
	x.line("refund them")
	x.want(`1 on +{ invoice_id = "inv_00001"`, `! Cannot be undone`, `y \(make all 3\)[^\n]*:\s*$`)
	for _, c := range []struct{ typed, want string }{
		{"yes please", `not an answer`}, {"2", `not an answer`}, {"off 2-3", `switched off: 2 writes`},
		{"on 3", `y \(make 2 of 3\)[^\n]*:\s*$`}, {"off 9", `want numbers from 1 to 3`}, {"v", `> 3 ┊ +if billing`},
	} {
		time.Sleep(silence) // what comes at once was typed before the question
		x.line(c.typed)
		x.want(c.want)
	}
	time.Sleep(silence)
	x.line("y")
	x.want(`approved as a list: 2 of 3; switched off: 2`, `It was done`)
	if after := x.lastRefund(); after != before+2 {
		t.Errorf("the last refund was %d and is %d: want two more", before, after)
	}
	if strings.Contains(string(x.bytes()), "\x1b") {
		t.Errorf("escapes in plain mode: %q", x.bytes())
	}
}

//go:build linux

package kills

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A world is a data folder and what was done in it.
type world struct {
	t        *testing.T
	r        *rand.Rand
	program  string
	data     string
	step     int  // the last one
	large    bool // there are large states
	tally    tally
	told     []string            // of this life, for an error
	accounts map[string]*account // by session
	last     string              // the session that the next life goes on from
	newest   string              // the last session
}

func newWorld(t *testing.T, program string, seed uint64) *world {
	data, err := os.MkdirTemp("", "almanac-kills")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, r: rand.New(rand.NewPCG(seed, 0)), program: program, data: data, accounts: map[string]*account{},
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("SEED=%d; data folder %s", seed, data)
			return
		}
		_ = os.RemoveAll(data)
	})
	return w
}

func (w *world) copyOffice(path string) {
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(filepath.Join(w.data, "office.db"), raw, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// notes declare an action with two effects, which only both together say the same.
const notes = `almanac: 1
actions:
  step.note:
    operation: read
    input: {n: {type: integer, required: true}}
    data: true
    effects:
    - {kind: state.set, target: step, value: $args.n}
    - {kind: state.set_path, target: notes.step, value: $args.n}
`

// dump prints the globals that steps set, and the state that their effects have left.
const dump = `print("state " .. table.concat(seen or {}, ",") .. " total " .. tostring(total) .. " last " .. ` +
	`tostring(last and last.n) .. " shared " .. tostring(not last or last.all == seen) .. " count " .. ` +
	`tostring(steps and steps()) .. " ghost " .. tostring(ghost) .. " noted " .. tostring(state.step) .. " " .. ` +
	`tostring(state.notes and state.notes.step))`

// globals is what dump prints after these steps.
func globals(steps []int) string {
	total, last, count := "nil", "nil", "nil"
	if n := len(steps); n > 0 {
		sum := 0
		for _, s := range steps {
			sum += s
		}
		total, last, count = fmt.Sprint(sum), fmt.Sprint(steps[n-1]), fmt.Sprint(n)
	}
	return fmt.Sprintf("state %s total %s last %s shared true count %s ghost nil noted %s %s",
		strings.Trim(strings.ReplaceAll(fmt.Sprint(steps), " ", ","), "[]"), total, last, count, last, last)
}

// script is the next step: its number goes into the globals at its beginning and at its end, with what is between.
func (w *world) script(between string) (number int, text string) {
	w.step++
	n := w.step
	return n, fmt.Sprintf(`seen = seen or {} seen[#seen+1] = %d print("at %d") step.note{n = %d} %s `+
		`total = (total or 0) + %d last = {n = %d, all = seen} steps = steps or function() return #seen end `+
		`return "done %d"`, n, n, n, between, n, n, n)
}

// largeName is a global that makes the state large.
const largeName = "large"

func ticket(n, i int) string {
	return fmt.Sprintf(`support.ticket.create{customer_id = "cus_0001", subject = "kill %d.%d", body = "b", `+
		`category = "product"}`, n, i)
}

// next is a line of some kind.
func (w *world) next() string {
	n := w.step + 1
	switch k := w.r.IntN(26); {
	case k < 5:
		_, text := w.script("")
		return text
	case k < 11:
		var calls strings.Builder
		for i := range 1 + w.r.IntN(3) {
			fmt.Fprintf(&calls, "%s print('at %d.%d') ", ticket(n, i), n, i)
		}
		_, text := w.script(calls.String())
		return text
	case k < 13 && w.large:
		_, text := w.script(fmt.Sprintf(`%s = string.rep("x", %d) .. %d`, largeName, w.r.IntN(3<<20), n))
		return text
	case k < 15:
		_, text := w.script(ticket(n, 0))
		return "/preview " + text
	case k < 16:
		_, text := w.script("ghost = {all = seen} " + ticket(n, 0) + []string{"", " error('failed')"}[w.r.IntN(2)])
		return text + fmt.Sprintf(" .. error('failed %d')", n)
	case k < 17:
		_, text := w.script(`for i = 1, 20 do crm.customer.search{query = "Acme", limit = i} end`)
		return text
	case k < 18:
		return "/lua reset"
	case k < 24:
		moves := []string{"/undo", "/undo", "/undo 2", "/redo", "/checkpoint one", "/restore one", "/apply", "/apply"}
		return moves[w.r.IntN(len(moves))]
	default:
		return dump
	}
}

// live starts the program, which goes on from where the last one was killed, feeds it and kills it.
func (w *world) live() {
	w.t.Helper()
	var args []string
	if w.last != "" {
		args = []string{"--continue"}
	}
	first := w.step
	l := start(w.t, w.program, w.data, args)
	lines := []string{dump}
	if w.r.IntN(4) == 0 {
		lines = []string{w.next()}
	}
	for range 1 + w.r.IntN(10) {
		lines = append(lines, w.next())
	}
	lines = append(lines, fmt.Sprintf("print(%q)", idle))
	w.told = append([]string{strings.Join(args, " ")}, lines...)
	go l.feed(lines...)
	if w.r.IntN(4) == 0 { // the kernel process alone first
		w.moment(l, first)
		if pids := l.kernels(); len(pids) > 0 {
			pid := pids[w.r.IntN(len(pids))]
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				w.tally.kernels++
				w.told = append(w.told, fmt.Sprintf("killed kernel process %d", pid))
			}
		}
	}
	w.moment(l, first)
	kernels := l.kernels()
	if w.r.IntN(3) == 0 {
		for _, pid := range kernels {
			w.tally.kernels++
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	_ = l.cmd.Process.Kill()
	w.tally.parents++
	l.end(kernels...)
	shown, _ := l.lines()
	w.check(shown)
}

// moment waits for one at which something is killed: some time after the start, or after something was shown.
func (w *world) moment(l *life, first int) {
	if w.r.IntN(4) > 0 && w.step > first {
		l.wait(fmt.Sprintf("%s %d", []string{"at", "done"}[w.r.IntN(2)], first+1+w.r.IntN(w.step-first)))
	}
	after := []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond}
	if most := after[w.r.IntN(len(after))]; most > 0 {
		time.Sleep(time.Duration(w.r.Int64N(int64(most))))
	}
}

// ending starts the program once more and lets it end by itself.
func (w *world) ending() {
	w.t.Helper()
	var args []string
	if w.last != "" {
		args = []string{"--continue"}
	}
	l := start(w.t, w.program, w.data, args)
	w.told = []string{strings.Join(args, " "), dump}
	l.feed(w.told[1:]...)
	l.close()
	l.end()
	shown, _ := l.lines()
	w.check(shown)
}

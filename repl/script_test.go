package repl

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"almanac/catalog"
	"almanac/internal/golden"
	"almanac/llm"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// An office is a small back office that remembers what was changed in it.
type office struct {
	mu   sync.Mutex
	acts []string
}

func (o *office) entries() []catalog.Entry {
	object := func(fields, required string) *catalog.Schema {
		return catalog.MustSchema(`{"type":"object","properties":{` + fields + `},"required":[` + required +
			`],"additionalProperties":false}`)
	}
	list := func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		if c.Args["customer_id"] == "none" {
			return catalog.Result{}, errors.New("no customer none")
		}
		var rows []any
		if c.Args["customer_id"] == "many" {
			for i := range 100 {
				rows = append(rows, map[string]any{
					"id": fmt.Sprintf("inv_%04d", i), "amount_cents": 1000 + 37*i, "due_date": fmt.Sprintf("2026-10-%02d", 1+i%28),
				})
			}
			return catalog.Result{Data: rows}, nil
		}
		for i, due := range []string{"2026-10-02", "2026-10-09", "2026-11-01"} {
			rows = append(rows, map[string]any{
				"id": fmt.Sprintf("inv_%d", 1001+i), "amount_cents": 12900 - 4200*i, "due_date": due,
			})
		}
		return catalog.Result{Data: rows}, nil
	}
	change := func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.acts = append(o.acts, c.ID+" "+show.LuaText(c.Args, 0))
		return catalog.Result{Data: map[string]any{"refund_id": "ref_1"}}, nil
	}
	get := func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		return catalog.Result{Data: map[string]any{"id": c.Args["id"], "name": "Acme Corp"}}, nil
	}
	return []catalog.Entry{
		{
			ID: "billing.invoice.list_unpaid", Description: "List unpaid invoices of a customer.", Entities: []string{"invoice"},
			Input: object(`"customer_id":{"type":"string"},"limit":{"type":"integer","default":25},"status":{"enum":["open","late"]}`, `"customer_id"`),
			Output: catalog.MustSchema(`{"type":"array","items":{"type":"object","title":"invoice","properties":{"id":{"type":"string"},
				"amount_cents":{"type":"integer"},"due_date":{"type":"string"}}}}`),
			Action: list,
		},
		{
			ID: "billing.refund.issue", Description: "Issue a refund for an invoice.", Mutates: true, Risk: catalog.High,
			Operation: catalog.Create,
			Input:     object(`"invoice_id":{"type":"string"},"amount_cents":{"type":"integer"}`, `"invoice_id","amount_cents"`),
			Output:    object(`"refund_id":{"type":"string"}`, `"refund_id"`), Action: change,
			Compensate: &catalog.Compensation{ID: "billing.refund.issue", Args: map[string]any{
				"invoice_id": "$args.invoice_id", "amount_cents": "-$args.amount_cents",
			}},
		},
		{
			ID: "crm.customer.get", Description: "Get a customer.", Input: object(`"id":{"type":"string"}`, `"id"`),
			Output: object(`"id":{"type":"string"},"name":{"type":"string"}`, `"id","name"`), Action: get,
		},
	}
}

// A memory is a log that is not on disk.
type memory struct {
	mu      sync.Mutex
	records []trace.Record
}

func (m *memory) append(r trace.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	m.records = append(m.records, r)
	return nil
}

func (m *memory) all() ([]trace.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.records), nil
}

// newShell is a shell over a real session, with a kernel process, on the small office.
func newShell(t *testing.T, o Options, p policy.Policy) (*Shell, *office) {
	t.Helper()
	return newLimitedShell(t, o, p, vm.Limits{})
}

func newLimitedShell(t *testing.T, o Options, p policy.Policy, l vm.Limits) (*Shell, *office) {
	t.Helper()
	back := &office{}
	c, report := catalog.New(back.entries(), catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatalf("skipped: %+v", report.Skipped)
	}
	if o.Feed == nil {
		o.Feed = event.NewFeed()
	}
	log := &memory{}
	s, err := session.New(c.View(),
		o.Feed.Session(session.Options{ID: "test", Policy: p, UserLimits: l, Record: log.append}, true))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	o.Session = s
	if o.Log == nil {
		o.Log = log.all
	}
	if o.Record == nil {
		o.Record = log.append
	}
	if o.Version == "" {
		o.Version = "v0"
	}
	return New(o), back
}

// times and sizes are what differs from run to run.
var clock = regexp.MustCompile(`\b\d\d:\d\d(  )`)
var sizes = regexp.MustCompile(`\d+\.\d [KM]iB of`)
var times = regexp.MustCompile(`<?\d+(\.\d+)? [mµ]?s\b|\d\d:\d\d:\d\d\.\d+|\d{4}-\d\d-\d\d \d\d:\d\d`)

// spent are the rows of UsageTable with times.
var spent = regexp.MustCompile(`(?m)^(time in model| in Lua| in actions| asking you) .*`)

// stamps are the times in a written file.
var stamps = regexp.MustCompile(`"(start|time|took_ns)":("[^"]*"|\d+)`)

// typed handles one input as a screen does and returns what it printed. answers are taken for questions, in order.
func typed(ctx context.Context, sh *Shell, line string, answers *[]string) string {
	if sh.Submit(line) == input.Incomplete {
		return "..\n"
	}
	done := make(chan Status, 1)
	go func() { done <- sh.Handle(ctx, line) }()
	var b strings.Builder
	var text event.Event // what is printed or spoken comes in pieces of no certain size
	render := func(e event.Event) {
		for _, l := range event.Lines(e, 100, event.RenderOptions{NoEcho: true}) {
			b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
		}
	}
	show := func() {
		for _, e := range sh.Feed().Take() {
			isText := e.Kind == event.Printed || e.Kind == event.Spoke
			if isText && text.Kind == e.Kind && text.Stream == e.Stream {
				text.Text += e.Text
				continue
			}
			render(text)
			if text = (event.Event{}); isText {
				text = e
				continue
			}
			render(e)
			if e.Kind == event.Asked {
				answer(&b, e.Ask, answers)
			}
		}
	}
	for {
		select {
		case <-sh.Feed().Wake():
			show()
		case status := <-done:
			show()
			render(text)
			if status == Quit {
				b.WriteString("[quit]\n")
			}
			told := spent.ReplaceAllString(b.String(), "$1  N ms")
			told = sizes.ReplaceAllString(times.ReplaceAllString(told, "N ms"), "N KiB of")
			return clock.ReplaceAllString(told, "HH:MM$1")
		}
	}
}

func answer(b *strings.Builder, ask *event.Ask, answers *[]string) {
	if len(*answers) == 0 {
		b.WriteString("[nobody answers]\n")
		ask.Answer <- session.Approval{}
		return
	}
	text := (*answers)[0]
	*answers = (*answers)[1:]
	fmt.Fprintf(b, "[%s]\n", text)
	switch word, reason := input.CutWord(text); word {
	case "y":
		ask.Answer <- session.Approval{Verdict: session.Once}
	case "a":
		ask.Answer <- session.Approval{Verdict: session.ForSession}
	default:
		ask.Answer <- session.Approval{Reason: reason}
	}
}

// The scripts are what a person types and what is printed: sections "type" (an input), "answer" (to the questions of
// the next input, a line each), "policy", "changed" (what reached the back office) and "prints". A script with sections
// "model says" and "model runs" has a model, which answers with them one after the other.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(strings.TrimSuffix(name, ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{History: input.OpenHistory("", "")}
			sh, back := newShell(t, o, policy.Policy{})
			if replies := modelReplies(archive); len(replies) > 0 {
				sh, back = withModel(t, policy.Policy{}, o, replies...)
			}
			play(t, sh, back, archive)
			golden.Equal(t, "testdata/script/"+name, string(txtar.Format(archive)))
		})
	}
}

func modelReplies(archive *txtar.Archive) []llm.Response {
	var replies []llm.Response
	for _, section := range archive.Files {
		switch text := strings.TrimSuffix(string(section.Data), "\n"); section.Name {
		case "model says":
			replies = append(replies, llm.Response{Text: text})
		case "model runs":
			replies = append(replies, executes(text))
		}
	}
	return replies
}

// play types what the archive says and fills in what was printed. $DIR in an input is a folder of the test's own.
func play(t *testing.T, sh *Shell, back *office, archive *txtar.Archive) {
	dir := scriptDir(t)
	var answers []string
	printed := ""
	for i, section := range archive.Files {
		text := strings.TrimSuffix(string(section.Data), "\n")
		switch section.Name {
		case "type":
			printed = typed(t.Context(), sh, strings.ReplaceAll(text, "$DIR", dir), &answers)
			printed = strings.ReplaceAll(printed, dir, "$DIR")
		case "answer":
			answers = append(answers, strings.Split(text, "\n")...)
		case "policy":
			if err := sh.Session().SetPolicy(policy.Policy{Mode: policy.Mode(text)}); err != nil {
				t.Fatal(err)
			}
		case "changed":
			back.mu.Lock()
			printed = strings.Join(append(back.acts, ""), "\n")
			back.acts = nil
			back.mu.Unlock()
			archive.Files[i].Data = []byte(printed)
		case "file": // the files that were written, one after the other
			printed = ""
			names, _ := filepath.Glob(dir + "/*")
			for _, name := range names {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				printed += "== " + filepath.Base(name) + "\n" + stamps.ReplaceAllString(string(text), `"$1":TIME`)
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			archive.Files[i].Data = []byte(printed)
		case "model says", "model runs":
		case "prints":
			archive.Files[i].Data = []byte(printed)
		default:
			t.Fatalf("unknown section %q", section.Name)
		}
	}
}

// A scripted model answers with what it was given, one response after the other.
type scripted struct {
	responses []llm.Response
}

func (s *scripted) Complete(_ context.Context, _ llm.Request, hear func(llm.Piece)) (llm.Response, error) {
	if len(s.responses) == 0 {
		return llm.Response{}, errors.New("the model has nothing to say")
	}
	if fault := s.responses[0].Stop; strings.HasPrefix(fault, "fault ") {
		s.responses = s.responses[1:]
		return llm.Response{}, &llm.Error{Kind: llm.ServerFault, Status: 500, Message: fault}
	}
	r := s.responses[0]
	s.responses = s.responses[1:]
	for _, piece := range strings.SplitAfter(r.Reasoning, " ") {
		hear(llm.Piece{Reasoning: piece})
	}
	for _, piece := range strings.SplitAfter(r.Text, " ") {
		hear(llm.Piece{Text: piece})
	}
	return r, nil
}

// bareShell is a shell for fuzzing: a real session that never runs anything.
func bareShell(f *testing.F) *Shell {
	c, _ := catalog.New((&office{}).entries(), catalog.Options{})
	s, err := session.New(c.View(), session.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	return New(Options{Session: s})
}

// scriptDir is a folder whose name is always as long: lines that hold it break where they break.
func scriptDir(t *testing.T) string {
	t.Helper()
	for {
		dir := filepath.Join(os.TempDir(), fmt.Sprintf("almanac-script-%06d", rand.IntN(1_000_000)))
		if err := os.Mkdir(dir, 0o700); err == nil {
			t.Cleanup(func() { os.RemoveAll(dir) })
			return dir
		} else if !os.IsExist(err) {
			t.Fatal(err)
		}
	}
}

package repl

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"almanac/catalog"
	"almanac/catalog/team"
	"almanac/catalog/team/bus"
	"almanac/internal/golden"
	"almanac/repl/event"
	"almanac/session"
	"almanac/session/policy"
)

// A teamShell is the shell of ann, who is in a team with bo, and what was typed into it.
type teamShell struct {
	*Shell
	t       *testing.T
	feed    *event.Feed
	ann, bo *team.Team
	out     strings.Builder
	ids     *strings.Replacer // of what differs from run to run
}

func newTeamShell(t *testing.T) *teamShell {
	t.Helper()
	dir := t.TempDir()
	b, err := bus.Open(t.Context(), bus.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	join := func(name, parent string, roles ...string) *team.Team {
		member, err := team.Join(t.Context(), b, team.Options{Team: "shop", Agent: name, Parent: parent, Roles: roles})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = member.Close() })
		return member
	}
	sh := &teamShell{t: t, feed: event.NewFeed(), ids: strings.NewReplacer(dir, "DIR")}
	sh.ann, sh.bo = join("ann", ""), join("bo", "ann", "reader", "clerk")
	c, report := catalog.New(sh.ann.Entries(), catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	s, err := session.New(c.View(), sh.feed.Session(session.Options{Policy: policy.Policy{Mode: policy.Session}}, true))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.SetMessages(func() []catalog.Message {
		return []catalog.Message{{Role: "user", Text: "Refunds of more than 500 dollars need the head of finance."}}
	})
	sh.Shell = New(Options{Session: s, Feed: sh.feed, Team: func() (*team.Team, error) { return sh.ann, nil }})
	return sh
}

// lines types lines.
func (sh *teamShell) lines(lines ...string) {
	for _, l := range lines {
		got := typed(sh.t.Context(), sh.Shell, l, nil)
		sh.out.WriteString("> " + sh.ids.Replace(l) + "\n" + sh.ids.Replace(got))
	}
}

// narrow types lines into a window of 40 columns.
func (sh *teamShell) narrow(lines ...string) {
	for _, l := range lines {
		sh.out.WriteString("> " + l + "\n")
		sh.Handle(sh.t.Context(), l)
		for _, e := range sh.feed.Take() {
			for _, shown := range event.Lines(e, 40, event.RenderOptions{NoEcho: true}) {
				sh.out.WriteString(sh.ids.Replace(shown.String()) + "\n")
			}
		}
	}
}

// complete asks what completes the texts.
func (sh *teamShell) complete(texts ...string) {
	for _, text := range texts {
		words := strings.TrimRight(sh.ids.Replace(completed(sh.t, sh.Shell, text)), "\n")
		sh.out.WriteString("> " + text + "\n" + indent(words, "  ") + "\n")
	}
}

// ask sends ann a question of bo.
func (sh *teamShell) ask(q team.Query) string {
	sh.t.Helper()
	q.To, q.Kind = "ann", team.Question
	id, err := sh.bo.Ask(sh.t.Context(), q)
	if err != nil {
		sh.t.Fatal(err)
	}
	return id
}

// send sends messages of bo.
func (sh *teamShell) send(to string, texts ...string) {
	sh.t.Helper()
	for _, text := range texts {
		if err := sh.bo.Send(sh.t.Context(), team.Item{Kind: team.Message, To: to, Text: text}); err != nil {
			sh.t.Fatal(err)
		}
	}
}

func (sh *teamShell) equal(file string) {
	sh.t.Helper()
	got := regexp.MustCompile(`\d\d:\d\d`).ReplaceAllString(sh.out.String(), "15:04")
	got = regexp.MustCompile(`(?m) \S+  pid \d+`).ReplaceAllString(got, " HOST  pid N")
	got = regexp.MustCompile(`<?\d+ ms`).ReplaceAllString(got, "N ms")
	golden.Equal(sh.t, file, got)
}

// What a peer sent is listed, opened and answered.
func TestInbox(t *testing.T) {
	sh := newTeamShell(t)
	sh.lines("/inbox")
	id := sh.ask(team.Query{Text: "which invoices are\noverdue?"})
	sh.send("", "the migration is done\x1b[2J")
	eventually(t, "two items", func() bool { return len(sh.ann.Unread()) == 2 })
	sh.ids = strings.NewReplacer(id, "QUERY")
	if got := sh.StatusLine().Team; got != "team shop as ann, 2 unread" {
		t.Errorf("status %q", got)
	}
	sh.lines("/inbox", "/inbox 1", "/inbox", "/inbox 1 answer inv_1, and inv_2", "/inbox 2 answer thanks",
		"/inbox 2 done", "/inbox", "/inbox done", "/inbox 9", "/inbox x", "/inbox 1 forward")
	if got := sh.StatusLine().Team; got != "team shop as ann" {
		t.Errorf("status %q", got)
	}
	eventually(t, "two replies", func() bool { return len(sh.bo.Unread()) == 2 })
	for _, item := range sh.bo.Unread() {
		sh.out.WriteString(sh.ids.Replace("bo gets: " + event.ItemTitle(item) + ": " + item.Text + "\n"))
	}
	sh.equal("testdata/inbox.golden")
}

// Of many items the last are listed, and one that was answered meanwhile says so.
func TestLongInbox(t *testing.T) {
	sh := newTeamShell(t)
	sh.send("", "message 0") // what is for all stays, however much of bo's has been read
	for i := range shownItems - 1 {
		sh.send("ann", fmt.Sprint("message ", i+1))
	}
	id := sh.ask(team.Query{Text: "and whose?", Context: "for May"})
	sh.ids = strings.NewReplacer(id, "QUERY")
	eventually(t, "all items", func() bool { return len(sh.ann.Unread()) == shownItems+1 })
	sh.lines("/inbox")
	if _, _, err := sh.ann.Answer(t.Context(), id, "Acme's"); err != nil {
		t.Fatal(err)
	}
	sh.lines("/inbox 21", "/inbox 21 answer Acme's", "/inbox done")
	sh.narrow("/inbox")
	sh.complete("/inbox |", "/inbox 1 |")
	sh.equal("testdata/inbox_long.golden")
}

// What a team shares is listed.
func TestTeam(t *testing.T) {
	sh := newTeamShell(t)
	sh.lines("/team", "/tasks", "/keepers", "/peers", "/peers x", "/tasks now", "/keepers nothing")
	for _, code := range []string{
		`!peer.task.create{title = "check the invoices of May, each of them, and write what is wrong", key = "may"}`,
		`!context.offload{topic = "refunds of more than 500 dollars, and who allows them"}`,
	} {
		typed(t.Context(), sh.Shell, code, nil)
	}
	kept := sh.ann.Keepers(t.Context())[0].ID
	tasks, err := sh.ann.Tasks(t.Context())
	if err != nil || len(tasks) != 1 {
		t.Fatal(tasks, err)
	}
	typed(t.Context(), sh.Shell, `!peer.task.create{title = "send it", to = "bo", after = {"`+tasks[0].ID+`"}}`, nil)
	if tasks, err = sh.ann.Tasks(t.Context()); err != nil || len(tasks) != 2 {
		t.Fatal(tasks, err)
	}
	sh.ids = strings.NewReplacer(kept, "KEEPER", tasks[0].ID, "TASK", tasks[1].ID, "AFTER")
	sh.lines("/tasks")
	sh.narrow("/tasks", "/keepers")
	sh.complete("/keepers |", "/tasks |")
	sh.equal("testdata/team.golden")
}

// eventually waits for what another goroutine does.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after 20 s", what)
		}
	}
}

// Without a team each command says how to get one.
func TestNoTeam(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	for _, l := range []string{"/team", "/inbox", "/inbox 3", "/peers", "/keepers", "/tasks"} {
		want := "error: no team: start with --team NAME, or set name under [team] in the configuration\n"
		if got := typed(t.Context(), sh, l, nil); got != want {
			t.Errorf("%s: %q", l, got)
		}
	}
}

// A command that only looks does not wait for a bus that hangs.
func TestLookAtHangingBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := fromBus(t.Context(), func(ctx context.Context) (any, error) {
			<-ctx.Done()
			return nil, fmt.Errorf("no answer: %w", ctx.Err())
		})
		want := "team: no answer from the bus in 2.0 s: the program that runs it may hang; try again"
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
}

package repl

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/team"
	"almanac/catalog/team/bus"
	"almanac/internal/golden"
	"almanac/repl/event"
	"almanac/session"
	"almanac/session/policy"
)

// TestTeam types the commands of a team: what a peer sent is listed, opened and answered, and what is shared is shown.
func TestTeam(t *testing.T) {
	b, err := bus.Open(t.Context(), bus.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	join := func(name, parent string, roles ...string) *team.Team {
		member, err := team.Join(t.Context(), b, team.Options{Team: "shop", Agent: name, Parent: parent, Roles: roles})
		if err != nil {
			t.Fatal(err)
		}
		return member
	}
	ann, bo := join("ann", ""), join("bo", "ann", "reader", "clerk")
	defer ann.Close()
	defer bo.Close()
	c, report := catalog.New(ann.Entries(), catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	feed := event.NewFeed()
	s, err := session.New(c.View(), feed.Session(session.Options{Policy: policy.Policy{Mode: policy.Session}}, true))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.SetMessages(func() []catalog.Message {
		return []catalog.Message{{Role: "user", Text: "Refunds of more than 500 dollars need the head of finance."}}
	})
	sh := New(Options{Session: s, Feed: feed, Team: func() (*team.Team, error) { return ann, nil }})

	var out strings.Builder
	ids := strings.NewReplacer()
	line := func(typedLine string) {
		got := typed(t.Context(), sh, typedLine, nil)
		out.WriteString("> " + ids.Replace(typedLine) + "\n" + ids.Replace(got))
	}
	line("/inbox")
	line("/tasks")
	line("/keepers")
	id, err := bo.Ask(t.Context(), team.Query{To: "ann", Kind: team.Question, Text: "which invoices are\noverdue?"})
	if err != nil {
		t.Fatal(err)
	}
	if err := bo.Send(t.Context(), team.Item{Kind: team.Message, Text: "the migration is done\x1b[2J"}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "two items", func() bool { return len(ann.Unread()) == 2 })
	ids = strings.NewReplacer(id, "QUERY")
	if got := sh.StatusLine().Team; got != "team shop as ann, 2 unread" {
		t.Errorf("status %q", got)
	}
	for _, l := range []string{
		"/inbox", "/inbox 1", "/inbox", "/inbox 1 answer inv_1, and inv_2", "/inbox 2 answer thanks", "/inbox read",
		"/inbox 9", "/inbox x", "/inbox 1 forward", "/peers", "/peers x", "/tasks now", "/keepers nothing",
	} {
		line(l)
	}
	if got := sh.StatusLine().Team; got != "team shop as ann" {
		t.Errorf("status %q", got)
	}
	eventually(t, "two replies", func() bool { return len(bo.Unread()) == 2 })
	for _, item := range bo.Unread() {
		out.WriteString(ids.Replace("bo gets: " + event.ItemTitle(item) + ": " + item.Text + "\n"))
	}
	for _, code := range []string{
		`!peer.task.create{title = "check the invoices of May, each of them, and write what is wrong", key = "may"}`,
		`!context.offload{topic = "refunds of more than 500 dollars, and who allows them"}`,
	} {
		typed(t.Context(), sh, code, nil)
	}
	kept := ann.Keepers(t.Context())[0].ID
	task, err := ann.Tasks(t.Context())
	if err != nil || len(task) != 1 {
		t.Fatal(task, err)
	}
	ids = strings.NewReplacer(id, "QUERY", kept, "KEEPER", task[0].ID, "TASK")
	for _, l := range []string{"/inbox", "/tasks", "/keepers"} { // in a window of 40 columns
		out.WriteString("> " + l + "\n")
		sh.Handle(t.Context(), l)
		for _, e := range feed.Take() {
			for _, shown := range event.Lines(e, 40, event.RenderOptions{NoEcho: true}) {
				out.WriteString(ids.Replace(shown.String()) + "\n")
			}
		}
	}
	for _, text := range []string{"/inbox |", "/inbox 1 |", "/keepers |", "/tasks |"} {
		words := strings.TrimRight(ids.Replace(completed(t, sh, text)), "\n")
		out.WriteString("> " + text + "\n" + indent(words, "  ") + "\n")
	}
	got := regexp.MustCompile(`\d\d:\d\d`).ReplaceAllString(out.String(), "15:04")
	got = regexp.MustCompile(`(?m) \S+  pid \d+`).ReplaceAllString(got, " HOST  pid N")
	got = regexp.MustCompile(`<?\d+ ms`).ReplaceAllString(got, "N ms")
	golden.Equal(t, "testdata/team.golden", got)
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
	for _, l := range []string{"/inbox", "/inbox 3", "/peers", "/keepers", "/tasks"} {
		want := "error: no team: start with --team NAME, or set name under [team] in the configuration\n"
		if got := typed(t.Context(), sh, l, nil); got != want {
			t.Errorf("%s: %q", l, got)
		}
	}
}

package repl

// This file holds the commands about the team: what arrived, and who is there.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"almanac/catalog/team"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session"
)

func teamCommands() []command {
	return []command{
		{
			name: "inbox", args: "[N [answer TEXT | done] | done | all]", group: groupMore, aside: true, run: inbox,
			words: inboxWords, where: inTeam,
			brief: "what other sessions of the team sent; N shows one whole",
			more: "The model gets each with your next prompt, also what you have opened; /inbox 7 done keeps one from it,\n" +
				"/inbox done all. /inbox 7 answer TEXT answers a question, and writes to who sent anything else: it is done then.",
		},
		{
			name: "team", group: groupMore, aside: true, run: aboutTeam, where: inTeam,
			brief: "where the team is: its bus, who runs that, and how much is there",
		},
		{
			name: "peers", group: groupMore, aside: true, run: peers, where: inTeam,
			brief: "the sessions that are in the team now",
		},
		{
			name: "keepers", args: "[ID]", group: groupMore, aside: true, run: keepers, where: inTeam, words: keeperWords,
			brief: "what the team keeps of its conversations; ID shows one whole",
		},
		{
			name: "tasks", args: "[all]", group: groupMore, aside: true, run: tasks, where: inTeam,
			words: fixedWords("all", "those that are over, too"),
			brief: "the tasks of the team that are open or taken",
		},
	}
}

func inTeam(sh *Shell) bool { return sh.options.Team != nil }

// errNoTeam is what the commands say where there is no team.
var errNoTeam = errors.New("no team: start with --team NAME, or set name under [team] in the configuration")

// team is the session's membership of its team.
func (sh *Shell) team() (*team.Team, error) {
	if sh.options.Team == nil {
		return nil, errNoTeam
	}
	return sh.options.Team()
}

// teamText is the team in a status line, "team shop as ann, 2 unread", with what is unread; empty without one.
func (sh *Shell) teamText() (words string, unread int) {
	if sh.options.Team == nil {
		return "", 0
	}
	t, err := sh.options.Team()
	if err != nil {
		return "team: not connected", 0
	}
	words, unread = fmt.Sprintf("team %s as %s", t.Name(), t.Agent()), len(t.Unread())
	if unread > 0 {
		words += fmt.Sprintf(", %d unread", unread)
	}
	return words, unread
}

// aboutTeam shows where the team is, and how much of everything there is.
func aboutTeam(ctx context.Context, sh *Shell, _ *event.Cell, _ string) error {
	t, err := sh.team()
	if err != nil {
		return err
	}
	here, err := fromBus(ctx, t.Peers)
	if err != nil {
		return err
	}
	tasks, err := fromBus(ctx, t.Tasks)
	if err != nil {
		return err
	}
	open := len(slices.DeleteFunc(tasks, func(k team.Task) bool { return k.Over() }))
	words, _ := sh.teamText()
	bus, dir := t.About()
	rows := [][]string{{"", words}, {"bus", bus}}
	if dir != "" {
		rows = append(rows, []string{"kept", dir})
	}
	rows = append(rows, []string{"there", fmt.Sprintf("%s (/peers), %s not over (/tasks), %s (/keepers), %s (/inbox)",
		text.Count(len(here), "session"), text.Count(open, "task"), text.Count(len(t.Keepers(ctx)), "keeper"),
		text.Count(len(t.Inbox(0)), "item"))})
	sh.say(event.Plain, "%s", text.Sanitize(show.Columns(rows)))
	return nil
}

const inboxUsage = "/inbox [N [answer TEXT | done] | done | all]"

// shownItems is how many items /inbox lists.
const shownItems = 20

func inbox(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	t, err := sh.team()
	if err != nil {
		return err
	}
	word, rest := input.CutWord(arg)
	what, words := input.CutWord(rest)
	switch {
	case arg == "" || arg == "all":
		sh.listInbox(t, arg == "all")
		return nil
	case arg == "done":
		pending := t.Pending()
		t.Read(idsOf(pending)...)
		sh.say(event.Notice, "%s done: the model gets none of them", text.Count(len(pending), "item"))
		return nil
	}
	answers := what == "answer" && words != ""
	if rest != "" && rest != "done" && !answers {
		return &UsageError{usage: inboxUsage, message: fmt.Sprintf(
			"inbox: %s: want answer TEXT, done or nothing after the number", quoteWord(rest))}
	}
	item, err := itemOf(t, word)
	switch {
	case err != nil:
		return err
	case answers:
		return sh.answerItem(ctx, t, item, words)
	case rest == "done":
		t.Read(item.ID)
		return nil
	}
	item = t.Current(ctx, item)[0]
	shown := session.Clean(sh.options.Session, item)
	sh.feed.Emit(event.Event{Kind: event.Arrived, Item: &shown, Full: true})
	t.Seen(item.ID)
	return nil
}

func idsOf(items []team.Item) []string {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	return ids
}

// itemOf is the item of a number.
func itemOf(t *team.Team, number string) (team.Item, error) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return team.Item{}, &UsageError{usage: inboxUsage, message: fmt.Sprintf("inbox: %q: want a number", number)}
	}
	for _, item := range t.Inbox(0) {
		if item.Number == n {
			return item, nil
		}
	}
	return team.Item{}, fmt.Errorf("inbox: no item %s: /inbox all lists them", number)
}

// itemLine is an item on one line: who did what, and the beginning of its text.
func itemLine(i team.Item) string {
	return cells.Clip(event.ItemTitle(i)+": "+strings.Join(strings.Fields(event.ItemGist(i)), " "), 120, "…")
}

// listInbox lists what is unread, or the last items, newest first.
func (sh *Shell) listInbox(t *team.Team, all bool) {
	unread := idsOf(t.Unread())
	items := t.Inbox(0)
	if !all && len(items) > shownItems {
		items = items[:shownItems]
	}
	var rows [][]string
	for _, i := range session.Clean(sh.options.Session, items) {
		mark := " "
		if slices.Contains(unread, i.ID) {
			mark = "*"
		}
		rows = append(rows, []string{mark + strconv.Itoa(i.Number), since(i.At), itemLine(i)})
	}
	if len(rows) == 0 {
		sh.say(event.Plain, "inbox: empty")
		return
	}
	end := "nothing unread"
	if len(unread) > 0 {
		end = fmt.Sprintf("%d unread (*)", len(unread))
	}
	if n := len(t.Pending()) - len(unread); n > 0 {
		end += fmt.Sprintf("; of the others %d still go to the model", n)
	}
	if more := len(t.Inbox(0)) - len(rows); more > 0 {
		end += fmt.Sprintf("; %d more: /inbox all", more)
	}
	sh.list(show.Columns(rows), end)
}

// list shows lines that are cut at the width of the screen.
func (sh *Shell) list(lines ...string) {
	sh.feed.Emit(event.Event{Kind: event.Said, Text: strings.Join(lines, "\n"), Cut: true})
}

// since is a time for a list: of today without the day.
func since(t time.Time) string {
	if t = t.Local(); time.Since(t) < 12*time.Hour {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02")
}

// answerItem answers a question, and writes to who sent anything else.
func (sh *Shell) answerItem(ctx context.Context, t *team.Team, item team.Item, words string) error {
	item = t.Current(ctx, item)[0]
	if item.Closed != "" {
		return fmt.Errorf("inbox %d: %s: write to %s with peer.message if there is more to say", item.Number, item.Closed, item.From)
	}
	call := session.Invocation{
		ID: "peer.message", Author: session.User, Args: map[string]any{"to": item.From, "content": words},
	}
	if item.WantsAnswer() {
		call.ID, call.Args = "peer.answer", map[string]any{"query_id": item.Query, "answer": words}
	}
	if _, err := sh.options.Session.Call(ctx, call); err != nil {
		return err
	}
	t.Read(item.ID)
	return nil
}

func inboxWords(sh *Shell, arg string) []Completion {
	t, err := sh.team()
	if err != nil {
		return nil
	}
	if word, _ := input.CutWord(arg); word != arg {
		return fixedWords("answer", "answer it", "done", "keep it from the model")(sh, arg)
	}
	words := fixedWords("done", "keep all from the model", "all", "list all")(sh, arg)
	for _, i := range session.Clean(sh.options.Session, t.Inbox(shownItems)) {
		words = append(words, Completion{Text: strconv.Itoa(i.Number), Detail: itemLine(i)})
	}
	return words
}

// busTime is how long the bus may take to answer a command that only looks.
const busTime = 2 * time.Second

// fromBus asks the bus for what a command shows.
func fromBus[T any](ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, busTime)
	defer cancel()
	all, err := ask(ctx)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("team: no answer from the bus in %s: the program that runs it may hang; try again", text.Took(busTime))
	}
	return all, err
}

func peers(ctx context.Context, sh *Shell, _ *event.Cell, _ string) error {
	t, err := sh.team()
	if err != nil {
		return err
	}
	all, err := fromBus(ctx, t.Peers)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, p := range session.Clean(sh.options.Session, all) {
		name := p.Name
		if p.You {
			name += " (you)"
		}
		from := ""
		if p.Parent != "" {
			from = "started by " + p.Parent
		}
		rows = append(rows, clipped(
			name, p.Role, from, p.Doing, p.Machine, fmt.Sprintf("pid %d", p.PID), "since "+since(p.Since),
		))
	}
	sh.list(show.Columns(rows))
	return nil
}

// keepers lists what the team keeps, or shows one keeper whole.
func keepers(ctx context.Context, sh *Shell, _ *event.Cell, id string) error {
	t, err := sh.team()
	if err != nil {
		return err
	}
	if id != "" {
		k, err := t.Keeper(ctx, id)
		if err != nil {
			return err
		}
		lines := []string{k.String()}
		for _, m := range k.Messages {
			lines = append(lines, m.Role+": "+indent(strings.TrimSpace(m.Text), "  ")[2:])
		}
		sh.say(event.Plain, "%s", text.Sanitize(strings.Join(lines, "\n")))
		return nil
	}
	all := t.Keepers(ctx)
	if len(all) == 0 {
		sh.say(event.Plain, "no keepers: context.offload keeps a part of a conversation for the team")
		return nil
	}
	var rows [][]string
	for _, k := range all {
		rows = append(rows, clipped(k.ID, "of "+k.From, since(k.At), text.Count(len(k.Messages), "message"), k.Topic))
	}
	sh.list(show.Columns(rows))
	return nil
}

// clipped is a row of a list.
func clipped(row ...string) []string {
	for i := range row {
		row[i] = cells.Clip(text.SanitizeLine(row[i]), 50, "…")
	}
	return row
}

func keeperWords(sh *Shell, _ string) []Completion {
	t, err := sh.team()
	if err != nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	var words []Completion
	for _, k := range t.Keepers(ctx) {
		words = append(words, Completion{Text: k.ID, Detail: text.SanitizeLine(k.Topic)})
	}
	return words
}

// tasks lists the tasks of the team.
func tasks(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	t, err := sh.team()
	if err != nil {
		return err
	}
	if arg != "" && arg != "all" {
		return &UsageError{usage: "/tasks [all]"}
	}
	all, err := fromBus(ctx, t.Tasks)
	if err != nil {
		return err
	}
	over := 0
	var rows [][]string
	for _, one := range all {
		if one.Over() && arg == "" {
			over++
			continue
		}
		state, who, last := string(one.State), "", one.Result+one.Reason
		switch {
		case t.Has(one.ID):
			who = "by you"
		case one.Holder != "":
			who = "by " + one.Holder
		case one.To != "":
			who = "for " + one.To
		}
		if len(one.WaitsFor) > 0 {
			state, last = "waits", "for "+strings.Join(one.WaitsFor, ", ")
		}
		title := cells.Clip(text.SanitizeLine(one.Title), 44, "…")
		rows = append(rows, clipped(state, title, "of "+one.By, who, one.ID, last))
	}
	lines := []string{show.Columns(rows)}
	switch {
	case len(all) == 0:
		lines = []string{"no tasks: peer.task.create adds one"}
	case len(rows) == 0:
		lines = nil
	}
	if over > 0 {
		lines = append(lines, text.Count(over, "task")+" over: /tasks all")
	}
	sh.list(lines...)
	return nil
}

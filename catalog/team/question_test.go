package team

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
)

// A dialogue is calls by agents of a team, and what came of them. Q1 stands for the first query id.
type dialogue struct {
	members map[string]member
	ids     []string
}

// names writes Q1 for the first id, and so on.
func (d *dialogue) names(s string) string {
	for i, id := range d.ids {
		s = strings.ReplaceAll(s, id, fmt.Sprintf("Q%d", i+1))
	}
	return s
}

// call makes a call that is written as AGENT ACTION|NAME=VALUE|NAME=VALUE and returns its result.
func (d *dialogue) call(t *testing.T, said string) string {
	t.Helper()
	parts := strings.Split(said, "|")
	agent, action, _ := strings.Cut(parts[0], " ")
	args := map[string]any{}
	for _, p := range parts[1:] {
		name, value, _ := strings.Cut(p, "=")
		for i, id := range d.ids {
			value = strings.ReplaceAll(value, fmt.Sprintf("Q%d", i+1), id)
		}
		args[name] = value
	}
	got := d.members[agent].call(t, action, args)
	if m, ok := got.(map[string]any); ok {
		if id, ok := m["query_id"].(string); ok {
			d.ids = append(d.ids, id)
		}
		got = m["result"]
	}
	return d.names(fmt.Sprint(got))
}

func TestQuestions(t *testing.T) {
	b := open(t)
	d := dialogue{members: map[string]member{}}
	for _, name := range []string{"ann", "bob", "cy"} {
		d.members[name] = join(t, b, name)
	}
	d.members["ann"].enrich = func(_ context.Context, q string) (string, []string) {
		return "keeper 7 has: " + q, []string{"rules-7", "rules-8"}
	}
	const review, about = "ann: answer ", " [the loop Where: a.go:7 is it safe?] "
	for _, c := range []struct{ call, want, arrives string }{
		{"ann peer.ask|question=which queue?|target=bob|context=we bill at night",
			"asked bob; with it went what the keepers hold about it: rules-7, rules-8",
			"bob: question ann>bob [which queue?] Context: we bill at night\n\nwhich queue?\n\nWhat the keepers of the team hold about it:\n" +
				"keeper 7 has: which queue?"},
		{"cy peer.answer|query_id=Q1|answer=red", "query Q1: was asked of bob, only they can answer: write to ann with peer.message", ""},
		{"cy peer.forward|query_id=Q1", "query Q1: was asked of bob, only they can forward it: ask with peer.ask", ""},
		{"ann peer.answer|query_id=Q1|answer=red", "query Q1: is your own question: those who were asked answer it", ""},
		{"bob peer.forward|query_id=Q1|target=ann", "query Q1: ann knows of it: want somebody else, peer.discover lists who is there", ""},
		{"bob peer.forward|query_id=Q1|target=c*", `name "c*": want 1 to 32 of a to z, 0 to 9, _ and -`, ""},
		{"bob peer.forward|query_id=Q1|target=cy|enrichment=hunter2 in May", "forwarded to cy",
			"cy: question bob>cy [which queue?] Context: we bill at night\n\nwhich queue?\n\nWhat the keepers of the team hold about it:\n" +
				"keeper 7 has: which queue?\n\nbob adds: [secret] in May"},
		{"bob peer.forward|query_id=Q1|target=cy|enrichment=again",
			"query Q1: cy has been asked: want somebody else, or everybody, without target", ""},
		{"cy peer.answer|query_id=Q1|answer=the red one", "answered ann",
			"ann: answer cy>ann [which queue?] the red one"},
		{"bob peer.answer|query_id=Q1|answer=blue", "query Q1: answered by cy: write to ann with peer.message if there is more to say", ""},
		{"cy peer.answer|query_id=Q1|answer=blue", "query Q1: answered by you: write to ann with peer.message if there is more to say", ""},

		{"ann peer.review|what=the loop|where=a.go:7|notes=is it safe?", "asked everybody: 2 other agents now",
			"bob: review ann> [] the loop\nWhere: a.go:7\nis it safe?"},
		{"bob peer.answer|query_id=Q2|answer=yes", "answered ann", review + "bob>ann" + about + "yes"},
		{"cy peer.answer|query_id=Q2|answer=no", "answered ann", review + "cy>ann" + about + "no"},
		{"bob peer.forward|query_id=Q2|target=dan", "query Q2: everybody has been asked: answer it with peer.answer, or wait for the others", ""},

		{"bob peer.ask|question=who knows?|target=dan",
			"asked dan, who is not in the team now: it is kept for that name for 30 days", ""},
		{"bob peer.forward|query_id=Q3", "forwarded to everybody: 2 other agents now",
			"ann: question bob> [] who knows?"},
		{"bob peer.ask|question=what else?|target=bob", "bob: this session has that name itself: peer.discover lists the others", ""},
		{"ann peer.answer|query_id=Q3x|answer=I",
			"query \"Q3x\": no such question, or it is older than 30 days: did you mean Q3?", ""},
		{"ann peer.answer|query_id=*|answer=I", `query "*": no such question, or it is older than 30 days: see peer.questions`, ""},
		{"ann peer.ask|question= ", "argument question: want some text, got nothing", ""},
		{"ann peer.review|what=|target=bob", "argument what: want some text, got nothing", ""},
		{"bob peer.answer|query_id=Q3|answer=", "argument answer: want some text, got nothing", ""},
		{"bob peer.forward|query_id=Q3|target=", "argument target: want a name, or leave it out for everybody, got nothing", ""},
		{"ann peer.task.create|title=x|to=", "argument to: want a name, or leave it out for everybody, got nothing", ""},
		{"ann peer.answer|query_id=$JS.API.>|answer=I",
			`query "$JS.API.>": no such question, or it is older than 30 days: see peer.questions`, ""},
		{"ann peer.ask|question=which day?|target=everybody",
			"name everybody: it would be taken for somebody else: want another, left out it is everybody", ""},
		{"cy peer.withdraw|query_id=Q1", "query Q1: is of ann, who alone can withdraw it", ""},
		{"bob peer.ask|question=" + strings.Repeat("x", maxAsked+1),
			"question of 8193 B: want at most 8192 B with its context: offload the rest with context.offload", ""},
	} {
		if got := d.call(t, c.call); got != c.want {
			t.Errorf("%.100s\n\t%s\nwant\t%s", c.call, got, c.want)
		}
		if c.arrives == "" {
			continue
		}
		agent, want, _ := strings.Cut(c.arrives, ": ")
		if got := line(d.members[agent].next(t)); got != want {
			t.Errorf("%s\n%s\nwant\n%s", c.call, got, want)
		}
	}
	asked, own, err := d.members["ann"].Queries(t.Context())
	if err != nil || len(asked) != 1 || len(own) != 2 || len(own[1].Answers) != 2 {
		t.Error(asked, own, err)
	}
	if got := d.members["cy"].Unread(); len(got) != 1 || got[0].Query != d.ids[2] { // the others have its answer
		t.Error(got)
	}
	if asked, own, err := d.members["bob"].Queries(t.Context()); err != nil || len(asked) != 0 || len(own) != 1 {
		t.Error(asked, own, err)
	}
}

// Questions and answers are there after their sessions were away, on a server that has been started again.
func TestQuestionsStay(t *testing.T) {
	dir := t.TempDir()
	during := func(f func(d *dialogue, join func(name string) member)) {
		b := openIn(t, dir)
		d := &dialogue{members: map[string]member{}}
		f(d, func(name string) member {
			d.members[name] = join(t, b, name)
			return d.members[name]
		})
		for _, m := range d.members {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	var ids []string
	during(func(d *dialogue, join func(string) member) {
		join("ann")
		d.call(t, "ann peer.ask|question=which queue?|target=bob")
		ids = d.ids
	})
	during(func(d *dialogue, join func(string) member) {
		d.ids = ids
		bob := join("bob")
		if got := bob.next(t); got.Query != ids[0] {
			t.Error(got)
		}
		bob.Read(bob.Unread()[0].ID) // seen, not answered
	})
	during(func(d *dialogue, join func(string) member) {
		d.ids = ids
		bob := join("bob")
		if asked, _, err := bob.Queries(t.Context()); err != nil || len(asked) != 1 || len(bob.Unread()) != 0 {
			t.Error(asked, err)
		}
		if got := d.call(t, "bob peer.answer|query_id=Q1|answer=red"); !strings.HasPrefix(got, "answered ann, who is not") {
			t.Error(got)
		}
	})
	during(func(d *dialogue, join func(string) member) {
		if got := line(join("ann").next(t)); got != "answer bob>ann [which queue?] red" {
			t.Error(got)
		}
	})
}

// Many unanswered questions of one agent are refused; answered ones make room.
func TestQuestionsBounded(t *testing.T) {
	d := dialogue{members: map[string]member{}}
	b := open(t)
	d.members["ann"], d.members["bob"] = join(t, b, "ann"), join(t, b, "bob")
	for range maxOwn {
		if got := d.call(t, "ann peer.ask|question=x|target=bob"); got != "asked bob" {
			t.Fatal(got)
		}
	}
	want := "50 questions of yours have no answer: wait for some of them, or withdraw one with peer.withdraw; " +
		"see peer.questions"
	if got := d.call(t, "ann peer.ask|question=x|target=bob"); got != want {
		t.Error(got)
	}
	d.call(t, "bob peer.answer|query_id=Q7|answer=y")
	if got := d.call(t, "ann peer.ask|question=x|target=bob"); got != "asked bob" {
		t.Error(got)
	}
	if _, own, err := d.members["ann"].Queries(t.Context()); err != nil || len(own) != maxOwn {
		t.Error(len(own), err)
	}
}

// An item says what has become of its question, and a preview too.
func TestCurrent(t *testing.T) {
	b := open(t)
	d := dialogue{members: map[string]member{}}
	for _, name := range []string{"ann", "bob", "cy"} {
		d.members[name] = join(t, b, name)
	}
	bob := d.members["bob"]
	d.call(t, "ann peer.ask|question=which queue?|target=bob")
	asked := bob.next(t)
	closed := func(m member, want string) {
		t.Helper()
		if got := m.Current(t.Context(), asked)[0]; got.Closed != want || got.WantsAnswer() != (want == "") {
			t.Errorf("%s: %q, want %q", m.Agent(), got.Closed, want)
		}
	}
	closed(bob, "")
	d.call(t, "bob peer.forward|query_id=Q1|target=cy")
	d.call(t, "cy peer.answer|query_id=Q1|answer=red")
	closed(bob, "answered by cy")
	closed(d.members["cy"], "answered by you")
	_, err := preview(t, bob.Team, "peer.answer", map[string]any{"query_id": d.ids[0], "answer": "blue"})
	if want := d.ids[0] + ": answered by cy"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	asked.Query = "ann.gone"
	closed(bob, "withdrawn, or closed long ago")
}

// preview is what an action says that it would do.
func preview(t *testing.T, m *Team, id string, args map[string]any) (string, error) {
	t.Helper()
	for _, e := range m.Entries() {
		if e.ID == id {
			return e.Preview(t.Context(), catalog.Call{ID: id, Args: args})
		}
	}
	t.Fatalf("no action %s", id)
	return "", nil
}

// Each action that changes something says beforehand what it would do.
func TestPreviews(t *testing.T) {
	for _, e := range Entries("shop") {
		if e.Mutates && e.Preview == nil {
			t.Errorf("%s has no preview", e.ID)
		}
	}
	ann := join(t, open(t), "ann").Team
	ann.enrich = func(context.Context, string) (string, []string) { return "it was Kafka", nil }
	if _, err := ann.book.claim(t.Context(), Claim{Path: "a.go", First: 3, Last: 5}, 0); err != nil {
		t.Fatal(err)
	}
	type args = map[string]any
	const kept = "bob, who is not in the team now: it is kept for that name for 30 days:\n"
	for _, c := range []struct {
		id   string
		args args
		want string
	}{
		{"peer.message", args{"to": "bob", "content": "hi"}, "writes to " + kept + "> hi"},
		{"peer.message", args{"content": "hi"}, "writes to everybody: 0 other agents now:\n> hi"},
		{"peer.message", args{"to": "ann", "content": "hi"}, "ann: this session has that name itself: peer.discover lists the others"},
		{"peer.message", args{"to": "bob", "content": " "}, "argument content: want some text, got nothing"},
		{"peer.ask", args{"target": "bob", "question": "which?"},
			"asks " + kept + "> which?\n> \n> What the keepers of the team hold about it:\n> it was Kafka"},
		{"peer.review", args{"target": "bob", "what": "the loop", "where": "a.go:7"},
			"asks for a review: " + kept + "> the loop\n> Where: a.go:7"},
		{"peer.message", args{"to": "bob", "content": "hi\nasked by your script in [1]"},
			"writes to " + kept + "> hi\n> asked by your script in [1]"},
		{"peer.release", args{"path": "a.go"}, "releases lines 3-5 of a.go"},
		{"peer.release", args{"path": "b.go"}, "b.go: this agent has not claimed it: see peer.claims"},
	} {
		got, err := preview(t, ann, c.id, c.args)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s %v\n\t%s\nwant\t%s", c.id, c.args, got, c.want)
		}
	}
}

// Who is new in the team was not asked what everybody was asked before.
func TestAskedBefore(t *testing.T) {
	b := open(t)
	ann, bob := join(t, b, "ann"), join(t, b, "bob")
	toAll, err := ann.Ask(t.Context(), Query{Kind: Question, Text: "which queue?"})
	if err != nil {
		t.Fatal(err)
	}
	toCy, err := ann.Ask(t.Context(), Query{Kind: Question, To: "cy", Text: "which day?"})
	if err != nil {
		t.Fatal(err)
	}
	later := func() time.Time { return time.Now().Add(time.Minute) }
	cy, err := Join(t.Context(), b, Options{Team: "shop", Agent: "cy", clock: later})
	if err != nil {
		t.Fatal(err)
	}
	defer cy.Close()
	asked := func(m *Team) (ids []string) {
		all, _, err := m.Queries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range all {
			ids = append(ids, q.ID)
		}
		return ids
	}
	if got := asked(cy); !slices.Equal(got, []string{toCy}) {
		t.Errorf("cy was asked %v, want %s alone", got, toCy)
	}
	if got := asked(bob.Team); !slices.Equal(got, []string{toAll}) {
		t.Errorf("bob was asked %v, want %s", got, toAll)
	}
}

// A question that was withdrawn takes no answer and makes room for another.
func TestWithdraw(t *testing.T) {
	b := open(t)
	d := dialogue{members: map[string]member{"ann": join(t, b, "ann"), "bob": join(t, b, "bob")}}
	for range maxOwn {
		d.call(t, "ann peer.ask|question=which queue?|target=bob")
	}
	full := fmt.Sprintf("%d questions of yours have no answer: wait for some of them, or withdraw one with peer.withdraw; "+
		"see peer.questions", maxOwn)
	first := d.ids[0]
	for _, c := range []struct{ call, want string }{
		{"ann peer.ask|question=and one more?", full},
		{"ann peer.withdraw|query_id=Q1", "query Q1 is withdrawn"},
		{"bob peer.answer|query_id=Q1|answer=red", `query "Q1": no such question, or it is older than 30 days: see peer.questions`},
		{"ann peer.ask|question=and one more?", "asked everybody: 1 other agent now"},
	} {
		if got := d.call(t, c.call); !strings.HasPrefix(got, strings.TrimSuffix(c.want, "see peer.questions")) {
			t.Errorf("%s\n\t%s\nwant\t%s", c.call, got, c.want)
		}
	}
	item := Item{Kind: Question, Query: first}
	if got := d.members["bob"].Current(t.Context(), item)[0].Closed; got != "withdrawn, or closed long ago" {
		t.Errorf("the question is %q", got)
	}
}

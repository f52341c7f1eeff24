package search

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A note is a document as most tests need it.
type note struct {
	path, name, body string
}

// indexOf is an index of notes.
func indexOf(notes []note, without ...Feature) *Index {
	path := func(doc int) []string {
		return strings.FieldsFunc(notes[doc].path, func(r rune) bool { return r == '.' })
	}
	return Build(len(notes), Options{
		Noun: "note", Kinds: []bool{true}, Path: path, Without: without,
		Fields: []Field{{Name: "name", Role: Name, Weight: 20, Meaning: 512}, {Name: "path", Weight: 10, Meaning: 77},
			{Name: "body", Role: Body, Weight: 10, Meaning: 256}},
		Document: func(doc int, d *Document) {
			d.Texts = append(d.Texts, Text{Field: 0, Text: notes[doc].name})
			at := ""
			for _, segment := range path(doc) {
				d.Texts = append(d.Texts, Text{Field: 1, Text: segment})
				at = strings.TrimPrefix(at+"."+strings.ToLower(segment), ".")
				d.Keys = append(d.Keys, Key{0, at})
			}
			d.Texts = append(d.Texts, Text{Field: 2, Text: notes[doc].body})
		},
	})
}

// everything sees all documents.
func (ix *Index) everything() Bits {
	all := NewBits(ix.docs)
	all.Fill(ix.docs)
	return all
}

// ask is a request that sees all documents.
func (ix *Index) ask(text string) Request { return Request{Text: text, Visible: ix.everything()} }

// TestExplanationsAddUp holds for queries of random words that the contributions to a score add up to it, and that
// every feature is among them somewhere.
func TestExplanationsAddUp(t *testing.T) {
	words := strings.Fields("cancel ticket tickets flight refund custmer customer order invoice list city weather fetch start machine server user delete desk air bridge authorization auth decide decision . in")
	random := rand.New(rand.NewPCG(3, 4))
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[random.IntN(len(words))] + " ")
		}
		return strings.ReplaceAll(b.String(), " .", ".")
	}
	var notes []note
	for i := range 300 {
		notes = append(notes,
			note{[]string{"desk", "air.line", "bridge", "zephyr"}[i%4], strings.ReplaceAll(text(2), " ", "_"), text(1 + i%9)})
	}
	ix := indexOf(notes)
	seen := map[Feature]bool{}
	for range 300 {
		query := text(1 + random.IntN(12))
		if random.IntN(4) == 0 {
			query += "in zephyr"
		}
		if random.IntN(20) == 0 {
			query = "airplane"
		}
		r := ix.ask(query)
		if random.IntN(2) == 0 {
			r.Recent = []Recent{{Name: "desk", Docs: ix.Keys(0).Get("desk")}, {"air.line", ix.Keys(0).Get("air.line"), true}}
		}
		k := ix.Rank(r)
		hits, _ := k.Top(r.Visible, len(notes))
		for i := 0; i < len(hits); i += 1 + i {
			why := ix.Explain(r, int(hits[i].Doc))
			sum := int32(0)
			for _, c := range why.Contributions {
				sum += c.points
				if c.points != 0 {
					seen[c.Feature] = true
				}
			}
			if float64(sum)/unit != hits[i].Score || why.Score != hits[i].Score {
				t.Fatalf("%q: contributions of %v are %v, the score is %v, that of the hit %v: %v", r.Text, notes[hits[i].Doc],
					float64(sum)/unit, why.Score, hits[i].Score, why)
			}
		}
		k.Close()
	}
	for _, f := range registry() {
		if f.expand == nil && !seen[f.name] {
			t.Errorf("no query had a contribution of %s", f.name)
		}
	}
}

// TestFeatures switches each feature off by its name.
func TestFeatures(t *testing.T) {
	for _, f := range Features() {
		parsed, err := ParseFeature(strings.ToUpper(string(f)))
		if err != nil || parsed != f {
			t.Errorf("%s: %s, %v", f, parsed, err)
		}
		if ix := indexOf(nil, f); ix.on(f) || len(ix.features) != len(registry())-1 {
			t.Errorf("%s is not switched off", f)
		}
	}
	if _, err := ParseFeature("words"); err == nil {
		t.Error("a feature that always counts is taken")
	}
}

func TestQueryIntents(t *testing.T) {
	l := newLexicon()
	for _, test := range []struct {
		query string
		want  []Intent
	}{
		{"Can you help me book a hotel?", []Intent{Making}},
		{"Finds a field, applies it, and then updates a task.", []Intent{Finding, Changing}},
		{"invoices that were deleted", nil},
		{"Delete it! Please, creating another", []Intent{Removing, Making}},
		{"healthcare provider availability", nil},
		{"", nil},
	} {
		var want [intentCount]bool
		for _, k := range test.want {
			want[k] = true
		}
		if got := l.queryIntents(test.query); got != want {
			t.Errorf("%q: got %v, want %v", test.query, got, want)
		}
	}
}

func TestGainsFor(t *testing.T) {
	if got := gainsFor([intentCount]bool{}); got != [intentCount]int32{} {
		t.Errorf("nothing is asked for: %v", got)
	}
	got := gainsFor([intentCount]bool{Finding: true})
	if got[Finding] != intentGain || got[Removing] != -intentLoss || got[NoIntent] != 0 {
		t.Errorf("finding is asked for: %v", got)
	}
}

func TestWordsAreSorted(t *testing.T) {
	last := ""
	for _, word := range regexp.MustCompile(`(?m)^\S+`).FindAllString(wordsText, -1) {
		if word <= last {
			t.Fatalf("%q stands after %q", word, last)
		}
		if len(derived(word)) == 0 {
			t.Fatalf("%q is not found", word)
		}
		last = word
	}
	if derived("") != nil || derived("zzzz") != nil || derived("0") != nil {
		t.Error("a word that is not there has relatives")
	}
}

func TestClauses(t *testing.T) {
	l := newLexicon()
	for _, test := range []struct{ query, want string }{
		{"delete my account now", ""},
		{"Delete my account. My name is Ann!", "Delete my account.|My name is Ann!"},
		{"Find a flight to Rome and then book a hotel", "Find a flight to Rome and|then book a hotel"},
		{"List all users and also count them by day", "List all users and|also count them by day"},
		{"Hello. List all users", ""},
		{"list all users\ncount all orders", "list all users|count all orders"},
		{"version 1.2 of the tool", ""},
		{strings.Repeat("one two three. ", 13), ""},
		{"", ""},
	} {
		var parts []string
		for _, part := range l.clauses(test.query) {
			parts = append(parts, strings.TrimSpace(part))
		}
		if got := strings.Join(parts, "|"); got != test.want {
			t.Errorf("%q: got %q, want %q", test.query, got, test.want)
		}
	}
}

// TestCandidates keeps about maxNear of the best, however many there are.
func TestCandidates(t *testing.T) {
	scores := make([]int32, 50_000)
	for i := range scores {
		scores[i] = int32(unit/2 + i*7919%len(scores)*40)
	}
	var n candidates
	n.pick(scores)
	if len(n.docs) < maxNear/2 || len(n.docs) > maxNear {
		t.Fatalf("%d candidates", len(n.docs))
	}
	least := scores[n.docs[0]]
	for _, doc := range n.docs {
		least = min(least, scores[doc])
	}
	better := 0
	for _, score := range scores {
		if score >= least {
			better++
		}
	}
	if better != len(n.docs) {
		t.Errorf("%d candidates, but %d documents are as good as the last of them", len(n.docs), better)
	}
}

// TestEnglish tells words from misspelt ones that share a stem with a word.
func TestEnglish(t *testing.T) {
	for word, want := range map[string]bool{
		"invocation": true, "invocations": true, "invoce": false, "invoces": false, "house": true, "houses": true,
		"listing": true, "updated": true,
	} {
		if got := isEnglish(word, stem(word)); got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
}

// TestSlips tells slips from other words.
func TestSlips(t *testing.T) {
	for _, test := range []struct {
		typed, meant string
		want         int
	}{
		{"acounts", "accounts", twinSlip}, {"acounts", "amounts", farSlip}, {"invvoice", "invoice", twinSlip},
		{"acces", "access", twinSlip}, {"refnud", "refund", swapSlip}, {"ordre", "order", swapSlip},
		{"erfund", "refund", swapSlip}, {"invoce", "invoice", letterSlip}, {"ordr", "order", letterSlip},
		{"ordser", "order", letterSlip}, {"invoicee", "invoice", twinSlip}, {"invoixe", "invoice", nearSlip},
		{"ivnoice", "invoice", swapSlip}, {"orfer", "order", nearSlip}, {"ordar", "order", nearSlip},
		{"orker", "order", noSlip}, {"marta", "mart", noSlip}, {"crear", "creat", noSlip}, {"refunds", "refunds", 0},
		{"wrike", "write", noSlip}, {"netsuite", "testsuite", noSlip}, {"sinch", "since", noSlip},
		{"chargebee", "chargeable", noSlip}, {"snapchat", "snapshot", noSlip}, {"uber", "user", noSlip},
		{"binance", "finance", noSlip}, {"lyft", "left", noSlip}, {"coda", "code", noSlip}, {"basecamp", "basemap", noSlip},
		{"kontent", "content", noSlip}, {"subscirptoin", "subscription", 2 * swapSlip},
		{"subscribtoin", "subscription", swapSlip + farSlip}, {"customers", "customary", nearSlip + farSlip},
	} {
		if got := slipCost(test.typed, test.meant); got != test.want {
			t.Errorf("%q for %q: %d, want %d", test.typed, test.meant, got, test.want)
		}
	}
}

func TestVectorTable(t *testing.T) {
	table := newVectorTable(vectorsText)
	last := ""
	for i := range table.count {
		st := table.letters[table.end(i-1):table.end(i)]
		if st <= last || table.row(st) != int32(i) {
			t.Fatalf("stem %d, %q after %q: row %d", i, st, last, table.row(st))
		}
		last = st
	}
	for _, st := range []string{"", "nosuchstem", "zzzzzz", "\xff"} {
		if got := table.row(st); got != -1 {
			t.Errorf("%q: row %d", st, got)
		}
	}
	if size := len(vectorsText) + len(wordsText); size > 6<<20 {
		t.Errorf("the shipped words are %d bytes", size)
	}
}

func TestLeadOf(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"List users":                     "List users",
		"List users. Needs a token.":     "List users",
		"List users\n\nNeeds a token.":   "List users",
		"Version 1.2 of the list. Other": "Version 1.2 of the list",
		"Ends with a stop.":              "Ends with a stop.",
	} {
		if got := leadOf(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestDocumentIntent(t *testing.T) {
	for _, test := range []struct {
		note
		want Intent
	}{
		{note{"a", "x", "Deletes a thing."}, Removing},
		{note{"a.hotel", "bookHotel", "A hotel."}, Making},
		{note{"a", "train_ticket_cancelling", "Train tickets."}, Removing},
		{note{"a", "findTrainTicketCancelled", "Train tickets."}, Finding},
		{note{"a", "things", "Things."}, NoIntent},
	} {
		if got := indexOf([]note{test.note}).intents[0]; got != test.want {
			t.Errorf("%v: got %v, want %v", test.note, got, test.want)
		}
	}
}

// TestPartPoints adds up a part for candidates alone, which must give what it gives for everything.
func TestPartPoints(t *testing.T) {
	ix := indexOf([]note{
		{"air.ticket", "cancel", "Cancel the ticket of a passenger and refund the fare."},
		{"desk.ticket", "cancel", "Cancel the ticket of a customer and close the support case."},
		{"city", "weather", "Temperature and rain of a city today."},
		{"city", "hotels", "Rooms for the night in a city."},
		{"vm", "start", "Start a virtual machine instance."},
	})
	for _, text := range []string{"cancel the ticket for my flight", "climate of the city today",
		"start the virtual machines", ""} {
		r := &reader{index: ix, request: ix.ask(text), forms: map[[2]string]*wordForm{}}
		q := r.parse(text)
		all := tally{points: make([]int32, ix.docs), best: make([]int32, ix.docs), watched: -1}
		all.addAll(ix, &q, true)
		var n candidates
		n.pick([]int32{1, 1, 1, 1, 1})
		few := tally{points: n.part, best: n.best, places: n.places, watched: -1}
		clear(n.part)
		few.addAll(ix, &q, true)
		if got, want := n.part[1:], all.points; !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// TestNamedPaths tells where a query names a path, such as a product, from words that happen to be in one.
func TestNamedPaths(t *testing.T) {
	var notes []note
	for _, product := range []string{"slack", "acmeMail", "teams"} {
		for _, thing := range []string{"channel", "user", "file", "reaction"} {
			notes = append(notes, note{product + "." + thing, "list", "List every " + thing + "."})
		}
		notes = append(notes, note{product + ".chat", "post", "Post a text."})
	}
	for i := range 20 {
		notes = append(notes, note{fmt.Sprintf("bridge%d", i), "send_message", "Send a message to a chat."})
	}
	ix := indexOf(notes)
	for text, want := range map[string]string{
		"post a text in slack": "slack", "Post a text with Acme Mail": "acmemail", "teams: post a text": "teams",
		"post a text": "", "the slack of a rope": "", "Post a text in slack. List the files in teams.": "",
		"Post a text for me now. List all files with the teams API.": "teams", "List all files of chat tools.": "",
		"list nothing in chat of others": "",
	} {
		q := (&reader{index: ix, request: ix.ask(text), forms: map[[2]string]*wordForm{}}).parse(text)
		got := ""
		if named := ix.named(&q); len(named) > 0 {
			got = ix.nameOf(named[0].path)
		}
		if got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

// Building tells of each part, so that a person sees how far it is.
func TestBuildTellsHowFar(t *testing.T) {
	var mu sync.Mutex
	told := map[int]bool{}
	docs := 5 * partSize
	Build(docs, Options{
		Fields: []Field{{Name: "name", Weight: 10}}, Kinds: []bool{false}, Path: func(int) []string { return nil },
		Document: func(doc int, d *Document) { d.Texts = append(d.Texts, Text{Text: fmt.Sprint("word", doc)}) },
		Progress: func(done, of int) {
			mu.Lock()
			defer mu.Unlock()
			told[done] = of == 6
		},
	})
	if want := map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}; !maps.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

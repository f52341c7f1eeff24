package team

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestClaim(t *testing.T) {
	b, c := open(t), newClock()
	ann, bob := c.join(t, b, "ann", ""), c.join(t, b, "bob", "")
	says := func(m *Team, id string, args map[string]any, want string) {
		t.Helper()
		got := member{Team: m}.call(t, id, args)
		if data, ok := got.(map[string]any); ok {
			if got = data["result"]; got == nil {
				got = fmt.Sprint(data["by"], " until ", data["until"])
			}
		}
		if got != want {
			t.Errorf("%s %s %v:\n  %v, want\n  %s", m.Agent(), id, args, got, want)
		}
	}
	type args = map[string]any
	rank := args{"path": "src/rank.go", "first": 10, "last": 20, "what": "new ranking"}
	says(ann, "peer.claim", rank, "ann until 2026-05-04T12:01:00Z")
	says(ann, "peer.claim", rank, "ann until 2026-05-04T12:01:00Z")
	has := ": ann has lines 10-20 of src/rank.go (new ranking), since 12:00:00 UTC, until 12:01:00 UTC or longer: " +
		"work on something else meanwhile, or write to ann with peer.message"
	says(bob, "peer.claim", args{"path": "src/rank.go"}, "src/rank.go"+has)
	says(bob, "peer.claim", args{"path": "./src//rank.go", "first": 20}, "lines 20 and on of src/rank.go"+has)
	says(bob, "peer.claim", args{"path": "src/rank.go", "first": 21}, "bob until 2026-05-04T12:01:00Z")
	says(bob, "peer.claim", args{"path": "src/rank.go", "first": 9, "last": 9, "minutes": 60},
		"bob until 2026-05-04T13:00:00Z")
	says(bob, "peer.claim", args{"name": "release notes"}, "bob until 2026-05-04T12:01:00Z")
	says(ann, "peer.claim", args{"name": "release notes"}, "release notes: bob has release notes, since 12:00:00 UTC, "+
		"until 12:01:00 UTC or longer: work on something else meanwhile, or write to bob with peer.message")
	says(ann, "peer.release", args{"name": "release notes"}, "release notes: this agent has not claimed it: see peer.claims")

	// While a session lives its claims are renewed; the others end.
	c.pass(40 * time.Second)
	ann.leases.renew(t.Context())
	c.pass(40 * time.Second)
	says(bob, "peer.claim", args{"name": "release notes"}, "bob until 2026-05-04T12:02:20Z")
	all, err := bob.Claims(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, claim := range all {
		got = append(got, claim.By+" "+claim.region())
	}
	want := "[bob release notes bob line 9 of src/rank.go ann lines 10-20 of src/rank.go]"
	if fmt.Sprint(got) != want {
		t.Errorf("claims %v, want %s", got, want)
	}

	// What is renewed ends with its session, what has a time does not.
	if err := bob.Close(); err != nil {
		t.Fatal(err)
	}
	says(ann, "peer.claim", args{"name": "release notes"}, "ann until 2026-05-04T12:02:20Z")
	says(ann, "peer.claim", args{"path": "src/rank.go"}, "src/rank.go: bob has line 9 of src/rank.go, since 12:00:00 UTC, "+
		"until 13:00:00 UTC: work on something else meanwhile, or write to bob with peer.message")
	says(ann, "peer.release", args{"path": "src/rank.go"}, "1 claim released")
	c.pass(time.Hour)
	says(ann, "peer.claim", args{"path": "src/rank.go"}, "ann until 2026-05-04T13:02:20Z")

	says(ann, "peer.claim", args{}, "claim: want either path, a file, or name, anything else")
	says(ann, "peer.claim", args{"name": "x", "first": 1}, "claim: a name has no lines: leave out first and last")
	says(ann, "peer.claim", args{"path": "x", "first": 3, "last": 2},
		"lines 3 to 2: want the first line, from 1 on, and a last one that is not before it")
	says(ann, "peer.claim", args{"path": "x", "minutes": 2000}, "minutes 2000: want 1 to 1440")
}

// Files of two repositories are apart. A claim of a program that does not say which one it is in, as those of before
// did not, is in the way of all, and theirs are in its way.
func TestClaimsInRepositories(t *testing.T) {
	b, c := open(t), newClock()
	at := func(agent, repository string) *Team {
		m := c.join(t, b, agent, "")
		m.options.Repository = repository
		return m
	}
	ann, bob, cat, old := at("ann", "shop"), at("bob", "office"), at("cat", "shop"), at("old", "")
	claims := func(m *Team, path string) bool {
		data, _ := member{Team: m}.call(t, "peer.claim", map[string]any{"path": path}).(map[string]any)
		return data["by"] == m.Agent()
	}
	for _, step := range []struct {
		m    *Team
		path string
		want bool
	}{
		{ann, "README.md", true}, {bob, "README.md", true}, {cat, "README.md", false}, {old, "README.md", false},
		{old, "go.mod", true}, {ann, "go.mod", false}, {bob, "go.mod", false}, {old, "go.mod", true},
		{ann, "/srv/x", true}, {bob, "/srv/x", false}, // one file, wherever one is
	} {
		if got := claims(step.m, step.path); got != step.want {
			t.Errorf("%s claims %s: %t, want %t", step.m.Agent(), step.path, got, step.want)
		}
	}
	all, err := ann.Claims(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, one := range all {
		got += fmt.Sprintf("%s %s in %q\n", one.By, one.Path, one.Repository)
	}
	want := "ann /srv/x in \"\"\nbob README.md in \"office\"\nann README.md in \"shop\"\nold go.mod in \"\"\n"
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	readme := map[string]any{"path": "README.md"}
	if got := does(t, cat, "peer.release", readme); !strings.Contains(got, "has not claimed it") {
		t.Errorf("cat releases what ann has: %s", got)
	}
	for _, m := range []*Team{bob, ann} {
		if got := does(t, m, "peer.release", readme); !strings.Contains(got, "1 claim released") {
			t.Errorf("%s: %s", m.Agent(), got)
		}
	}
	if !claims(old, "README.md") {
		t.Error("the file is not free again")
	}
}

// Sessions claim and release lines of one file in a random order: no line ever has two holders.
func TestClaimsAtRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	b, c := open(t), newClock()
	const members, lines, steps = 4, 30, 60
	var mu sync.Mutex
	var holders [lines + 1]string
	refused := 0
	var all sync.WaitGroup
	for i := range members {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			m := c.join(t, b, fmt.Sprint("m", i), "")
			for range steps {
				first := 1 + r.IntN(lines)
				want := Claim{Path: "a.go", First: first, Last: min(lines, first+r.IntN(6))}
				got, err := m.book.claim(t.Context(), want, 0)
				if err != nil {
					mu.Lock()
					refused++
					mu.Unlock()
					continue
				}
				mu.Lock()
				for line := got.First; line <= got.Last; line++ {
					if holders[line] != "" {
						t.Errorf("%s has line %d, which %s has", m.Agent(), line, holders[line])
					}
					holders[line] = m.Agent()
				}
				mu.Unlock()
				mu.Lock()
				for line := got.First; line <= got.Last; line++ {
					holders[line] = ""
				}
				mu.Unlock()
				if released, err := m.book.release(t.Context(), want); len(released) != 1 || err != nil {
					t.Errorf("released %v: %v", released, err)
				}
			}
		})
	}
	all.Wait()
	if refused == 0 {
		t.Error("no claim was refused: nothing was tested")
	}
}

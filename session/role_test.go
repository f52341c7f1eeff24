package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/session/policy"
	"almanac/session/trace"
)

// TestRolesOnlyNarrow takes random roles in a session: after each, nothing is visible that was not, no budget is
// larger, and a catalog that is read later does not change that.
func TestRolesOnlyNarrow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := []string{"a.b.read", "a.b.write", "a.c.read", "a.c.write", "peer.message", "z.read"}
	entries := func(ids []string) *catalog.View {
		var list []catalog.Entry
		for _, id := range ids {
			e := catalog.Entry{ID: id, Description: id, Mutates: id[len(id)-4:] != "read"}
			if id == "peer.message" {
				e.Source = "team"
			}
			list = append(list, e)
		}
		c, report := catalog.New(list, catalog.Options{})
		if len(report.Skipped) > 0 {
			t.Fatal(report.Skipped)
		}
		return c.View()
	}
	whole := entries(all)
	some := func(of ...string) []string {
		return of[:r.IntN(len(of)+1)]
	}
	for range 25 {
		start, err := whole.Narrow(catalog.Rules{DeniedIDs: some("a.b.*", "z.read")})
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(start, Options{Budget: Budget{Calls: 1 + r.IntN(9)}})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 6 {
			before, budget, yours := s.View(), s.Budget(Model), s.Budget(User)
			lua := s.Limits(Model).Time
			role := Role{
				Name: fmt.Sprint("r", n), View: []catalog.Rules{{
					Namespaces: some("a", "a.b", "z"), IDs: some("a.*", "z.read"), DeniedIDs: some("a.c.write", "peer.message"),
					ReadOnly: r.IntN(2) == 0, Keep: "team",
				}},
				Policy: []policy.Role{{Name: "r", Policy: policy.Policy{Mode: policy.Ask}}},
				Budget: Budget{Calls: r.IntN(12), Mutations: r.IntN(30)}, UserBudget: Budget{Calls: r.IntN(2000)},
				Time: time.Duration(r.IntN(4)) * time.Second,
			}
			if err := s.Take(role); err != nil {
				t.Fatal(err)
			}
			check := func() {
				for id := range s.View().All() {
					if _, was := before.Lookup(id); !was {
						t.Fatalf("%+v shows %s", role, id)
					}
				}
				_, had := before.Lookup("peer.message")
				_, has := s.View().Lookup("peer.message")
				if denied := slices.Contains(role.View[0].DeniedIDs, "peer.message"); has != (had && !denied) {
					t.Fatalf("peer.message is there: %t, was: %t, denied by name: %t", has, had, denied)
				}
			}
			check()
			now, mine := s.Budget(Model), s.Budget(User)
			if now.Calls > budget.Calls || now.Mutations > budget.Mutations || now.Shown > budget.Shown ||
				mine.Calls > yours.Calls || mine.Mutations > yours.Mutations || s.Limits(Model).Time > lua {
				t.Fatalf("%+v: budgets %+v and %+v, were %+v and %+v", role, now, mine, budget, yours)
			}
			if err := s.SetUserBudget(Budget{Calls: 5000}); err != nil {
				t.Fatal(err)
			}
			if most := role.UserBudget.Calls; most > 0 && s.Budget(User).Calls > most {
				t.Fatalf("/limits raised calls to %d, the role has %d", s.Budget(User).Calls, most)
			}
			if err := s.Replace(t.Context(), start); err != nil {
				t.Fatal(err)
			}
			check()
		}
		if got := s.RoleNames(); got != "r0 and r1 and r2 and r3 and r4 and r5" {
			t.Fatal(got)
		}
		s.Close()
	}
}

// TestRoleIsAllOrNothing tells that a role is not taken in parts, and that the log has those that were.
func TestRoleIsAllOrNothing(t *testing.T) {
	var records []trace.Record
	c, _ := catalog.New([]catalog.Entry{{ID: "a.b", Description: "b"}, {ID: "a.c", Mutates: true}}, catalog.Options{})
	s, err := New(c.View(), Options{
		Record: func(r trace.Record) error { records = append(records, r); return nil },
		Roles:  []Role{{Name: "first"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	was := s.View().Len()
	err = s.Take(Role{
		Name: "bad", View: []catalog.Rules{{ReadOnly: true}, {Namespaces: []string{"nowhere"}}}, Budget: Budget{Calls: 1},
	})
	want := `role bad: namespace "nowhere": not in the catalog`
	if err == nil || err.Error() != want || s.View().Len() != was || s.RoleNames() != "first" ||
		s.Budget(Model).Calls == 1 {
		t.Errorf("%v, %d of %d actions, roles %s", err, s.View().Len(), was, s.RoleNames())
	}
	if err := s.Take(Role{Name: "second"}); err != nil {
		t.Fatal(err)
	}
	if got := RolesAtEnd(records); !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("the log has the roles %q", got)
	}
}

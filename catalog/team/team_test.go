package team

import (
	"testing"

	"almanac/catalog/team/bus"
)

func TestJoin(t *testing.T) {
	b, err := bus.Open(t.Context(), bus.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, c := range []struct{ team, agent, wrong string }{
		{"shop", "ann", ""},
		{"", "ann", `name "": want 1 to 32 of a to z, 0 to 9, _ and -`},
		{"shop", "Ann B.", `name "Ann B.": want 1 to 32 of a to z, 0 to 9, _ and -`},
	} {
		got, err := Join(t.Context(), b, Options{Team: c.team, Agent: c.agent})
		if wrong := ""; err != nil {
			if wrong = err.Error(); wrong != c.wrong {
				t.Errorf("%s %s: %s, want %q", c.team, c.agent, wrong, c.wrong)
			}
			continue
		}
		if got.Agent() != c.agent {
			t.Errorf("joined as %q", got.Agent())
		}
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	}
}

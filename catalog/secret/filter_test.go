package secret

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestFilter(t *testing.T) {
	var values []string
	f := NewFilter(func() []string { return values })
	say := func(want string) {
		t.Helper()
		if got := f.Text("token-1 token-2"); got != want {
			t.Errorf("got %s", got)
		}
	}
	say("token-1 token-2")
	values = []string{"", "o", "token-1"}
	say(Mark + " token-2")
	values = []string{"token-2"} // renewed: the old one may still turn up
	say(Mark + " " + Mark)
	if got := (*Filter)(nil).Text("token-1"); got != "token-1" {
		t.Errorf("without values: %s", got)
	}
}

func TestStream(t *testing.T) {
	f := NewFilter(func() []string { return []string{"secret-value-1", "secret-value-1-long", `q"uote-22`} })
	for _, c := range []struct{ pieces, want []string }{
		{[]string{"a secret-value-1 b"}, []string{"a " + Mark + " b", ""}},
		{[]string{"a secret", "-value-1 b"}, []string{"a ", Mark + " b", ""}},
		{[]string{"a secret", "ary\n"}, []string{"a ", "secretary\n", ""}},
		{[]string{"a secret"}, []string{"a ", "secret"}},
		{[]string{"no", "thing ", "is held\n"}, []string{"no", "thing ", "is held\n", ""}},
		{[]string{"his", "\n", "ecret-value-1 "}, []string{"his", "\n", "", Mark + " "}}, // its beginning was shown already
		{[]string{"secret-value-1", "-lo", "ng."}, []string{"", "", Mark + ".", ""}},
		{[]string{"secret-value-1", "-lot"}, []string{"", Mark + "-lot", ""}},
		{[]string{"secret-value-1"}, []string{"", Mark}},
		{[]string{`{"q\`, `"uo`, `te-22"}`}, []string{`{"q\`, ``, Mark + `"}`, ""}},
	} {
		s := f.Stream()
		var got []string
		for _, piece := range c.pieces {
			got = append(got, s.Write(piece))
		}
		got = append(got, s.End())
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.pieces, got, c.want)
		}
	}
}

// However a text is parted, no value comes out whole, nor more than the first bytes of it, and nothing else is lost.
func TestStreamAnyhow(t *testing.T) {
	streamed(t, []string{"aab-aab", "aab-aab-aa", "ba\"ab\\ab", "b\naab\nb"})
	streamed(t, []string{"aab-Aab-aab-aab-b", "b-aab-bb-aab-Baab-aab-aabb"}) // long ones: in any case, with blanks, halves
}

func streamed(t *testing.T, values []string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	f := NewFilter(func() []string { return values })
	texts := 20_000
	if testing.Short() {
		texts = 1_000
	}
	for range texts {
		var text strings.Builder
		for range random.IntN(30) {
			text.WriteString([]string{
				"a", "b", "-", "aab-", "\n", `\"`, `\\`, "aab-aab", "ba\"ab", `\u0061`, "AAb-", " ", "\n   ", values[0],
				values[0][3:], "b-",
			}[random.IntN(16)])
		}
		s, rest, got := f.Stream(), text.String(), ""
		for rest != "" {
			n := 1 + random.IntN(len(rest))
			got += s.Write(rest[:n])
			rest = rest[n:]
		}
		got += s.End()
		if f.Text(got) != got {
			t.Fatalf("%q: %q", text.String(), got)
		}
		if clean := f.Text(text.String()); !strings.Contains(clean, Mark) && got != clean {
			t.Fatalf("%q: %q", text.String(), got)
		}
	}
}

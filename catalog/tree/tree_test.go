package tree

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What is written again is what was read, names in their order: for whole trees, and for what a Scanner cuts out.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{
		`{"b":1,"a":[true,null,"x\n",-1.5e3],"c":{}}`, ` [ {"é" : "\u00e9\"" } , [ ] , 0 ] `, `"a\\"`, `{"a":1,"a":2}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := parseJSON(text)
		if (err == nil) != json.Valid(text) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		var want, got any
		if json.Unmarshal(text, &want) != nil {
			return // a number that a float64 does not hold
		}
		if err := json.Unmarshal(n.AppendJSON(nil), &got); err != nil || !sameJSON(want, got) {
			t.Errorf("%q: %s: %v", text, n.AppendJSON(nil), err)
		}
		s := Scan(text)
		if cut := s.Skip(); !bytes.Equal(cut, bytes.Trim(text, " \t\r\n")) {
			t.Errorf("%q: passed %q", text, cut)
		}
		names, values, err := Members(text)
		if (err == nil) != n.Is(Object) {
			t.Fatalf("%q: members: %v", text, err)
		}
		for i, name := range names {
			if one, err := parseJSON(values[i]); err != nil || !bytes.Equal(one.AppendJSON(nil), n.Get(name).AppendJSON(nil)) {
				t.Errorf("%q: %s is %s (%v)", text, name, values[i], err)
			}
		}
	})
}

// Valid accepts what json.Valid accepts, and ValidMembers finds the members of it.
func FuzzValid(f *testing.F) {
	nested := func(open, close string, n int) string {
		return strings.Repeat(open, n) + "1" + strings.Repeat(close, n)
	}
	for _, text := range []string{
		`{"b":1,"a":[true,null,"x\n",-1.5e3],"c":{}}`, " [ {\"\u00e9\" : \"\\u00e9\\\"\" } , [ ] , 0 ] ", `"a\\"`,
		`{"a":1,"a":2}`, `01`, `-`, `1.`, `1e+`, `-0.0E-7`, `tru`, `nulll`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[,]`,
		`"\u12g4"`, `"\x"`, `"a` + "\x1f" + `b"`, `"12345678\"`, `"1234567"`, "\"12345678\x7f\x80\xff\"", `{}x`, ``, ` `,
		"\x00", "1\x00", `""`, `"\ud800"`, `{"long name of a member":"a long value that has a \\ in it"}`,
		nested("[", "]", 10_000), nested("[", "]", 10_001), nested(`{"a":`, "}", 10_000), nested(`{"a":`, "}", 10_001),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, want := Valid(text), json.Valid(text); got != want {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
		var found []string
		ok := ValidMembers(text, func(name string, value json.RawMessage) { found = append(found, name, string(value)) })
		if !json.Valid(text) || bytes.TrimLeft(text, " \t\r\n")[0] != '{' {
			if ok {
				t.Errorf("%q: is no object", text)
			}
			return
		}
		var want []string
		s := Scan(text)
		s.Object(func(name string) { want = append(want, name, string(s.Skip())) })
		if !ok || !slices.Equal(found, want) {
			t.Errorf("%q: %v, found %q, want %q", text, ok, found, want)
		}
	})
}

func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func TestFromYAML(t *testing.T) {
	for _, tt := range []struct{ name, text, strict, lenient string }{
		{"order", "b: 1\na: [yes, 'x', ~, 0x10, 1.50]", `{"b":1,"a":["yes","x",null,16,1.5]}`,
			`{"b":1,"a":["yes","x",null,16,1.5]}`},
		{"a merge", "x: &x {a: 1, b: 2}\ny: {<<: *x, a: 3}", `{"x":{"a":1,"b":2},"y":{"a":3,"b":2}}`,
			`{"x":{"a":1,"b":2},"y":{"a":3,"b":2}}`},
		{"a name twice", "a: 1\nb: 2\na: 3", "line 3: the value: a is there twice", `{"a":1,"b":2,"a":3}`},
		{"no number", "a: 1\nb: .nan", "line 2: .nan is not a number that data can hold", `{"a":1,"b":".nan"}`},
		{"large numbers", "[18446744073709551615, 1000000.0, 1e30]", `[18446744073709551615,1000000,1e+30]`,
			`[18446744073709551615,1000000,1e+30]`},
		{"aliases without end", "a: &a [x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a]\nc: [*b, *b, *b, *b, *b]",
			"line 1: the value is too large or nested too deeply", "line 1: the value is too large or nested too deeply"},
		{"depth", strings.Repeat("[", 30) + strings.Repeat("]", 30), "line 1: the value is too large or nested too deeply",
			"line 1: the value is too large or nested too deeply"},
	} {
		var root yaml.Node
		if err := yaml.Unmarshal([]byte(tt.text), &root); err != nil {
			t.Fatal(err)
		}
		for _, strict := range []bool{true, false} {
			want := map[bool]string{true: tt.strict, false: tt.lenient}[strict]
			n, err := FromYAML(&root, Limits{Nodes: 100, Depth: 20, Strict: strict})
			got := string(n.AppendJSON(nil))
			if fault, ok := err.(*Fault); ok {
				got = "line " + string(rune('0'+fault.Line)) + ": " + fault.Text
			}
			if got != want {
				t.Errorf("%s, strict %v: got %s, want %s", tt.name, strict, got, want)
			}
		}
	}
}

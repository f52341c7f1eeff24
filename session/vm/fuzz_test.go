package vm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	luasrc "almanac/catalog/lua"
)

// FuzzRoundTrip sends data into Lua and out again: through a variable, through an action and through JSON.
func FuzzRoundTrip(f *testing.F) {
	for _, seed := range []string{`null`, `[]`, `{}`, `[1,2.5,"x",null,true]`, `{"a":[],"b":{"c":null}}`,
		`9007199254740993`, `-9223372036854775808`, `{"":1,"1":2}`, `[[[]]]`, `"\u0000é"`, `1e300`} {
		f.Add(seed)
	}
	r := newRig(f, Limits{})
	f.Fuzz(func(t *testing.T, text string) {
		data, err := decodeJSON(text)
		if err != nil {
			return
		}
		r.session.put("input", nil)
		delete(r.session.hash, "input")
		v, err := r.fromData(map[string]any{"value": data})
		if err != nil {
			return
		}
		r.session.put("input", v)
		reply := r.run("return input, test.echo(input), json.decode(json.encode(input))")
		if reply.Err != nil {
			t.Fatalf("%s: %v", text, reply.Err)
		}
		want := map[string]any{"value": wholeNumbers(data)}
		for i, got := range reply.Values {
			if i == 2 && !validUTF8(data) {
				continue
			}
			if diff := cmp.Diff(any(want), got.Data); diff != "" {
				t.Errorf("%s: value %d: %s", text, i, diff)
			}
		}
	})
}

// wholeNumbers is what a trip through Lua makes of data: a float without fraction becomes an integer.
func wholeNumbers(data any) any {
	switch v := data.(type) {
	case float64:
		if v == float64(int64(v)) && v <= exactFloat && v >= -exactFloat && (v != 0 || 1/v > 0) {
			return int64(v)
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = wholeNumbers(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k := range v {
			out[k] = wholeNumbers(v[k])
		}
		return out
	}
	return data
}

// validUTF8 says whether JSON can hold the data's text as it is.
func validUTF8(data any) bool {
	text, err := json.Marshal(data)
	return err == nil && !strings.Contains(string(text), `\ufffd`)
}

// FuzzSource runs any text under small limits: it must end soon, in a clean error or none.
func FuzzSource(f *testing.F) {
	files, err := filepath.Glob("testdata/*.lua")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, source := range strings.Split(string(text), "\n---\n") {
			f.Add(source)
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		m, err := New(Limits{Steps: 200_000, Time: 200 * time.Millisecond, String: 1 << 16, Coroutines: 10, Output: 1 << 12},
			Host{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		start := time.Now()
		reply := m.Run(Script{Source: source, Name: "fuzz", Surface: Execute, Roots: []string{"test"}, Expr: true})
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
		if reply.Err != nil && (reply.Err.Message == "" || strings.Contains(reply.Err.Message, "internal error")) {
			t.Errorf("%+v", reply.Err)
		}
	})
}

// FuzzPattern tries any pattern on any subject.
func FuzzPattern(f *testing.F) {
	for _, seed := range [][2]string{{"hello", "l+"}, {"key=value", "^(%w+)=(%w+)$"},
		{"(a(b))", "%b()"}, {"a b", "%f[%a]%a+"},
		{"x", "[%"}, {"x", "%f"}, {"aa", "(a)%1"}, {"abc", "()"}, {"", ""}} {
		f.Add(seed[0], seed[1])
	}
	r := newRig(f, Limits{Steps: 100_000, Time: 200 * time.Millisecond})
	f.Fuzz(func(t *testing.T, subject, pattern string) {
		r.session.put("s", subject)
		r.session.put("p", pattern)
		reply := r.run("local n = 0 for _ in s:gmatch(p) do n = n + 1 end return s:find(p), s:match(p), s:gsub(p, '%0'), n")
		if reply.Err != nil && strings.Contains(reply.Err.Message, "internal error") {
			t.Fatal(reply.Err)
		}
		if reply.Err == nil && reply.Values[2].Data != subject {
			t.Errorf("gsub with %%0 changed the text: %q", reply.Values[2].Data)
		}
	})
}

// FuzzFormat tries any format with arguments of every kind.
func FuzzFormat(f *testing.F) {
	for _, seed := range []string{"%d", "%5.2f|%-10s|%+d", "%q", "%x%X%o%c", "%g%e%a", "%%", "%", "%99.99f",
		"%i%u", "%#x% d%05d", "%.3s"} {
		f.Add(seed, 1.5, "text")
	}
	r := newRig(f, Limits{Steps: 100_000, Time: 200 * time.Millisecond, String: 1 << 16})
	f.Fuzz(func(t *testing.T, layout string, n float64, s string) {
		r.session.put("f", layout)
		r.session.put("n", n)
		r.session.put("s", s)
		reply := r.run("local a = {n, s, 3, '7', true, {}, 9007199254740993} for i = 1, 7 do local ok, e = pcall(string.format, f, table.unpack(a, i)) assert(ok or not e:find('internal error'), e) end return string.format(f, n, s, n, s)")
		if reply.Err != nil && (strings.Contains(reply.Err.Message, "internal error") || reply.Err.Limit == "time") {
			t.Fatal(reply.Err)
		}
	})
}

// FuzzLiteral writes data as Lua in every layout and reads it with the machine: it is the same data again.
func FuzzLiteral(f *testing.F) {
	for _, seed := range []string{`null`, `{"end":1,"goto":{"nil":null},"a b":"\u0000\u00001\u202e"}`,
		`[1,-0.0,1e300,9007199254740993]`,
		`{"1":["\ud83d\ude80","\u200d\r\n\t\\\""]}`, `[[],{}]`} {
		f.Add(seed)
	}
	r := newRig(f, Limits{})
	f.Fuzz(func(t *testing.T, text string) {
		data, err := decodeJSON(text)
		if err != nil {
			return
		}
		want := map[string]any{"value": emptyTables(wholeNumbers(data))}
		for _, o := range []luasrc.Options{{}, {Tight: true}, {Width: 20}, {First: []string{"value", "id"}}} {
			source := luasrc.Literal(map[string]any{"value": data}, o)
			reply := r.run("return " + source)
			if reply.Err != nil {
				t.Fatalf("%s: %v", source, reply.Err)
			}
			if diff := cmp.Diff(any(want), reply.Values[0].Data); diff != "" {
				t.Errorf("%s: %s", source, diff)
			}
		}
	})
}

// emptyTables makes a table of each empty list, as Lua's {} is.
func emptyTables(data any) any {
	switch v := data.(type) {
	case []any:
		if len(v) == 0 {
			return map[string]any{}
		}
		for i := range v {
			v[i] = emptyTables(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = emptyTables(v[k])
		}
	}
	return data
}

// What the machine writes of its values is Lua too.
func FuzzQuote(f *testing.F) {
	for _, seed := range []string{"", "a\x001\xff\u202e", "\u200d\u0085", "]]\\\"", "\xc2\xa0z\x85"} {
		f.Add(seed)
	}
	r := newRig(f, Limits{})
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		reply := r.run("local s = " + luasrc.Quote(text) + " return s, {[" + luasrc.Quote(text) + "] = 1}")
		if reply.Err != nil || reply.Values[0].Data != text {
			t.Fatalf("%q is read as %v, %v", text, reply.Values, reply.Err)
		}
		again := r.run("return " + reply.Values[1].Repr)
		if want := map[string]any{text: int64(1)}; len(text) <= 200 &&
			(again.Err != nil || !cmp.Equal(again.Values[0].Data, any(want))) {
			t.Errorf("%s is read as %v, %v", reply.Values[1].Repr, again.Values, again.Err)
		}
	})
}

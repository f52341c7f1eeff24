package vm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	luasrc "almanac/catalog/lua"
)

// TestJSONLimits: text that would take more memory than a process has is refused with an error that a script can
// catch.
func TestJSONLimits(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"long text", `json.decode((" "):rep(2^24) .. "1")`, "json.decode: the text has more than 16.0 MiB"},
		{"many numbers", `json.decode("[" .. ("0,"):rep(4e6) .. "0]")`,
			"json.decode: the text holds more values than fit into memory"},
		{"many lists", `json.decode("[" .. ("[],"):rep(1e6) .. "0]")`,
			"json.decode: the text holds more values than fit into memory"},
		{"many objects", `json.decode("[" .. ("{},"):rep(1e6) .. "0]")`,
			"json.decode: the text holds more values than fit into memory"},
		{"many strings", `json.decode("[" .. ('"a",'):rep(3e6) .. "0]")`,
			"json.decode: the text holds more values than fit into memory"},
		{"deep", `json.decode(("["):rep(300) .. ("]"):rep(300))`, "json.decode: data nested deeper than 200"},
		{"long result", `local s = ("x"):rep(2^20) local t = {} for i = 1, 17 do t[i] = s end json.encode(t)`,
			"json.encode: the text would have more than 16.0 MiB"},
		{"long when escaped", `json.encode(("\1"):rep(3e6))`, "json.encode: the text would have more than 16.0 MiB"},
		{"shared tables", `local t = {} for i = 1, 50 do t = {t, t} end json.encode(t)`,
			"json.encode: more data than the limit for one value"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, Limits{Steps: 1 << 50, Time: time.Minute})
			got := r.must("return pcall(function() " + test.source + " end)")
			if got.Values[0].Repr != "false" || !strings.Contains(got.Values[1].Repr, test.want) {
				t.Errorf("%s, want %s", got.Values[1].Repr, test.want)
			}
		})
	}
}

// TestJSONMistakes: what is wrong with a text, and where.
func TestJSONMistakes(t *testing.T) {
	r := newRig(t, Limits{})
	for source, want := range map[string]string{
		`[1,`:                "line 1 column 4: unexpected end of text",
		"":                   "line 1 column 1: unexpected end of text",
		"{\n  \"a\": nul\n}": "line 2 column 11: invalid character '\\n' in literal null (expecting 'l')",
		`[1, 2,]`:            "line 1 column 7: invalid character ']' looking for beginning of value",
		`{"a" 1}`:            "line 1 column 6: invalid character '1' after object key",
		"[1]\n [2]":          "line 2 column 2: text after the value",
		`[1] x`:              "line 1 column 5: text after the value",
		`[1e999]`:            "number 1e999 is out of range",
		`01`:                 "line 1 column 2: text after the value",
	} {
		got := r.must("return select(2, pcall(json.decode, " + luasrc.Quote(source) + "))")
		if s, _ := got.Values[0].Data.(string); !strings.HasSuffix(s, "json.decode: "+want) {
			t.Errorf("%q: %s, want %s", source, s, want)
		}
	}
}

// FuzzJSONRead: the reader takes what encoding/json takes, and makes the same of it.
func FuzzJSONRead(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,-0,1e3,true,false,null,"x\u00e9\n"],"b":{}}`, ` [ ] `, `[1,]`,
		`{"a":1,"a":2}`, `{,}`, `01`, `-`, `1.`,
		`1e`, `"\ud83d\ude00"`, `"\ud800"`, "\"\xff\"", "\"\x01\"", `9007199254740993`, `123456789012345`, `1234567890123456`,
		`1e999`,
		`[1 2]`, `{"a" 1}`, `nul`, `nullx`, `"a" "b"`, ``, "\x00", `[`, `{"":0}`, `-1`, `1.0`, `00`, `[0e1]`} {
		f.Add(s)
	}
	m := newRig(f, Limits{Steps: 1 << 60, Time: time.Hour}).Machine
	f.Fuzz(func(t *testing.T, text string) {
		l := m.newState()
		got, err := call{m: m, l: l, name: "decode"}.readJSON(text)
		data, bad := decodeJSON(text)
		if err != nil {
			if _, limit := err.(jsonLimit); bad == nil && !limit {
				t.Fatalf("%q: refused, but is %v", text, data)
			}
			return
		}
		if bad != nil {
			t.Fatalf("%q: read, but %v", text, bad)
		}
		want, bad := m.build(data, 0)
		if bad != nil {
			t.Fatalf("%q: read, but %v", text, bad)
		}
		if a, b := m.repr(nil, got, maxRepr, lineWidth), m.repr(nil, want, maxRepr, lineWidth); a != b {
			t.Fatalf("%q: %s, want %s", text, a, b)
		}
		if a, b := fmt.Sprint(got == m.null), fmt.Sprint(want == m.null); a != b {
			t.Fatalf("%q: null %s, want %s", text, a, b)
		}
	})
}

// decodeJSON is encoding/json's reading of a text as data, to compare with.
func decodeJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var data any
	if err := d.Decode(&data); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the value")
	}
	return plainNumbers(data)
}

// plainNumbers puts int64 or float64 for each json.Number.
func plainNumbers(data any) (_ any, err error) {
	switch v := data.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil && (i != 0 || !strings.HasPrefix(string(v), "-")) {
			return i, nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("number %v is out of range", v)
		}
		return f, nil
	case []any:
		for i := range v {
			if v[i], err = plainNumbers(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range v {
			if v[k], err = plainNumbers(v[k]); err != nil {
				return nil, err
			}
		}
	}
	return data, nil
}

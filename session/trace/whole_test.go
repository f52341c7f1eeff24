package trace

import (
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"almanac/catalog/unknown"
)

// What is packed comes back as it was, and equal data has one digest.
func TestPack(t *testing.T) {
	data := map[string]any{
		"id": int64(9007199254740993), "low": int64(math.MinInt64), "half": 0.5, "whole": 5.0, "huge": math.Inf(1),
		"bytes": "\xff\x00", "text": "ü", "none": nil, "yes": true, "list": []any{}, "map": map[string]any{},
		"later": unknown.Of("id", "billing.refund.issue"), "rows": []any{map[string]any{"b": int64(1), "a": int64(2)}},
	}
	packed, digest, err := Pack(data)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Unpack(packed)
	if err != nil || !reflect.DeepEqual(read, data) {
		t.Errorf("got %#v, error %v, want %#v", read, err, data)
	}
	for range 20 {
		if _, again, _ := Pack(data); again != digest {
			t.Fatalf("digests %s and %s of one value", again, digest)
		}
	}
	for _, bad := range [][]byte{nil, {0xff}, packed[:len(packed)-1], append(packed, 0), {0x9f, 0xff}, {0xc0, 0x60}} {
		if v, err := Unpack(bad); err == nil {
			t.Errorf("%x is read as %v", bad, v)
		}
	}
}

func TestExact(t *testing.T) {
	for _, v := range []any{nil, true, "ü", int64(1) << 53, -0.5, []any{int64(1)}, map[string]any{"a": []any{}}} {
		if !Exact(v) {
			t.Errorf("%v is said to be lost", v)
		}
	}
	for _, v := range []any{"\xff", int64(1)<<53 + 1, math.NaN(), math.Inf(-1), unknown.Of("", "x"),
		[]any{map[string]any{"a": "\xff"}}, map[string]any{"\xff": nil}} {
		if Exact(v) {
			t.Errorf("%v is said to come back", v)
		}
	}
}

// Values are stored once, the too large ones not at all, and when that fails the log says so once and goes on.
func TestLogKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	log, err := CreateLog(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var stored []string
	log.Keep(func(data []byte) (string, error) {
		if strings.HasPrefix(string(data), "bad") {
			return "", errors.New("no space")
		}
		stored = append(stored, string(data))
		return "", nil
	})
	for _, v := range []string{"a", "b", "a", strings.Repeat("x", maxKept+1), "bad", "bad again", "c"} {
		if err := log.Append(Record{Kind: KindCall, Call: &Call{ID: "x"}, Values: [][]byte{[]byte(v)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	records, _, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	for _, r := range records {
		if r.Kind == KindNote {
			notes = append(notes, r.Text)
		}
	}
	if strings.Join(stored, " ") != "a b" || len(records) != 8 ||
		strings.Join(notes, "|") != "whole results are no longer kept for a replay: no space" {
		t.Errorf("stored %q, %d records, notes %q", stored, len(records), notes)
	}
}

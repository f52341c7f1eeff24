package session

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// A part of a result has whole records only, and nothing that the result has not.
func TestSample(t *testing.T) {
	long := strings.Repeat("x", 50)
	tests := []struct{ name, data, want, part string }{
		{"small", `[{"a":1},{"a":null}]`, `[{"a":1},{"a":null}]`, ""},
		{"records", `[{"a":1,"b":2},{"a":3,"b":4},{"a":5,"b":6},{"a":7,"b":8}]`,
			`[{"a":1,"b":2},{"a":3,"b":4}]`, "2 of 4 rows"},
		{"one long record", `[{"a":1,"b":"` + long + `"},{"a":3,"b":4}]`,
			`[{"a":1,"b":"` + long[:38] + `... 12 more bytes"}]`, "1 of 2 rows"},
		{"numbers", `[1,2,3,4,5,6,7,8,9,10]`, `[1,2,3,4,5,6,7,8]`, "8 of 10 rows"},
		{"fields", `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}`,
			`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}`, "7 of 9 fields"},
		{"a list in a record", `{"rows":[{"a":1},{"a":2},{"a":3},{"a":4},{"a":5}],"z":0}`,
			`{"rows":[{"a":1},{"a":2},{"a":3}]}`, "1 of 2 fields"},
		{"text", `"` + long + long + `"`, `"` + long + long[:14] + `... 36 more bytes"`, "a part of it"},
	}
	for _, test := range tests {
		var data any
		if err := json.Unmarshal([]byte(test.data), &data); err != nil {
			t.Fatal(err)
		}
		short, part := sample(data, 72)
		got, err := json.Marshal(short)
		if err != nil || string(got) != test.want || part != test.part {
			t.Errorf("%s: %s, %q, want %s, %q", test.name, got, part, test.want, test.part)
		}
	}
}

// Only a result that is too large is one that less could be asked of.
func TestOversize(t *testing.T) {
	for name, result := range map[string]struct {
		value any
		large bool
	}{
		"text": {strings.Repeat("x", 100), true}, "typed": {make([]int8, 100), true},
		"channel": {make(chan int), false}, "function": {func() {}, false},
	} {
		_, _, err := redactor{}.sized(result.value, 50)
		if err == nil || errors.As(err, new(oversize)) != result.large {
			t.Errorf("%s: %v, want one of size: %t", name, err, result.large)
		}
	}
}

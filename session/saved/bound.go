package saved

import (
	"encoding/json"
	"fmt"

	"almanac/catalog/manifest"
	"almanac/catalog/text"
)

// maxTest bounds the recorded calls of a test, in bytes of JSON.
const maxTest = 64 << 10

// Bound shortens the lists in the results of recorded calls until they fit a test, and says how; ok is false where even
// lists of one item are too much.
func Bound(calls []manifest.TestCall) (bounded []manifest.TestCall, cut string, ok bool) {
	if size(calls) <= maxTest {
		return calls, "", true
	}
	for keep := 512; keep > 0; keep /= 2 {
		bounded = make([]manifest.TestCall, len(calls))
		for i, c := range calls {
			c.Result = shorter(c.Result, keep)
			bounded[i] = c
		}
		if size(bounded) <= maxTest {
			return bounded, fmt.Sprintf("lists in results are cut at %s", text.Count(keep, "item")), true
		}
	}
	return nil, "", false
}

func size(calls []manifest.TestCall) int {
	b, err := json.Marshal(calls)
	if err != nil {
		return maxTest + 1
	}
	return len(b)
}

// shorter is v with at most keep items in each list.
func shorter(v any, keep int) any {
	switch v := v.(type) {
	case []any:
		all := make([]any, min(len(v), keep))
		for i := range all {
			all[i] = shorter(v[i], keep)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, item := range v {
			all[name] = shorter(item, keep)
		}
		return all
	}
	return v
}

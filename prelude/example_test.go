package prelude_test

import (
	"fmt"

	"almanac/prelude"
)

// The lines of help() come from the Lua files themselves.
func Example() {
	for _, doc := range prelude.Docs()[:3] {
		fmt.Println(doc.Form, "-", doc.Text)
	}
	// Output:
	// map(t, f) - new table of f(item, key) for each item; f may be a field name
	// filter(t, f) - the items for which f(item, key) is true
	// reject(t, f) - the items for which f(item, key) is false
}

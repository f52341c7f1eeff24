package prelude

import (
	"strings"
	"testing"
)

// All docs that are written out are read; the sets of catalog.lua are documented in a loop.
func TestDocs(t *testing.T) {
	written := 0
	for _, c := range Chunks() {
		written += strings.Count(c.Source, `host.doc("`)
	}
	docs := Docs()
	if len(docs) != written-1 || docs[0].Form == "" || docs[0].Text == "" {
		t.Errorf("%d docs of %d", len(docs), written)
	}
}

package tokens

import (
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/text"
)

// This file measures how far text.Tokens is off, on texts that its weights were not fitted to: half of the project's
// own, by their hash.

// TestEstimate tells of each kind of text how many of the texts not used for the fit there are, and the median and the
// 95th percentile of the relative error.
func TestEstimate(t *testing.T) {
	count := counter(t)
	for kind, texts := range ownTexts(t) {
		texts = slices.DeleteFunc(texts, func(s string) bool {
			h := fnv.New32a()
			h.Write([]byte(s))
			return h.Sum32()&1 == 0 // fitted to
		})
		off := estimateErrors(texts, count)
		t.Logf("%-8s %v", kind, off)
		if off.at(0.5) > 0.04 || off.at(0.95) > 0.15 {
			t.Errorf("%s: want a median of at most 4%% and a 95th percentile of at most 15%%", kind)
		}
	}
}

// deviations are relative errors in order.
type deviations []float64

func (d deviations) at(share float64) float64 { return d[int(share*float64(len(d)-1))] }

func (d deviations) String() string {
	return fmt.Sprintf("%4d texts   median %4.1f%%   p95 %4.1f%%", len(d), 100*d.at(0.5), 100*d.at(0.95))
}

func estimateErrors(texts []string, count func(string) int) deviations {
	var off deviations
	for _, s := range texts {
		off = append(off, math.Abs(float64(text.Tokens(s))/float64(count(s))-1))
	}
	slices.Sort(off)
	return off
}

// ownTexts are texts of this project by kind: what a model reads and writes here.
func ownTexts(t testing.TB) map[string][]string {
	t.Helper()
	texts := map[string][]string{}
	add := func(kind string, all ...string) {
		for _, s := range all {
			if len(s) >= 40 {
				texts[kind] = append(texts[kind], s)
			}
		}
	}
	for _, file := range files(t, "docs/*.md", "README.md", "CHANGELOG.md") {
		for i, part := range strings.Split(file, "```") {
			for _, p := range strings.Split(part, "\n\n") {
				p = strings.TrimSpace(p)
				switch {
				case strings.HasPrefix(part, "lua\n"):
					add("Lua", p)
				case i%2 == 0 && strings.HasPrefix(p, "|"):
					add("tables", p)
				case i%2 == 0:
					add("prose", p)
				}
			}
		}
	}
	for _, file := range files(t, "prelude/*.lua", "*/testdata/*.lua", "*/*/testdata/*.lua") {
		add("Lua", strings.Split(file, "\n\n")...)
	}
	entries := demoEntries(t)
	view := grown(t, entries, len(entries), nil)
	for _, e := range entries {
		add("schemas", string(e.Input.JSON()), string(e.Output.JSON()))
		add("prose", e.Description)
		add("answers", search(t, view, e.Description, 0))
		for _, detail := range []catalog.Detail{catalog.Brief, catalog.Full} {
			spec, err := view.Describe(e.ID, detail)
			if err != nil {
				t.Fatal(err)
			}
			add("answers", spec.Text)
		}
	}
	for _, file := range files(t, "llm/tools/testdata/*.txtar") {
		for _, p := range strings.Split(file, "\n-- ") {
			if answer, ok := strings.CutPrefix(p, "tool --\n"); ok {
				add("answers", answer)
			}
		}
	}
	return texts
}

func files(t testing.TB, patterns ...string) []string {
	t.Helper()
	var texts []string
	for _, pattern := range patterns {
		names, _ := filepath.Glob("../../../" + pattern)
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(raw))
		}
	}
	return texts
}

package catalog

// This file explains a score.

import (
	"fmt"
	"strings"

	"almanac/catalog/text"
)

// Explain says in a few lines why a visible entry ranks where it does for a query: its place, and what each word adds.
// It fails with an *UnknownError.
func (v *View) Explain(id, query string) (string, error) {
	e, err := v.Resolve(id)
	if err != nil {
		return "", err
	}
	doc := v.cat.find(e.ID)
	why := v.cat.index.Explain(v.request(query), doc)
	lines := []string{fmt.Sprintf("%s: score %.3f for %q, %s", e.ID, why.Score, text.LineRunes(query, 100),
		v.placeOf(int32(doc), query))}
	for _, c := range why.Contributions {
		lines = append(lines, "  "+c.String())
	}
	return strings.Join(lines, "\n"), nil
}

// placeOf is the rank of an entry among the visible ones, as text.
func (v *View) placeOf(doc int32, query string) string {
	ranking := v.cat.index.Rank(v.request(query))
	defer ranking.Close()
	hits, total := ranking.Top(v.visible, maxLimit)
	for i, h := range hits {
		if h.Doc == doc {
			return fmt.Sprintf("place %d of %d", i+1, total)
		}
	}
	if total > len(hits) {
		return fmt.Sprintf("not among the first %d of %d", len(hits), total)
	}
	return fmt.Sprintf("not among the %d that match", total)
}

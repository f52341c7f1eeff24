package search

// This file explains a score from what the ranking features noted while adding it up.

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
)

// A Contribution is what one ranking feature added to the score of a document, for one reason.
type Contribution struct {
	Feature Feature
	// Label is the word, or in brackets what else got the points.
	Label, Why string

	points int32
	lowers bool // the feature may also take away
}

// Score is the contribution in the unit of scores. The contributions of a document add up to its score.
func (c Contribution) Score() float64 { return float64(c.points) / unit }

// String is the contribution as a line.
func (c Contribution) String() string {
	switch {
	case c.points == 0:
		return fmt.Sprintf("%-16s 0      %s", c.Label, c.Why)
	case c.lowers:
		return fmt.Sprintf("%-16s %+.3f  %s", c.Label, c.Score(), c.Why)
	}
	return fmt.Sprintf("%-16s %.3f  %s", c.Label, c.Score(), c.Why)
}

// An Explanation is the score of a document and its contributions.
type Explanation struct {
	Score         float64
	Contributions []Contribution
}

// Explain breaks down a document's score for a request.
func (ix *Index) Explain(r Request, doc int) Explanation {
	k, contributions := ix.rank(r, doc)
	defer k.Close()
	points := k.memory.points[doc]
	for _, l := range k.lifts {
		if lifted := l.apply(points, doc); lifted != points {
			label, why := l.why(lifted-points, doc)
			contributions = append(contributions, Contribution{l.feature, label, why, lifted - points, l.lowers})
			points = lifted
		}
	}
	return Explanation{Score: float64(points) / unit, Contributions: contributions}
}

// fieldsWith names the fields of a document that have one of the stems.
func (ix *Index) fieldsWith(doc int, stems []string) string {
	found := make([]bool, len(ix.options.Fields))
	ix.eachText(doc, func(field int, text string) {
		spelling.EachWord(text, func(word []byte, _ bool) {
			if slices.Contains(stems, stem(string(word))) {
				found[field] = true
			}
		})
	})
	var names []string
	for f, yes := range found {
		if yes {
			names = append(names, ix.options.Fields[f].Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "in " + strings.Join(names, ", ")
}

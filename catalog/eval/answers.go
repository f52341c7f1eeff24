package eval

// This file measures answers: what a set costs as text, and how many of the wanted actions it names.

import (
	"context"
	"slices"

	"almanac/catalog"
	"almanac/catalog/text"
)

// An Answers is what the answers to a set's requests came to, written in one way. Shares and counts are means over its
// requests.
type Answers struct {
	// Way is how they were written: "hits" alone, or with more.
	Way string `json:"way"`
	// Tokens are estimates: the mean, and what 95 in a hundred answers do not pass.
	Tokens float64 `json:"tokens"`
	P95    int     `json:"tokens_p95"`
	// Actions is how many actions an answer names, Suppliers how many of them for the ids that others require.
	Actions   float64 `json:"actions"`
	Suppliers float64 `json:"suppliers"`
	// Recall is the share of wanted actions that are named, Complete of requests with all of them.
	Recall   float64 `json:"recall"`
	Complete float64 `json:"complete"`
	// Missing counts wanted actions that answers with hits alone do not name, Found those of them that answers of this way
	// name.
	Missing int `json:"missing"`
	Found   int `json:"found"`
}

// ways are the ways in which answers are written.
func ways() []struct {
	name    string
	options catalog.ListOptions
} {
	return []struct {
		name    string
		options catalog.ListOptions
	}{
		{"hits", catalog.ListOptions{Bare: true, Each: true}},
		{"groups", catalog.ListOptions{Bare: true}},
		{"suppliers", catalog.ListOptions{Each: true}},
		{"groups and suppliers", catalog.ListOptions{}},
	}
}

// MeasureAnswers writes the answer to every request of a set in each way. It fails when ctx ends or a search does.
func MeasureAnswers(ctx context.Context, view *catalog.View, s Set) ([]Answers, error) {
	all := make([]Answers, len(ways()))
	costs := make([][]int, len(all))
	for i := range s.Queries {
		q := &s.Queries[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := view.WithRecent(q.Before).Search(q.Text, catalog.SearchOptions{})
		if err != nil {
			return nil, err
		}
		var plain []bool // by gold id, whether the first way names it
		for w, way := range ways() {
			listed := view.List(found, way.options)
			a := &all[w]
			a.Way = way.name
			n, cost, named := float64(len(s.Queries)), text.Tokens(listed.Text), listed.Named()
			costs[w] = append(costs[w], cost)
			a.Tokens += float64(cost) / n
			a.Actions += float64(len(named)) / n
			a.Suppliers += float64(len(listed.Suppliers)) / n
			complete := true
			for g, gold := range q.Gold {
				has := slices.ContainsFunc(named, func(id string) bool { return q.stands(id, gold) })
				if w == 0 {
					plain = append(plain, has)
				}
				complete = complete && has
				if has {
					a.Recall += 1 / n / float64(len(q.Gold))
				}
				if !plain[g] {
					a.Missing++
				}
				if has && !plain[g] {
					a.Found++
				}
			}
			if complete {
				a.Complete += 1 / n
			}
		}
	}
	for w := range all {
		slices.Sort(costs[w])
		all[w].P95 = costs[w][len(costs[w])*95/100]
	}
	return all, nil
}

package show

// This file searches a value for text, in what a tree has not opened yet, too.

import (
	"slices"
	"strings"

	"almanac/catalog/text"
	"almanac/session/vm"
)

// The bounds of one search: entries looked at, how deep, hits, and entries asked for at once.
const (
	findEntries = 50_000
	findDepth   = 12
	findHits    = 500
	findPage    = 2000
)

// A Spot is an entry of a value that has what was searched for.
type Spot struct {
	// Path leads to it. At are the positions on the way, from 0, in the tables as they are stored; the first is that in
	// the value searched.
	Path []vm.Step
	At   []int
}

// A Finding is what a search of a value came to.
type Finding struct {
	// Hits are in the order in which a tree shows them.
	Hits []Spot
	// Looked is how many entries were looked at. Unseen is how many tables were not, or not to their end: the search is
	// bounded, and some keys lead nowhere.
	Looked, Unseen int
}

// Rest says what the search did not look at; empty when it was all.
func (f Finding) Rest() string {
	if f.Unseen == 0 {
		return ""
	}
	return text.Count(f.Unseen, "table") + " not looked at"
}

func Find(path []vm.Step, text string,
	look func(path []vm.Step, from, limit int) (vm.Page, error)) (f Finding, err error) {
	text = strings.ToLower(text)
	type table struct {
		path []vm.Step
		at   []int
	}
	queue := []table{{path: path}}
	for ; len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		full := func() bool { return f.Looked >= findEntries || len(f.Hits) >= findHits }
		for from := 0; ; {
			if full() {
				f.Unseen += len(queue)
				f.sort()
				return f, nil
			}
			page, err := look(t.path, from, min(findPage, findEntries-f.Looked))
			if err != nil && len(t.at) == 0 && from == 0 {
				return f, err
			}
			if err != nil {
				f.Unseen += len(queue)
				f.sort()
				return f, nil
			}
			for i, n := range page.Nodes {
				f.Looked++
				at := append(slices.Clip(t.at), from+i)
				path := append(slices.Clip(t.path), n.Step)
				shown := NodeText(n)
				if n.Type == "table" {
					shown = StepText(n) // what is in it is looked at by itself
				}
				if strings.Contains(strings.ToLower(shown), text) && len(f.Hits) < findHits {
					f.Hits = append(f.Hits, Spot{path, at})
				}
				switch {
				case n.Type != "table" || n.Size == 0:
				case n.Odd || len(at) >= findDepth:
					f.Unseen++
				default:
					queue = append(queue, table{path, at})
				}
			}
			from += len(page.Nodes)
			if from >= page.Size || len(page.Nodes) == 0 {
				break
			}
		}
	}
	f.sort()
	return f, nil
}

func (f *Finding) sort() {
	slices.SortFunc(f.Hits, func(a, b Spot) int { return slices.Compare(a.At, b.At) })
}

package keeper

import (
	"maps"
	"slices"
	"sync"
	"time"

	"almanac/catalog/search"
)

// A Library is keepers and the index of their passages. The zero value is empty. Safe for concurrent use.
type Library struct {
	building sync.Mutex // taken before mu

	mu      sync.Mutex
	keepers map[string]*Keeper // which do not change
	shelf   *shelf             // of the last search; nil before it
}

// A shelf is the index of what a library had at one time.
type shelf struct {
	keepers  map[string]*Keeper
	scanned  map[string]scanned // by the id of the keeper
	passages []Passage
	index    *search.Index
}

// A scanned is a keeper as much as it is read for itself: what the index of all is joined of.
type scanned struct {
	passages []Passage
	segment  *search.Segment
	from, to int // its passages among all
}

// The fields of a passage.
const (
	topicField = iota
	questionField
	textField
)

// Add takes a keeper in, in place of one of the same id. It becomes clean. Beyond the limits the oldest go; these are
// returned.
func (l *Library) Add(k Keeper) []*Keeper {
	k.clean()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keepers == nil {
		l.keepers = map[string]*Keeper{}
	}
	l.remove(k.ID)
	l.keepers[k.ID] = &k
	return l.trim()
}

// Remove forgets a keeper.
func (l *Library) Remove(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(id)
}

func (l *Library) remove(id string) { delete(l.keepers, id) }

// trim forgets what is beyond the limits.
func (l *Library) trim() []*Keeper {
	gone := surplus(slices.Collect(maps.Values(l.keepers)))
	for _, k := range gone {
		l.remove(k.ID)
	}
	return gone
}

// surplus are the keepers beyond the limits: those that are too old, and the oldest of too many.
func surplus(all []*Keeper) []*Keeper {
	slices.SortFunc(all, newest)
	total := 0
	for i, k := range all {
		total += k.Size()
		if i >= MaxKeepers || total > MaxTotal || time.Since(k.At) > MaxAge {
			return all[i:]
		}
	}
	return nil
}

// Keepers are the keepers, the newest first. Their messages must not be changed.
func (l *Library) Keepers() []*Keeper {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trim()
	return slices.SortedFunc(maps.Values(l.keepers), newest)
}

// Keeper is the keeper of an id.
func (l *Library) Keeper(id string) (*Keeper, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.keepers[id]
	return k, ok
}

// shelved is the index of now. It is brought up to date when it is needed first after a change: new keepers are read,
// and joined with the others as they were.
func (l *Library) shelved() *shelf {
	l.building.Lock()
	defer l.building.Unlock()
	l.mu.Lock()
	l.trim()
	s, keepers := l.shelf, maps.Clone(l.keepers)
	l.mu.Unlock()
	if s != nil && maps.Equal(s.keepers, keepers) {
		return s
	}
	s = newShelf(keepers, s)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shelf = s
	return s
}

// newShelf is the index of keepers; before may be nil.
func newShelf(keepers map[string]*Keeper, before *shelf) *shelf {
	s := &shelf{keepers: keepers, scanned: map[string]scanned{}}
	var segments []*search.Segment
	var numbers [][]uint32
	for _, k := range slices.SortedFunc(maps.Values(keepers), newest) {
		var one scanned
		if before != nil && before.keepers[k.ID] == k {
			one = before.scanned[k.ID]
		} else {
			one.passages = passages(k)
			one.segment = search.Scan(len(one.passages), searching(one.passages))
		}
		one.from = len(s.passages)
		s.passages = append(s.passages, one.passages...)
		one.to = len(s.passages)
		s.scanned[k.ID] = one
		own := make([]uint32, 0, len(one.passages))
		for doc := one.from; doc < one.to; doc++ {
			own = append(own, uint32(doc))
		}
		segments, numbers = append(segments, one.segment), append(numbers, own)
	}
	s.index = search.Join(segments, numbers, searching(s.passages))
	return s
}

// searching says how passages are indexed.
func searching(passages []Passage) search.Options {
	return search.Options{
		Noun: "passage",
		Fields: []search.Field{
			topicField:    {Name: "topic", Weight: 5, Meaning: 128},
			questionField: {Name: "question", Weight: 7, Meaning: 128},
			textField:     {Name: "text", Role: search.Body, Weight: 10, Meaning: 256},
		},
		Kinds: []bool{false}, Path: func(int) []string { return nil },
		Document: func(doc int, d *search.Document) {
			p := &passages[doc]
			d.Texts = append(d.Texts, search.Text{Field: topicField, Text: p.Topic},
				search.Text{Field: questionField, Text: p.Question})
			for _, piece := range p.Pieces {
				d.Texts = append(d.Texts, search.Text{Field: textField, Text: piece.Text})
			}
		},
		// Passages have no paths, names or acts.
		Without: []search.Feature{search.Namespaces, search.Calls, search.Intents},
	}
}

// A Hit is a passage that matches a query.
type Hit struct {
	*Passage
	Score float64
}

// Find ranks the passages that match words of a query, the best first, and says how many match. With the id of a keeper
// only its passages are found.
func (l *Library) Find(query, keeper string, limit int) ([]Hit, int) {
	s := l.shelved()
	if len(s.passages) == 0 {
		return nil, 0
	}
	among := search.NewBits(len(s.passages))
	if keeper == "" {
		among.Fill(len(s.passages))
	} else {
		for i := s.scanned[keeper].from; i < s.scanned[keeper].to; i++ {
			among.Set(i)
		}
	}
	ranking := s.index.Rank(search.Request{Text: query, Visible: among})
	defer ranking.Close()
	best, matching := ranking.Top(among, limit)
	hits := make([]Hit, len(best))
	for i, h := range best {
		hits[i] = Hit{Passage: &s.passages[h.Doc], Score: h.Score}
	}
	return hits, matching
}

package eval

// This file ranks a set's requests and scores the results.

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"almanac/catalog"
)

// A Score is what one set came to. Shares run from 0 to 1 and are means over its requests.
type Score struct {
	Set     string `json:"set"`
	Actions int    `json:"actions,omitempty"`
	Queries int    `json:"queries,omitempty"`
	// Unknown counts the gold ids that the catalog has not, nor any of their alternatives.
	Unknown  int     `json:"unknown_gold"`
	Recall1  float64 `json:"recall_1"`
	Recall5  float64 `json:"recall_5"`
	Recall10 float64 `json:"recall_10"`
	Recall20 float64 `json:"recall_20"`
	// NDCG10 has binary gains; its ideal is all gold ids first.
	NDCG10 float64 `json:"ndcg_10"`
	// Complete10 is the share of requests with all gold ids among the first ten.
	Complete10 float64 `json:"comp_10"`
	// P50 and P99 are latencies of one search on one goroutine, in microseconds.
	P50 float64 `json:"p50_us"`
	P99 float64 `json:"p99_us"`
}

// A Miss is a request that was answered badly.
type Miss struct {
	Query Query   `json:"query"`
	NDCG  float64 `json:"ndcg"`
	// Top are the first hits; Lost is the first gold id not found by them.
	Top  []string `json:"top"`
	Lost string   `json:"lost"`
	// Why explains the best wrong hit and Lost.
	Why []string `json:"why"`
}

// maxTimed is the most requests of a set that are timed, spread evenly over it.
const maxTimed = 1000

// shown is how many hits search returns by default.
const shown = 20

// Discovery runs every request of a set through view.Search with default options, on all processors, then times a part
// of them on one. misses is how many of the worst are returned. It fails when ctx ends or a search does.
func Discovery(ctx context.Context, view *catalog.View, s Set, misses int) (Score, []Miss, error) {
	ranked, err := rankAll(ctx, view, s)
	if err != nil {
		return Score{}, nil, err
	}
	total := Score{Set: s.Name, Actions: view.Len(), Queries: len(s.Queries)}
	gains := make([]float64, len(s.Queries))
	for i := range s.Queries {
		q := &s.Queries[i]
		for _, gold := range q.Gold {
			if !slices.ContainsFunc(append([]string{gold}, q.Alt[gold]...),
				func(id string) bool { _, ok := view.Lookup(id); return ok }) {
				total.Unknown++
			}
		}
		one := score(q, ranked[i])
		gains[i] = one.NDCG10
		total.add(one, 1/float64(len(s.Queries)))
	}
	if total.P50, total.P99, err = latency(ctx, view, s.Queries); err != nil {
		return Score{}, nil, err
	}
	worst := make([]int, len(gains))
	for i := range worst {
		worst[i] = i
	}
	slices.SortStableFunc(worst, func(a, b int) int { return cmp.Compare(gains[a], gains[b]) })
	var bad []Miss
	for _, i := range worst[:min(misses, len(worst))] {
		if gains[i] < 1 {
			bad = append(bad, miss(view, s.Queries[i], ranked[i], gains[i]))
		}
	}
	return total, bad, nil
}

// rankAll is the ids that each request finds.
func rankAll(ctx context.Context, view *catalog.View, s Set) ([][]string, error) {
	ranked := make([][]string, len(s.Queries))
	workers := runtime.GOMAXPROCS(0)
	errs := make([]error, workers)
	var next atomic.Int64
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(ranked) || errs[w] != nil {
					return
				}
				if errs[w] = ctx.Err(); errs[w] == nil {
					ranked[i], errs[w] = find(view, &s.Queries[i])
				}
			}
		})
	}
	wait.Wait()
	return ranked, cmp.Or(errs...)
}

func find(view *catalog.View, q *Query) ([]string, error) {
	found, err := view.WithRecent(q.Before).Search(q.Text, catalog.SearchOptions{})
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, found.Len())
	for _, hit := range found.Hits() {
		ids = append(ids, hit.ID)
	}
	return ids, nil
}

// score is that of one request. Each gold id counts once, at the first hit that stands for it.
func score(q *Query, ranked []string) Score {
	var s Score
	open := slices.Clone(q.Gold)
	n := float64(len(open))
	in10, gain := 0, 0.0
	for i, id := range ranked[:min(len(ranked), shown)] {
		at := slices.IndexFunc(open, func(gold string) bool { return q.stands(id, gold) })
		if at < 0 {
			continue
		}
		open = slices.Delete(open, at, at+1)
		if i < 1 {
			s.Recall1 += 1 / n
		}
		if i < 5 {
			s.Recall5 += 1 / n
		}
		if i < 10 {
			s.Recall10 += 1 / n
			gain += 1 / math.Log2(float64(i+2))
			in10++
		}
		s.Recall20 += 1 / n
	}
	ideal := 0.0
	for i := range min(10, len(q.Gold)) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	s.NDCG10 = gain / ideal
	if in10 == len(q.Gold) {
		s.Complete10 = 1
	}
	return s
}

// stands reports whether a hit counts for a gold id.
func (q *Query) stands(id, gold string) bool { return id == gold || slices.Contains(q.Alt[gold], id) }

// add adds the shares of o, weighted.
func (s *Score) add(o Score, weight float64) {
	s.Recall1 += o.Recall1 * weight
	s.Recall5 += o.Recall5 * weight
	s.Recall10 += o.Recall10 * weight
	s.Recall20 += o.Recall20 * weight
	s.NDCG10 += o.NDCG10 * weight
	s.Complete10 += o.Complete10 * weight
}

// Average is the mean over sets, each counting the same, with the worst latencies. It is called "macro".
func Average(scores []Score) Score {
	all := Score{Set: "macro"}
	for _, s := range scores {
		all.add(s, 1/float64(len(scores)))
		all.Unknown += s.Unknown
		all.P50, all.P99 = max(all.P50, s.P50), max(all.P99, s.P99)
	}
	return all
}

// latency is the median and the 99th percentile of one search, in microseconds.
func latency(ctx context.Context, view *catalog.View, queries []Query) (p50, p99 float64, err error) {
	step := max(1, len(queries)/maxTimed)
	var taken []time.Duration
	for warm := range 2 {
		for i := 0; i < len(queries); i += step {
			if err := ctx.Err(); err != nil {
				return 0, 0, err
			}
			start := time.Now()
			if _, err := view.WithRecent(queries[i].Before).Search(queries[i].Text, catalog.SearchOptions{}); err != nil {
				return 0, 0, err
			}
			if warm == 1 {
				taken = append(taken, time.Since(start))
			}
		}
	}
	slices.Sort(taken)
	at := func(share float64) float64 {
		return float64(taken[int(share*float64(len(taken)-1))].Nanoseconds()) / 1000
	}
	return at(.5), at(.99), nil
}

func miss(view *catalog.View, q Query, ranked []string, ndcg float64) Miss {
	m := Miss{Query: q, NDCG: ndcg, Top: ranked[:min(5, len(ranked))]}
	for _, gold := range q.Gold {
		if !slices.ContainsFunc(ranked[:min(len(q.Gold), len(ranked))], func(id string) bool { return q.stands(id, gold) }) {
			m.Lost = gold
			break
		}
	}
	wrong := slices.IndexFunc(ranked, func(id string) bool {
		return !slices.ContainsFunc(q.Gold, func(gold string) bool { return q.stands(id, gold) })
	})
	if wrong >= 0 {
		m.explain(view, ranked[wrong])
	}
	m.explain(view, m.Lost)
	return m
}

func (m *Miss) explain(view *catalog.View, id string) {
	why, err := view.WithRecent(m.Query.Before).Explain(id, m.Query.Text)
	if err != nil {
		why = err.Error()
	}
	m.Why = append(m.Why, why)
}

package host_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/session"
	"almanac/session/policy"
)

// BenchmarkRemoteCall is a call at a host on this machine beside the same call in the process: the median and the 99th
// percentile. A write has its key and what came of it on the server before it is answered.
func BenchmarkRemoteCall(b *testing.B) {
	row := map[string]any{"id": "a", "cents": int64(100)}
	entry := func(id string, mutates bool) catalog.Entry {
		return catalog.Entry{
			ID: id, Mutates: mutates,
			Input:  catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`),
			Action: func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{Data: row}, nil },
		}
	}
	entries := []catalog.Entry{entry("shop.get", false), entry("shop.set", true)}
	options := session.Options{Policy: policy.Policy{Mode: policy.Session}}
	on := onBus(b)
	serve(b, on, "shop", entries, policy.Session)
	all, _ := catalog.New(entries, catalog.Options{})
	near, err := session.New(all.View(), options)
	if err != nil {
		b.Fatal(err)
	}
	defer near.Close()
	far := calling(b, on, "nats:shop", options)
	for _, c := range []struct {
		name, id string
		in       *session.Session
	}{{"read, here", "shop.get", near}, {"read, at a host", "shop.get", far}, {"write, at a host", "shop.set", far}} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				if _, err := c.in.Call(b.Context(), session.Invocation{ID: c.id, Args: map[string]any{"id": "a"}}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs/p99")
		})
	}
}

// BenchmarkHosts is the time until what 20 hosts serve, 5,000 actions each, or one with 100,000, can be searched: read
// from the hosts, and at a later start from the files. It tells how long one search took meanwhile at most.
func BenchmarkHosts(b *testing.B) {
	for _, c := range []struct{ hosts, entries int }{{20, 5000}, {1, 100_000}} {
		b.Run(fmt.Sprintf("%d of %d", c.hosts, c.entries), func(b *testing.B) {
			on := onBus(b)
			for n := range c.hosts {
				serve(b, on, fmt.Sprint("host", n), many(fmt.Sprint("h", n), c.entries), policy.ReadOnly)
			}
			data := ""
			for _, start := range []string{"first start", "later start"} {
				b.Run(start, func(b *testing.B) {
					slowest := time.Duration(0)
					for b.Loop() {
						if start == "first start" {
							data = b.TempDir()
						}
						var sources []source.Source
						for n := range c.hosts {
							sources = append(sources, opened(b, on, data, fmt.Sprint("nats:host", n)))
						}
						slowest = max(slowest, loaded(b, sources, c.hosts*c.entries))
					}
					b.ReportMetric(float64(slowest.Milliseconds()), "ms/slowest-search")
				})
			}
		})
	}
}

// loaded reads the sources to the end, and returns how long the slowest search took meanwhile.
func loaded(b *testing.B, sources []source.Source, want int) (slowest time.Duration) {
	l, err := source.Start(b.Context(), sources, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for l.Loading() {
		began := time.Now()
		if _, err := l.View().Search("unpaid invoices", catalog.SearchOptions{}); err != nil {
			b.Fatal(err)
		}
		slowest = max(slowest, time.Since(began))
		time.Sleep(5 * time.Millisecond) // somebody types
	}
	if n := l.View().Len(); n != want {
		b.Fatalf("%d actions, want %d", n, want)
	}
	return slowest
}

// many are actions of which no two are alike.
func many(domain string, n int) []catalog.Entry {
	words := []string{"invoice", "customer", "order", "refund", "ticket", "shipment", "payment", "contract", "quote"}
	verbs := []string{"list", "get", "create", "update", "delete", "search", "export", "approve"}
	all := make([]catalog.Entry, n)
	for i := range all {
		word, verb := words[i%len(words)], verbs[i/len(words)%len(verbs)]
		all[i] = catalog.Entry{
			ID:          fmt.Sprintf("%s.%s%d.%s", domain, word, i/len(words)/len(verbs), verb),
			Description: fmt.Sprintf("%s the %s of department %d, with what was paid, oldest first.", verb, word, i),
			Entities:    []string{word}, Tags: []string{domain, verb},
			Input:  catalog.MustSchema(fmt.Sprintf(`{"type":"object","properties":{"%s_id":{"type":"string","description":"Which %s, like abc_00042."},"limit":{"type":"integer","default":25},"status":{"type":"string","enum":["open","paid","void"]}},"required":["%s_id"]}`, word, word, word)),
			Output: catalog.MustSchema(fmt.Sprintf(`{"type":"array","items":{"type":"object","title":"%s","properties":{"id":{"type":"string"},"status":{"type":"string"},"amount_cents":{"type":"integer"},"due_date":{"type":"string","format":"date"}}}}`, word)),
			Action: func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{}, nil },
		}
	}
	return all
}

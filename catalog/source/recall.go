package source

// This file loads the cached catalog of an earlier start. The cache key is made of catalog.Version, which changes with
// the build of catalogs, and of each source's name and key or, for the program's own, its entries.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"almanac/catalog"
)

// contentKey is the source's key now; empty where it has none.
func (s *loading) contentKey() string {
	if s.Key == nil {
		return ""
	}
	key, err := s.Key()
	if err != nil {
		return ""
	}
	return key
}

// keyed reports whether the catalog of the sources can be kept. What overlays made of it, and what they hide, is not.
func (l *Loader) keyed() bool {
	some := false
	for _, s := range l.sources {
		if s.Key == nil && !s.Own || s.Overlays {
			return false
		}
		some = some || s.Key != nil
	}
	return some && l.options.Cache != ""
}

// cacheKey names the catalog of the sources as they are; empty where one cannot tell. Own sources have been read.
func (l *Loader) cacheKey() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s reports 4\x00", catalog.Version()) // raised with the wording of reports, which the cache holds
	for _, s := range l.sources {
		if s.Key == nil {
			own, _ := catalog.New(s.entries, catalog.Options{})
			fmt.Fprintf(sum, "%q own %q ", s.Name, s.Reserves)
			if err := own.WriteImage(sum, nil); err != nil {
				return ""
			}
			continue
		}
		if s.key == "" {
			return ""
		}
		fmt.Fprintf(sum, "%q %s\x00", s.Name, s.key)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// recall takes the catalog from the cache, with what was said of each source. It reports whether it was there.
func (l *Loader) recall(ctx context.Context) bool {
	if !l.keyed() {
		return false
	}
	functions := map[string]catalog.Entry{}
	for _, s := range l.sources {
		if s.Own && s.Key == nil {
			if l.read(ctx, s); s.status.State != Ready {
				return false
			}
			for _, e := range s.entries {
				functions[e.ID] = e
			}
			continue
		}
		s.key = s.contentKey()
	}
	key := l.cacheKey()
	if key == "" {
		return false
	}
	image, err := cache{l.options.Cache}.read(key)
	if err != nil {
		l.logf("catalog cache: %v", err)
	}
	if image == nil {
		return false
	}
	all, remark, err := catalog.Open(image, catalog.OpenOptions{Without: l.options.Catalog.Without,
		Attach: func(e *catalog.Entry) {
			if own, ok := functions[e.ID]; ok && own.Source == e.Source {
				e.Action, e.Preview, e.Prompts, e.Resource = own.Action, own.Preview, own.Prompts, own.Resource
				e.Hooks.Attach(own.Hooks)
			}
		}})
	var statuses []Status
	if err == nil {
		err = json.Unmarshal(remark, &statuses)
	}
	if err != nil || len(statuses) != len(l.sources) {
		l.logf("catalog cache: rebuilding %s: %v", key, err)
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, s := range l.sources {
		s.status, s.answered, s.fresh = statuses[i], true, false
		if s.Key != nil {
			s.recalled = all
		}
	}
	l.view = all.View()
	return true
}

// reclaim reads the entries of a recalled source out of the catalog that was recalled.
func (s *loading) reclaim() {
	if s.recalled == nil {
		return
	}
	s.entries = slices.DeleteFunc(s.recalled.Entries(), func(e catalog.Entry) bool { return e.Source != s.Name })
	s.recalled = nil
}

// remember keeps a catalog that was built of all sources as they are.
func (l *Loader) remember(all *catalog.Catalog) {
	if !l.keyed() {
		return
	}
	l.mu.Lock()
	statuses := make([]Status, 0, len(l.sources))
	whole := true
	for _, s := range l.sources {
		whole = whole && s.status.State == Ready && s.status.Change.empty()
		statuses = append(statuses, s.status)
	}
	key := l.cacheKey()
	l.mu.Unlock()
	if !whole || key == "" {
		return
	}
	remark, err := json.Marshal(statuses)
	if err == nil {
		err = cache{l.options.Cache}.write(key, func(w io.Writer) error { return all.WriteImage(w, remark) })
	}
	if err != nil {
		l.logf("catalog cache: not saved: %v", err)
	}
}

func (l *Loader) logf(format string, args ...any) {
	if l.options.Logf != nil {
		l.options.Logf(format, args...)
	}
}

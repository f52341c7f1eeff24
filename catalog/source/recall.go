package source

// This file loads the cached catalog of an earlier start. Its key is made of catalog.Version, which changes with the
// build of catalogs, of the program, and of each source's name, key and accepted actions or, for the program's own, its
// entries.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"almanac/catalog"
)

// contentKey is the source's key now; empty where it has none.
func (s *loading) contentKey(ctx context.Context) string {
	if s.Key == nil {
		return ""
	}
	key, err := s.Key(ctx)
	if err != nil {
		return ""
	}
	return key
}

// sum is the key of something in the cache.
func (l *Loader) sum(what, about string) string {
	// The form of what is kept beside images; raised with the wording of reports, which is in there.
	const form = 5
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s %s\x00%s", what, form, l.version(), l.options.Program, about))
	return hex.EncodeToString(sum[:16])
}

// keyed reports whether the catalog of the sources can be kept. What overlays made of it, and what they hide, is not.
func (l *Loader) keyed() bool {
	some := false
	for _, s := range l.sources {
		if s.Key == nil && !s.Own || s.Overlays || s.Far {
			return false
		}
		some = some || s.Key != nil
	}
	return some && l.options.Cache != ""
}

// cacheKey names the catalog of the contents; empty where one cannot tell.
func (l *Loader) cacheKey(contents []*content) string {
	var all strings.Builder
	for i, s := range l.sources {
		c := contents[i]
		switch {
		case c == nil, s.Key != nil && c.key == "":
			return ""
		case s.Key != nil:
			fmt.Fprintf(&all, "%q %s %s\x00", s.Name, c.key, c.said.Ledger)
		default:
			fmt.Fprintf(&all, "%q own %q ", s.Name, s.Reserves)
			for _, e := range c.all() {
				all.Write(catalog.AppendStored(nil, &e))
			}
		}
	}
	return l.sum("catalog", all.String())
}

// A remembered is what is kept of each source beside a catalog.
type remembered struct {
	Status Status
	Said   said
}

// recall takes the catalog from the cache, with what was said of each source. It reports whether it was there.
func (l *Loader) recall(ctx context.Context) bool {
	if !l.keyed() {
		return false
	}
	functions := map[string]catalog.Entry{}
	contents := make([]*content, len(l.sources))
	byName := map[string]*content{}
	for i, s := range l.sources {
		if s.Key == nil {
			if l.read(ctx, s); s.status.State != Ready {
				return false
			}
			l.segment(s.content)
			for _, e := range s.content.all() {
				functions[e.ID] = e
			}
			contents[i] = s.content
			continue
		}
		c := &content{name: s.Name, key: s.contentKey(ctx)}
		if !s.Own && l.options.Ledger != "" {
			c.said.Ledger = ledgerSum(l.options.Ledger, s.Name)
		}
		contents[i], byName[s.Name] = c, c
	}
	key := l.cacheKey(contents)
	if key == "" {
		return false
	}
	image, err := l.cache().read(key)
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
			if c := byName[e.Source]; c != nil {
				c.give(e)
			}
		}})
	var kept []remembered
	if err == nil {
		err = json.Unmarshal(remark, &kept)
	}
	if err == nil && len(kept) != len(l.sources) {
		err = catalog.ErrImage
	}
	for i, s := range l.sources {
		if err == nil && s.Key != nil {
			ledger := contents[i].said.Ledger
			contents[i].said, contents[i].recalled = kept[i].Said, all
			contents[i].said.Ledger = ledger
			if contents[i].recall(s) != nil {
				return false // what it is made of has changed
			}
			if s.Recall != nil {
				kept[i].Status.Notes = contents[i].said.Notes
			}
		}
	}
	if err != nil {
		l.logf("catalog cache: rebuilding %s: %v", key, err)
		for _, s := range l.sources {
			s.damaged = s.Key != nil
		}
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, s := range l.sources {
		s.status, s.answered, s.fresh = kept[i].Status, true, false
		s.content = contents[i]
	}
	l.view, l.indexing = all.View(), false
	return true
}

// remember keeps what the next start can use of a catalog that was built of the contents: all of it, where it can be
// told to be the same then, and the segments of sources for joining others with them: that of a lone source comes last,
// and is left when the Loader closes.
func (l *Loader) remember(all *catalog.Catalog, contents []*content) {
	if l.options.Cache == "" {
		return
	}
	defer l.release(all, contents)
	parted := !l.keyed()
	others := 0
	for _, s := range l.sources {
		if s.Key != nil {
			others++
		}
	}
	lone := !parted && others == 1
	if !lone {
		l.store(contents, l.cache())
	}
	if parted {
		return
	}
	l.mu.Lock()
	kept := make([]remembered, 0, len(l.sources))
	whole := true
	for i, s := range l.sources {
		whole = whole && s.status.State == Ready && s.status.Change.empty() && s.content == contents[i]
		one := remembered{s.status, said{}}
		if s.Key != nil && contents[i] != nil {
			one.Said = said{Found: contents[i].said.Found, Unfit: contents[i].said.Unfit, Kept: contents[i].said.Kept}
		}
		if s.Recall != nil {
			one.Status.Notes = nil
		}
		kept = append(kept, one)
	}
	key := ""
	if whole {
		key = l.cacheKey(contents)
	}
	l.mu.Unlock()
	if key == "" {
		return
	}
	remark, err := json.Marshal(kept)
	if err == nil {
		err = l.cache().write(key, func(w io.Writer) error { return all.WriteImage(w, remark) })
	}
	if err != nil && !errors.Is(err, errEnded) {
		l.logf("catalog cache: not saved: %v", err)
	}
	if err == nil && lone { // for a start with others, if there is time for it
		l.store(contents, cache{l.options.Cache, l.closing})
	}
}

func (l *Loader) logf(format string, args ...any) {
	if l.options.Logf != nil {
		l.options.Logf(format, args...)
	}
}

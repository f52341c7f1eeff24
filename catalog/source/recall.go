package source

// This file loads the cached catalog of an earlier start. Its key is made of catalog.Version, which changes with the
// build of catalogs, of the program, and of each source's name, key and accepted actions or, for the program's own, its
// entries. Sources that have to be asked at each start give their names to the key; a sum of their entries is in the
// file, which is of use as long as they say the same.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"almanac/catalog"
	"almanac/catalog/secret"
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
	const form = 6
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s %s\x00%s", what, form, l.version(), l.options.Program, about))
	return hex.EncodeToString(sum[:16])
}

// keyed reports whether the catalog of the sources can be kept, and whether some of them have to be asked first what
// they have. What overlays made of it, and what they hide, is not kept.
func (l *Loader) keyed() (can, asked bool) {
	for _, s := range l.sources {
		if s.Overlays || s.Far {
			return false, false
		}
		can, asked = can || s.Key != nil, asked || s.asked()
	}
	return can && l.options.Cache != "", asked
}

// asked reports whether only the source itself knows whether it still has what it had at the last start.
func (s *loading) asked() bool { return s.Key == nil && !s.Own }

// cacheKey names the catalog of the contents; empty where one cannot tell. Sources that are asked need none for that.
func (l *Loader) cacheKey(contents []*content) string {
	var all strings.Builder
	for i, s := range l.sources {
		c := contents[i]
		switch {
		case s.asked():
			fmt.Fprintf(&all, "%q asked %q\x00", s.Name, s.Reserves)
		case c == nil, s.Key != nil && c.key == "":
			return ""
		case s.Key != nil:
			fmt.Fprintf(&all, "%q %s %s\x00", s.Name, c.key, c.said.Ledger)
		default:
			fmt.Fprintf(&all, "%q own %q ", s.Name, s.Reserves)
			all.Write(c.bytes())
		}
	}
	return l.sum("catalog", all.String())
}

// bytes are the entries as they are kept.
func (c *content) bytes() (all []byte) {
	for _, e := range c.all() {
		all = catalog.AppendStored(all, &e)
	}
	return all
}

// answer sums up what the sources have said that were asked; empty where they were none. It is an error if they said
// what must not be kept: a source that failed, one with actions that have to be accepted, a secret.
func (l *Loader) answer(contents []*content) (string, error) {
	var all []byte
	for i, s := range l.sources {
		if !s.asked() {
			continue
		}
		if s.status.State != Ready || !s.status.Change.empty() {
			return "", errors.New("not all of it is there")
		}
		said := contents[i].bytes()
		all = append(fmt.Appendf(all, "%d\x00", len(said)), said...)
	}
	if all == nil {
		return "", nil
	}
	if text := string(all); secret.New(l.Secrets(), secret.Least).Text(text) != text {
		return "", errors.New("it has a secret")
	}
	return l.sum("answer", string(all)), nil
}

// A remembered is what is kept beside a catalog: the sum of what the sources said that were asked, and of each source
// what it would say if it were read.
type remembered struct {
	Answer  string
	Sources []rememberedSource
}

type rememberedSource struct {
	Status Status
	Said   said
}

// recall takes the catalog from the cache, with what was said of each source. It reports whether it was there. Sources
// that have to be asked have been read afterwards if the cache had something to hold against their answers.
func (l *Loader) recall(ctx context.Context) bool {
	can, asked := l.keyed()
	if !can || asked && !l.options.Whole {
		return false
	}
	contents := make([]*content, len(l.sources))
	for i, s := range l.sources {
		switch {
		case s.Own && s.Key == nil:
			if l.read(ctx, s); s.status.State != Ready {
				return false
			}
			contents[i] = s.content
			l.segment(s.content)
		case s.Key != nil:
			c := &content{name: s.Name, key: s.contentKey(ctx)}
			if !s.Own && l.options.Ledger != "" {
				c.said.Ledger = ledgerSum(l.options.Ledger, s.Name)
			}
			contents[i] = c
		}
	}
	key := l.cacheKey(contents)
	if key == "" || !l.cache().has(key) {
		return false
	}
	var answers sync.WaitGroup
	for _, s := range l.sources {
		if s.asked() {
			answers.Go(func() { l.read(ctx, s) })
		}
	}
	all, kept, err := l.open(key, contents)
	if answers.Wait(); all == nil {
		for _, s := range l.sources {
			s.damaged = err != nil && s.Key != nil
		}
		return false
	}
	for i, s := range l.sources {
		if !s.asked() {
			continue
		}
		if s.status.State != Ready {
			return false
		}
		contents[i] = s.content
		l.segment(s.content)
	}
	answer, err := l.answer(contents)
	return err == nil && answer == kept.Answer && l.recalled(all, contents, kept.Sources)
}

// recallLate is recall for sources that have all been read because something was to be shown before: it takes the place
// of joining them. The catalog is nil where there is none.
func (l *Loader) recallLate(contents []*content) (all *catalog.Catalog, wrong map[string][]catalog.Skip) {
	if can, asked := l.keyed(); !can || !asked {
		return nil, nil
	}
	l.mu.Lock()
	key, answer, err := l.cacheKey(contents), "", error(nil)
	if key != "" && l.cache().has(key) {
		answer, err = l.answer(contents)
	}
	l.mu.Unlock()
	if answer == "" || err != nil || !l.said(key, answer) {
		return nil, nil
	}
	all, kept, _ := l.open(key, contents)
	if all == nil || kept.Answer != answer {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	wrong = map[string][]catalog.Skip{}
	for i, s := range l.sources {
		if c := contents[i]; s.Key != nil && c.raw == nil { // all has it, so that it need not be in memory twice
			c.part, c.recalled, c.altered, c.change = nil, all, nil, ""
		}
		wrong[s.Name] = kept.Sources[i].Status.Uncompensated
	}
	return all, wrong
}

// open opens a catalog in the cache, which is nil where there is none that can be used. Contents may be filled in until
// an entry is looked up.
func (l *Loader) open(key string, contents []*content) (all *catalog.Catalog, kept remembered, err error) {
	image, err := l.cache().read(key)
	if err != nil {
		l.logf("catalog cache: %v", err)
	}
	if image == nil {
		return nil, kept, nil
	}
	functions := sync.OnceValue(func() map[string]catalog.Entry {
		own := map[string]catalog.Entry{}
		for i, s := range l.sources {
			if s.Key == nil {
				for _, e := range contents[i].all() {
					own[e.ID] = e
				}
			}
		}
		return own
	})
	byName := map[string]*content{}
	for i, s := range l.sources {
		if s.Key != nil {
			byName[s.Name] = contents[i]
		}
	}
	all, remark, err := catalog.Open(image, catalog.OpenOptions{Without: l.options.Catalog.Without,
		Attach: func(e *catalog.Entry) {
			if own, ok := functions()[e.ID]; ok && own.Source == e.Source {
				e.Action, e.Preview, e.Prompts, e.Resource = own.Action, own.Preview, own.Prompts, own.Resource
				e.Hooks.Attach(own.Hooks)
			}
			if c := byName[e.Source]; c != nil {
				c.give(e)
			}
		}})
	if err == nil {
		err = json.Unmarshal(remark, &kept)
	}
	if err == nil && len(kept.Sources) != len(l.sources) {
		err = catalog.ErrImage
	}
	if err != nil {
		l.logf("catalog cache: rebuilding %s: %v", key, err)
		return nil, kept, err
	}
	return all, kept, nil
}

// recalled shows a catalog from the cache in the place of one that is built of the contents. It reports false where a
// source cannot use what is kept of it.
func (l *Loader) recalled(all *catalog.Catalog, contents []*content, kept []rememberedSource) bool {
	for i, s := range l.sources {
		if s.Key == nil {
			continue
		}
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
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, s := range l.sources {
		status := kept[i].Status
		if s.asked() { // the rest was said just now
			now := s.status
			now.Loaded, now.Skipped, now.Uncompensated = status.Loaded, status.Skipped, status.Uncompensated
			status = now
		}
		s.status, s.answered, s.fresh = status, true, false
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
	can, asked := l.keyed()
	others := 0
	for _, s := range l.sources {
		if s.Key != nil {
			others++
		}
	}
	lone := can && !asked && others == 1
	if !lone {
		l.store(contents, l.cache())
	}
	if !can {
		return
	}
	l.mu.Lock()
	kept := remembered{}
	whole := true
	for i, s := range l.sources {
		whole = whole && s.status.State == Ready && s.status.Change.empty() && s.content == contents[i]
		one := rememberedSource{s.status, said{}}
		if s.Key != nil && contents[i] != nil {
			one.Said = said{Found: contents[i].said.Found, Unfit: contents[i].said.Unfit, Kept: contents[i].said.Kept}
		}
		if s.Recall != nil {
			one.Status.Notes = nil
		}
		kept.Sources = append(kept.Sources, one)
	}
	key, err := "", error(nil)
	if whole {
		key = l.cacheKey(contents)
		kept.Answer, err = l.answer(contents)
	}
	l.mu.Unlock()
	if key == "" || err != nil || asked && !l.repeated(key, kept.Answer) {
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

// repeated reports whether the sources that were asked said the same when the catalog was last built: it is not worth
// keeping if they say something else at each start.
func (l *Loader) repeated(key, answer string) bool {
	if l.said(key, answer) {
		return true
	}
	// Where it cannot be written, the catalog cannot be either.
	_ = l.cache().write(l.lastAnswer(key), func(w io.Writer) error { _, err := io.WriteString(w, answer); return err })
	return false
}

// said reports whether the sources said the same when the catalog was last built.
func (l *Loader) said(key, answer string) bool {
	last, _ := l.cache().read(l.lastAnswer(key))
	return string(last) == answer
}

func (l *Loader) lastAnswer(key string) string { return l.sum("last answer", key) }

func (l *Loader) logf(format string, args ...any) {
	if l.options.Logf != nil {
		l.options.Logf(format, args...)
	}
}

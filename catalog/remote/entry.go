package remote

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
)

// This file writes the catalog of a host as pages of JSON lines, and reads them. It is JSON and not the image of a
// catalog, since whoever answers on a bus need not be a friend.

// An Outline says what a host serves.
type Outline struct {
	Instance string `json:"instance"`
	// Fingerprint is of all lines: where it is the same, so are they.
	Fingerprint string `json:"fingerprint"`
	Entries     int    `json:"entries"`
	Pages       int    `json:"pages"`
	Version     string `json:"version,omitempty"`
}

// A Page asks a host for a page of the catalog with the fingerprint, from 0. The answer is its bytes, or nothing where
// the host has another catalog by now.
type Page struct {
	Fingerprint string `json:"fingerprint"`
	N           int    `json:"n"`
}

// An entry is a line: what callers know of an action.
type entry struct {
	ID          string            `json:"id"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description,omitempty"`
	Namespace   []string          `json:"namespace,omitempty"`
	Operation   catalog.Operation `json:"operation,omitempty"`
	Entities    []string          `json:"entities,omitempty"`
	Category    string            `json:"category,omitempty"`
	Products    []string          `json:"products,omitempty"`
	Tags        []string          `json:"tags,omitempty"`
	Version     string            `json:"version,omitempty"`
	Aliases     []string          `json:"aliases,omitempty"`
	Input       json.RawMessage   `json:"input,omitempty"`
	Output      json.RawMessage   `json:"output,omitempty"`
	Strict      bool              `json:"strict,omitempty"`
	Mutates     bool              `json:"mutates,omitempty"`
	Risk        catalog.Risk      `json:"risk,omitempty"`
	Examples    []string          `json:"examples,omitempty"`
	Paged       bool              `json:"paged,omitempty"`
	Timeout     time.Duration     `json:"timeout,omitempty"`
	Retry       *catalog.Retry    `json:"retry,omitempty"`
	Target      string            `json:"target,omitempty"`
	Undo        *compensation     `json:"undone_by,omitempty"`
	Effects     []catalog.Effect  `json:"effects,omitempty"`
	Supplies    []supply          `json:"supplies,omitempty"`
	Inject      []injection       `json:"inject,omitempty"`
	Callable    bool              `json:"callable,omitempty"`
	Previews    bool              `json:"previews,omitempty"`
}

type injection struct {
	Field string `json:"field"`
	From  string `json:"from"`
}

// A supply is a catalog.Supply.
type supply struct {
	ID       string `json:"id"`
	Argument string `json:"argument"`
	Field    string `json:"field,omitempty"`
}

type compensation struct {
	ID   string         `json:"id"`
	Args map[string]any `json:"args,omitempty"`
}

// entryOf is what callers know of e: nothing of how it is made.
func entryOf(e *catalog.Entry) entry {
	w := entry{
		ID: e.ID, Title: e.Title, Description: e.Description, Operation: e.Operation, Entities: e.Entities,
		Category: e.Category, Products: e.Products, Tags: e.Tags, Version: e.Version, Aliases: e.Aliases,
		Strict: e.Strict, Mutates: e.Mutates,
		Risk: e.Risk, Examples: e.Examples, Paged: e.Paged, Timeout: e.Timeout, Retry: e.Retry, Target: e.Target,
		Callable: e.Callable(), Previews: e.Preview != nil, Effects: e.Effects,
	}
	if !strings.HasPrefix(e.ID, strings.Join(e.Namespace, ".")+".") { // else it follows from the id
		w.Namespace = e.Namespace
	}
	for _, in := range e.Inject {
		w.Inject = append(w.Inject, injection{in.Field, in.From})
	}
	for _, s := range e.Supplies {
		w.Supplies = append(w.Supplies, supply(s))
	}
	if e.Input != nil {
		w.Input = e.Input.JSON()
	}
	if e.Output != nil {
		w.Output = e.Output.JSON()
	}
	if c := e.Compensate; c != nil {
		w.Undo = &compensation{c.ID, c.Args}
	}
	return w
}

// maxLine is how long the line of an action may be; longer ones are not served.
const maxLine = MaxMessage / 2

// Pages writes the entries, in their order; clean takes secrets out of a line. left are those that are too long.
func Pages(entries iter.Seq[*catalog.Entry], clean func(json.RawMessage) json.RawMessage) (pages [][]byte, o Outline,
	left []string, err error) {
	sum := sha256.New()
	var page []byte
	write := func() {
		var packed bytes.Buffer
		zip, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
		_, e := zip.Write(page)
		err = errors.Join(err, e, zip.Close())
		pages, page = append(pages, packed.Bytes()), nil
	}
	served := map[string]bool{}
	for e := range entries {
		served[e.ID] = true
	}
	for e := range entries {
		said := entryOf(e)
		said.Supplies = slices.DeleteFunc(said.Supplies, func(s supply) bool { return !served[s.ID] })
		line, wrong := json.Marshal(said)
		if wrong != nil || len(line) > maxLine {
			left = append(left, e.ID)
			continue
		}
		line = append(clean(line), '\n')
		sum.Write(line)
		o.Entries++
		if len(page)+len(line) > MaxMessage-MaxMessage/16 { // what cannot be packed grows a little
			write()
		}
		page = append(page, line...)
	}
	if page != nil {
		write()
	}
	o.Fingerprint, o.Pages = hex.EncodeToString(sum.Sum(nil)), len(pages)
	return pages, o, left, err
}

// What is taken of a host that may not be a friend.
const (
	maxEntries     = 200_000
	maxPages       = 10_000
	maxPage        = 2 * MaxMessage // unpacked
	maxDescription = 4 << 10
	maxTimeout     = time.Hour
	maxTries       = 20
	maxSupplies    = 50
)

// unpacked is the page as lines.
func unpacked(page []byte) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(page))
	if err != nil {
		return nil, err
	}
	lines, err := io.ReadAll(io.LimitReader(zip, maxPage+1))
	if err == nil && len(lines) > maxPage {
		err = fmt.Errorf("more than %s", text.Bytes(maxPage))
	}
	return lines, err
}

// read makes entries of the pages of an outline, which have to be what its fingerprint says.
func (s *hosts) read(o Outline, pages [][]byte) (catalog.Batch, error) {
	parts := make([]catalog.Batch, len(pages))
	errs := make([]error, len(pages))
	unzipped := make([][]byte, len(pages))
	var all sync.WaitGroup
	room := make(chan struct{}, 2)
	for i, page := range pages {
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			if unzipped[i], errs[i] = unpacked(page); errs[i] == nil {
				parts[i] = s.lines(unzipped[i])
			}
		})
	}
	all.Wait()
	sum := sha256.New()
	for _, lines := range unzipped {
		sum.Write(lines)
	}
	if err := errors.Join(errs...); err != nil {
		return catalog.Batch{}, err
	}
	if hex.EncodeToString(sum.Sum(nil)) != o.Fingerprint {
		return catalog.Batch{}, errors.New("its catalog is damaged: what came is not what its fingerprint says")
	}
	var batch catalog.Batch
	for _, p := range parts {
		batch.Entries = append(batch.Entries, p.Entries...)
		batch.Skipped = append(batch.Skipped, p.Skipped...)
		batch.Found += p.Found
	}
	if batch.Found > maxEntries {
		return catalog.Batch{}, fmt.Errorf("more than %d actions", maxEntries)
	}
	return batch, nil
}

// lines makes entries of the lines of a page.
func (s *hosts) lines(page []byte) (b catalog.Batch) {
	for line := range bytes.Lines(page) {
		b.Found++
		var w entry
		err := json.Unmarshal(line, &w)
		var e catalog.Entry
		if err == nil {
			e, err = s.entry(w)
		}
		if err != nil {
			b.Skipped = append(b.Skipped, catalog.Skip{ID: text.LineBytes(w.ID, 100), Source: s.source, Reason: err.Error()})
			continue
		}
		b.Entries = append(b.Entries, e)
	}
	return b
}

// entry makes an entry of what a host says of an action.
func (s *hosts) entry(w entry) (e catalog.Entry, err error) {
	prefix := ""
	if s.prefix != "" {
		prefix = s.prefix + "."
	}
	for _, schema := range []*json.RawMessage{&w.Input, &w.Output} {
		if string(*schema) == "null" {
			*schema = nil
		}
	}
	e = catalog.Entry{
		ID: prefix + w.ID, Title: text.LineBytes(w.Title, 200),
		Description: text.Clean(text.ClipBytes(w.Description, maxDescription)),
		Operation:   catalog.Operation(text.LineBytes(string(w.Operation), 40)), Entities: cleaned(w.Entities),
		Category: text.LineBytes(w.Category, 100), Products: cleaned(w.Products), Tags: cleaned(w.Tags),
		Version: text.LineBytes(w.Version, 100),
		Aliases: cleaned(w.Aliases), Namespace: cleaned(w.Namespace), Strict: w.Strict, Mutates: w.Mutates, Risk: w.Risk,
		Paged: w.Paged, Timeout: min(max(w.Timeout, 0), maxTimeout), Retry: w.Retry,
		Target: text.LineBytes(strings.TrimSuffix("host "+s.name+": "+w.Target, ": "), 500),
	}
	if prefix != "" && e.Namespace != nil {
		e.Namespace = append([]string{s.prefix}, e.Namespace...)
	}
	for _, example := range w.Examples {
		e.Examples = append(e.Examples, strings.ReplaceAll(text.Clean(text.ClipBytes(example, maxDescription)), w.ID, e.ID))
	}
	if !slices.Contains([]catalog.Risk{"", catalog.Low, catalog.Medium, catalog.High}, e.Risk) {
		e.Risk = catalog.High
	}
	if r := e.Retry; r != nil {
		r.Tries, r.Wait, r.Most = min(max(r.Tries, 0), maxTries), max(r.Wait, 0), max(r.Most, 0)
	}
	if err := catalog.CheckID(e.ID); err != nil {
		return e, err
	}
	if w.Input != nil {
		if e.Input, err = catalog.ParseSchema(w.Input); err != nil {
			return e, fmt.Errorf("input: %w", err)
		}
	}
	if w.Output != nil {
		if e.Output, err = catalog.ParseSchema(w.Output); err != nil {
			return e, fmt.Errorf("output: %w", err)
		}
	}
	if w.Undo != nil {
		args, _ := catalog.PlainNumbers(w.Undo.Args).(map[string]any)
		e.Compensate = &catalog.Compensation{ID: prefix + w.Undo.ID, Args: args}
		if err := e.Compensate.Validate(); err != nil {
			return e, fmt.Errorf("compensation: %w", err)
		}
	}
	for _, effect := range w.Effects {
		effect.Kind, effect.Value = text.LineBytes(effect.Kind, 200), catalog.PlainNumbers(effect.Value)
		if err := effect.Validate(); err != nil {
			return e, fmt.Errorf("effect %s: %w", effect.Kind, err)
		}
		e.Effects = append(e.Effects, effect)
	}
	e.SendsEffects = e.Effects != nil
	for _, given := range w.Supplies[:min(len(w.Supplies), maxSupplies)] {
		made := catalog.Supply{ID: prefix + given.ID, Argument: text.LineBytes(given.Argument, 200),
			Field: text.LineBytes(given.Field, 200)}
		if catalog.CheckID(made.ID) == nil && made.Argument != "" {
			e.Supplies = append(e.Supplies, made)
		}
	}
	s.attach(&e, w)
	return e, nil
}

// cleaned are texts that stand on a line each, without the empty ones.
func cleaned(list []string) (clean []string) {
	for _, item := range list {
		if item = text.LineBytes(item, 200); item != "" {
			clean = append(clean, item)
		}
	}
	return clean
}

// attach gives an entry its functions. What the host fills in by itself nobody else sends; what it takes from callers
// the caller's session fills in, where it has it. A mutation has a key, for the host.
func (s *hosts) attach(e *catalog.Entry, w entry) {
	if e.Mutates {
		e.Key, e.SendsKey = &catalog.Key{Header: KeyHeader}, true
	}
	sent := map[string]string{} // from the field of an argument to the value of the context
	for _, in := range w.Inject {
		set := strings.HasPrefix(in.From, "set.") && catalog.IsContextName(in.From)
		if set || slices.Contains(ContextNames()[:6], in.From) {
			sent[in.Field] = in.From
			e.Inject = append(e.Inject, catalog.Injection{Field: in.Field, From: in.From, Optional: true})
		}
	}
	if !w.Callable {
		return
	}
	call := func(ctx context.Context, c catalog.Call, dryRun bool) (catalog.Result, error) {
		r := Request{
			ID: w.ID, Key: c.Key, DryRun: dryRun, Args: maps.Clone(c.Args), Context: contextOf(c.Context),
			Hops: hops(ctx) + 1,
		}
		for field, from := range sent {
			r.Context.take(from, c.Args[field])
			delete(r.Args, field)
		}
		return s.call(ctx, r, w.Mutates && !dryRun)
	}
	e.Action = func(ctx context.Context, c catalog.Call) (catalog.Result, error) { return call(ctx, c, false) }
	if w.Previews {
		e.Preview = func(ctx context.Context, c catalog.Call) (string, error) {
			result, err := call(ctx, c, true)
			return result.Note, err
		}
	}
}

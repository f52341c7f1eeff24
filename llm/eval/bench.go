package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"almanac/catalog"
	"almanac/catalog/demo"
	"almanac/catalog/text"
	"almanac/llm/tools"
)

// This file has the world that a task runs in: a catalog of some size, and a database of its own for each run.

// A Bench is where tasks run. Runs take turns.
type Bench struct {
	// view is all of the catalog; narrower ones of size actions are made for each task where size is not 0.
	view *catalog.View
	size int
	// dir holds the databases; pristine is the content of one as it is made, in the file before. Without the demo all
	// three are empty.
	dir, before string
	pristine    []byte
	office      atomic.Pointer[demo.Office]
	// checkTime is how long the queries of a task's checks may take.
	checkTime time.Duration
}

// NewBench returns a bench on the demo in a new folder of its own below dir. Size is how many actions a task sees: 0 is
// the demo as it is; of a smaller number the task's own are always part; a larger one adds actions of padding.
func NewBench(ctx context.Context, dir string, size int, padding []catalog.Entry) (_ *Bench, err error) {
	b := &Bench{checkTime: time.Minute}
	if b.dir, err = os.MkdirTemp(dir, "almanac-eval-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	b.before = filepath.Join(b.dir, "before.db")
	office, err := demo.Open(ctx, b.before)
	if err != nil {
		return nil, err
	}
	entries := office.Entries()
	if err := office.Close(); err != nil {
		return nil, err
	}
	if b.pristine, err = os.ReadFile(b.before); err != nil {
		return nil, err
	}
	for i := range entries {
		entries[i].Action = b.action(i)
	}
	if size > len(entries) {
		if missing := size - len(entries) - len(padding); missing > 0 {
			return nil, fmt.Errorf("size %d: only %d actions: %d of the demo, %d of padding",
				size, len(entries)+len(padding), len(entries), len(padding))
		}
		for _, e := range padding[:size-len(entries)] {
			e.Action, e.Lua = unavailable, ""
			entries = append(entries, e)
		}
	} else {
		b.size = size
	}
	all, report := catalog.New(entries, catalog.Options{})
	if len(report.Skipped) > 0 {
		return nil, fmt.Errorf("padding: %s: %s", report.Skipped[0].ID, report.Skipped[0].Reason)
	}
	b.view = all.View()
	return b, nil
}

// BenchOn returns a bench on any catalog, for tasks that read no database. Its actions are the real ones.
func BenchOn(view *catalog.View) *Bench { return &Bench{view: view} }

// Check fails if a task names an action that the catalog does not have.
func (b *Bench) Check(tasks []Task) error {
	for _, t := range tasks {
		for _, header := range []struct {
			name string
			ids  []string
		}{{"actions", t.Actions}, {"also", t.Also}, {"tried", t.Tried}} {
			for _, id := range header.ids {
				if _, err := b.view.Resolve(id); err != nil {
					return fmt.Errorf("task %s: %s: %w", t.Name, header.name, err)
				}
			}
		}
	}
	return nil
}

// Narrow limits what all tasks see.
func (b *Bench) Narrow(rules catalog.Rules) (err error) {
	b.view, err = b.view.Narrow(rules)
	return err
}

// Len is how many actions a task sees.
func (b *Bench) Len() int {
	if b.size > 0 {
		return b.size
	}
	return b.view.Len()
}

// Close removes the databases.
func (b *Bench) Close() error {
	if b.dir == "" {
		return nil
	}
	return os.RemoveAll(b.dir)
}

// action is the demo's action number i, on the database of the run under way.
func (b *Bench) action(i int) catalog.Action {
	return func(ctx context.Context, call catalog.Call) (catalog.Result, error) {
		office := b.office.Load()
		if office == nil {
			return catalog.Result{}, errors.New("no task is running")
		}
		return office.Entries()[i].Action(ctx, call)
	}
}

func unavailable(context.Context, catalog.Call) (catalog.Result, error) {
	return catalog.Result{}, errors.New("this service is not available")
}

// begin gives the next run a new database.
func (b *Bench) begin(ctx context.Context) (*database, error) {
	if b.dir == "" {
		return nil, nil
	}
	file := filepath.Join(b.dir, "office.db")
	if err := os.WriteFile(file, b.pristine, 0o600); err != nil {
		return nil, err
	}
	office, err := demo.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	b.office.Store(office)
	return &database{bench: b, office: office, file: file}, nil
}

// A database is that of one run.
type database struct {
	bench  *Bench
	office *demo.Office
	file   string
}

// changes are the tables that are not as they were.
func (d *database) changes(ctx context.Context) (map[string]demo.Difference, error) {
	same, err := d.untouched()
	if same || err != nil {
		return nil, err
	}
	return d.office.Compare(ctx, d.bench.before)
}

// untouched reports whether nothing was written at all, byte for byte. Comparing every row takes far longer.
func (d *database) untouched() (bool, error) {
	if stat, err := os.Stat(d.file + "-wal"); err == nil && stat.Size() > 0 {
		return false, nil
	}
	now, err := os.ReadFile(d.file)
	return bytes.Equal(now, d.bench.pristine), err
}

func (d *database) close() error {
	d.bench.office.Store(nil)
	err := d.office.Close()
	for _, end := range []string{"", "-wal", "-shm"} {
		if removed := os.Remove(d.file + end); removed != nil && !errors.Is(removed, os.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	return err
}

// viewOf is what a task sees.
func (b *Bench) viewOf(t *Task) (*catalog.View, error) {
	view := b.view
	var err error
	if len(t.Hide) > 0 {
		if view, err = view.Narrow(catalog.Rules{Name: "the task", DeniedIDs: t.Hide}); err != nil {
			return nil, err
		}
	}
	if b.size == 0 || view.Len() <= b.size {
		return view, nil
	}
	var ids, others []string
	for id := range view.All() {
		if slices.Contains(t.Actions, id) {
			ids = append(ids, id)
		} else {
			others = append(others, id)
		}
	}
	for i, room := 0, b.size-len(ids); i < room; i++ {
		ids = append(ids, others[i*len(others)/room]) // spread over all namespaces
	}
	return view.Narrow(catalog.Rules{Name: "the size", IDs: ids})
}

// Fits says why the model cannot have each action as a tool: there are more than limit, or they take more tokens than
// window, which leaves room for nothing else; empty where it can. A limit of 0 is none.
func (b *Bench) Fits(limit, window int) string {
	if n := b.Len(); limit > 0 && n > limit {
		return fmt.Sprintf("%s tools; limit %s", thousands(n), thousands(limit))
	}
	view, err := b.viewOf(&Task{})
	if err != nil {
		return err.Error()
	}
	if tokens, _ := tools.DirectTokens(view); tokens > window {
		return fmt.Sprintf("about %s tokens of schemas; window %s", thousands(tokens), thousands(window))
	}
	return ""
}

func thousands(n int) string { return text.Thousands(strconv.Itoa(n)) }

package session

// This file says how the globals of two kept states differ. The states are read in a kernel process of their own: what
// a script has left is as little to be trusted as the script.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/compare"
	"almanac/catalog/lua"
	"almanac/session/kernel"
	"almanac/session/vm"
)

// A Difference is how a global differs between two states.
type Difference struct {
	Name string
	// Was and Is are its values; nil where there was, or is, none.
	Was, Is *vm.Value
	// At are the places where they differ, where both are data; nil otherwise.
	At []compare.Difference
}

// Diff says how the globals that cell left differ from those before it; cell 0 means the last run that changed them. It
// waits for a run that is under way. The error says why it cannot be told.
func (s *Session) Diff(ctx context.Context, cell int) (Point, []Difference, error) {
	w := s.world
	if err := w.acquire(ctx); err != nil {
		return Point{}, nil, err
	}
	defer w.release()
	if _, err := w.fetch(ctx); err != nil {
		return Point{}, nil, err
	}
	before, after, err := w.history.around(cell)
	if err != nil {
		return Point{}, nil, err
	}
	was, err := w.valuesIn(ctx, before.State)
	if err != nil {
		return Point{}, nil, fmt.Errorf("before: %w", err)
	}
	is, err := w.valuesIn(ctx, after.State)
	if err != nil {
		return Point{}, nil, err
	}
	all := maps.Clone(was)
	maps.Copy(all, is)
	var diffs []Difference
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if d, differs := differenceOf(name, was[name], is[name]); differs || d.set(after.Changed) {
			diffs = append(diffs, d)
		}
	}
	w.history.mu.Lock()
	told := w.history.told(after)
	w.history.mu.Unlock()
	return leaves(w, told), leaves(w, diffs), nil
}

// around returns the point that the run of a cell led to, and the one before it.
func (h *history) around(cell int) (before, after *point, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := h.at
	if cell > 0 {
		i = len(h.points) - 1
		for i >= 0 && !h.points[i].of(cell) {
			i--
		}
	}
	switch {
	case i < 0:
		return nil, nil, fmt.Errorf("cell %d: it changed no globals, or the states around it are not kept any more", cell)
	case i == 0 && cell > 0:
		return nil, nil, fmt.Errorf("cell %d: the state before it is not kept any more", cell)
	case i == 0:
		return nil, nil, errors.New("no run has changed the globals")
	}
	return h.points[i-1], h.points[i], nil
}

// of tells whether the cell is the one that changed the globals on the way to p.
func (p *point) of(cell int) bool { return len(p.Runs) > 0 && p.Runs[0].Cell == cell }

// valuesAtOnce is how many globals are read in one run: Lua has no more registers for a statement.
const valuesAtOnce = 100

// valuesIn are the globals of a state that scripts have set, by name.
func (w *world) valuesIn(ctx context.Context, s *pastState) (map[string]*vm.Value, error) {
	data, err := w.history.bytes(s)
	values := map[string]*vm.Value{}
	if err != nil || len(data) == 0 {
		return values, err
	}
	m, err := w.pool.Get(ctx)
	if err != nil {
		return nil, err
	}
	defer m.Discard()
	globals, err := m.Restore(ctx, data)
	if err != nil {
		return nil, fmt.Errorf("that state cannot be restored: %w", err)
	}
	names := namesOf(globals)
	refuse := errors.New("not while a state is read")
	host := kernel.Host{
		Write: func(vm.Stream, string) {},
		Call:  func(context.Context, kernel.CallRequest) (any, error) { return nil, refuse },
		Op:    func(context.Context, string, []any) (any, error) { return nil, refuse },
	}
	for chunk := range slices.Chunk(names, valuesAtOnce) {
		read := make([]string, len(chunk))
		for i, name := range chunk {
			if read[i] = name; !lua.IsName(name) {
				read[i] = "_G[" + lua.Quote(name) + "]"
			}
		}
		script := vm.Script{Source: "return " + strings.Join(read, ", "), Name: "diff", Surface: vm.Query}
		reply, err := m.Run(ctx, script, w.options.UserLimits, host)
		switch {
		case err != nil:
			return nil, err
		case reply.Err != nil:
			return nil, reply.Err
		}
		for i := range min(len(chunk), len(reply.Values)) {
			values[chunk[i]] = &reply.Values[i]
		}
	}
	return values, nil
}

// differenceOf compares the values of a global.
func differenceOf(name string, was, is *vm.Value) (d Difference, differs bool) {
	d = Difference{Name: name, Was: was, Is: is}
	if was == nil || is == nil {
		return d, true
	}
	if was.Type != is.Type || was.Data == nil || is.Data == nil {
		return d, was.Type != is.Type || was.Repr != is.Repr || was.Size != is.Size
	}
	d.At = compare.Values(name, placeless(was), placeless(is))
	return d, len(d.At) > 0
}

// set tells of a function that was set: no two can be compared.
func (d *Difference) set(changed vm.Diff) bool {
	return d.Is.Type == "function" && slices.Contains(changed.Changed, d.Name)
}

var place = regexp.MustCompile(`^([a-z]+): 0x[0-9a-f]+$`)

// placeless is the data of a value with "<function>" for the text of one, which is another in each machine.
func placeless(v *vm.Value) any {
	if v.Whole {
		return v.Data
	}
	var without func(v any) any
	without = func(v any) any {
		switch v := v.(type) {
		case string:
			return place.ReplaceAllString(v, "<$1>")
		case []any:
			list := make([]any, len(v))
			for i, item := range v {
				list[i] = without(item)
			}
			return list
		case map[string]any:
			object := make(map[string]any, len(v))
			for name, item := range v {
				object[place.ReplaceAllString(name, "<$1>")] = without(item)
			}
			return object
		}
		return v
	}
	return without(v.Data)
}

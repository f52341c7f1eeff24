package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/session/trace"
	"almanac/session/vm"
)

// This file takes the globals to the states of the history.

// A Move is what Undo, Redo or Restore did.
type Move struct {
	// Over are the points that were taken back, newest first, or done again, oldest first; none of Restore.
	Over []Point
	// To is where the globals are now.
	To Point
	// Changed is how the globals differ from those before, by name, and where the beginning of a value tells.
	Changed vm.Diff
	// Left names globals of then that could not be kept.
	Left []string
	// Lost says that the Lua process had ended, and what was restored first; empty where it lived.
	Lost string
}

// Undo takes the globals back to what they were before the last n runs that changed them or wrote outside. It waits for
// a run that is under way. What those runs made outside stays; Move.Over lists it. The error says why nothing has
// changed.
func (s *Session) Undo(ctx context.Context, n int) (Move, error) { return s.move(ctx, -n) }

// Redo is the reverse of Undo, as long as no run has changed the globals since.
func (s *Session) Redo(ctx context.Context, n int) (Move, error) { return s.move(ctx, n) }

func (s *Session) move(ctx context.Context, by int) (m Move, err error) {
	w := s.world
	if err := w.acquire(ctx); err != nil {
		return m, err
	}
	defer w.release()
	if m.Lost, err = w.fetch(ctx); err != nil {
		return m, err
	}
	to, over, err := w.history.reach(by)
	if err != nil {
		return m, err
	}
	if m.Changed, err = w.goTo(ctx, to.State, to.InForce); err != nil {
		return m, err
	}
	m.To, m.Over = w.history.arrive(to, over)
	w.takeInForce()
	m.Left = leftNames(to.State)
	verb := "took back"
	if by > 0 {
		verb = "brought back"
	}
	w.tellMove(fmt.Sprintf("%s %s: the globals are those of %s", verb, titles(m.Over), m.To.Title()), m)
	return leaves(w, m), nil
}

func titles(points []Point) string {
	var all []string
	for _, p := range points {
		all = append(all, p.Title())
	}
	return shortList(slices.Compact(all))
}

// reach returns the point that is so many steps after that of now, and those on the way.
func (h *history) reach(by int) (to *point, over []*point, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.at + by
	switch {
	case by < 0 && h.at == 0:
		return nil, nil, errors.New("nothing to undo")
	case by > 0 && h.at == len(h.points)-1:
		return nil, nil, errors.New("nothing to redo")
	case at < 0:
		return nil, nil, fmt.Errorf("only %s can be taken back", text.Count(h.at, "step"))
	case at >= len(h.points):
		return nil, nil, fmt.Errorf("only %s can be done again", text.Count(len(h.points)-1-h.at, "step"))
	case by < 0:
		over = slices.Clone(h.points[at+1 : h.at+1])
		slices.Reverse(over)
	default:
		over = slices.Clone(h.points[h.at+1 : at+1])
	}
	return h.points[at], over, nil
}

// arrive takes in that the globals are those of a point of the ring.
func (h *history) arrive(to *point, over []*point) (Point, []Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = slices.Index(h.points, to)
	h.pending = point{}
	h.changed()
	passed := make([]Point, len(over))
	for i, p := range over {
		passed[i] = h.told(p)
	}
	return h.told(to), passed
}

// Checkpoint gives the globals of now a name, instead of another state that was called so: replaced says which. dropped
// is the oldest checkpoint where there would be too many.
func (s *Session) Checkpoint(ctx context.Context, name string) (c Point, replaced, dropped string, err error) {
	w := s.world
	if name = strings.TrimSpace(name); name == "" || len(name) > maxName || text.SanitizeLine(name) != name {
		return c, "", "", fmt.Errorf("name: want 1 to %d printable bytes", maxName)
	}
	if err := w.acquire(ctx); err != nil {
		return c, "", "", err
	}
	defer w.release()
	if _, err := w.fetch(ctx); err != nil {
		return c, "", "", err
	}
	h := w.history
	h.mu.Lock()
	now := h.points[h.at]
	if now.State.NotKept != "" {
		h.mu.Unlock()
		return c, "", "", fmt.Errorf("the globals cannot be kept (%s)", now.State.NotKept)
	}
	p := &point{Point{Name: name, Runs: now.Runs, What: now.What, Time: time.Now()}, now.State, now.InForce}
	h.named = slices.DeleteFunc(h.named, func(old *point) bool {
		if old.Name == name {
			replaced = old.Title()
		}
		return old.Name == name
	})
	if len(h.named) == maxNamed {
		dropped = h.named[0].Name
		h.named = h.named[1:]
	}
	h.named = append(h.named, p)
	h.changed()
	c = h.told(p)
	h.mu.Unlock()
	return c, replaced, dropped, w.record(trace.Record{
		Kind: trace.KindNote, Text: fmt.Sprintf("checkpoint %s: the globals of %s", name, c.Title()),
	})
}

// maxName is how long the name of a checkpoint may be.
const maxName = 60

// Restore takes the globals to the state of that name. It is a step of its own, which Undo takes back.
func (s *Session) Restore(ctx context.Context, name string) (m Move, err error) {
	w := s.world
	if err := w.acquire(ctx); err != nil {
		return m, err
	}
	defer w.release()
	if m.Lost, err = w.fetch(ctx); err != nil {
		return m, err
	}
	p, err := w.history.find(name)
	if err != nil {
		return m, err
	}
	if m.Changed, err = w.goTo(ctx, p.State, p.InForce); err != nil {
		return m, err
	}
	m.To, m.Left = w.history.went("the restore of "+name, p.State, p.InForce), leftNames(p.State)
	w.takeInForce()
	w.tellMove(fmt.Sprintf("restored checkpoint %s: the globals are those of %s", name, p.Title()), m)
	return leaves(w, m), nil
}

func (h *history) find(name string) (*point, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var names []string
	for _, p := range h.named {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	hint := "/restore lists them"
	if near := spelling.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return nil, fmt.Errorf("%s: no such checkpoint; %s", name, hint)
}

// States returns the ring, oldest first, and the checkpoints in the order they were made. Runs whose state is still
// being fetched are not in it yet.
func (s *Session) States() (ring, named []Point) {
	h := s.world.history
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.points {
		ring = append(ring, h.told(p))
	}
	for _, p := range h.named {
		named = append(named, h.told(p))
	}
	return leaves(s.world, ring), leaves(s.world, named)
}

// tellMove tells the model where the person took the globals.
func (w *world) tellMove(what string, m Move) {
	w.tell(User, func(n *news) {
		n.moved = what
		n.take(User, m.Changed)
	})
}

func leftNames(s *pastState) (names []string) {
	for _, l := range s.Left {
		names = append(names, l.Name)
	}
	return names
}

// fetch has the history know the globals of now. A machine that has ended meanwhile is replaced; lost says so. The
// caller has the turn.
func (w *world) fetch(ctx context.Context) (lost string, err error) {
	if err := w.settle(ctx); err != nil {
		return "", err
	}
	if w.machine == nil || !w.history.behind() {
		return "", nil
	}
	snapshot, err := w.machine.Snapshot(ctx)
	var bad *vm.SnapshotError
	switch {
	case err == nil:
		saved := &savedState{snapshot, w.last}
		w.mu.Lock()
		w.saved = saved
		w.mu.Unlock()
		w.history.keep(saved)
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &bad):
		w.history.notKept(w.last, bad.Reason)
	default:
		return w.check(ctx)
	}
	return "", nil
}

// behind tells whether there were runs since the last state that was kept.
func (h *history) behind() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.pending.Runs) > 0
}

// goTo puts the globals of a state in the place of those of now, and says how they differ. The history does not know of
// it yet, nor of what will be in force.
func (w *world) goTo(ctx context.Context, s *pastState, inForce []Directive) (changed vm.Diff, err error) {
	data, err := w.history.bytes(s)
	if err != nil {
		return changed, err
	}
	if err := w.settle(ctx); err != nil {
		return changed, err
	}
	w.mu.Lock()
	globals := w.globals
	w.mu.Unlock()
	set := contextDiff(w.history.nowInForce(), inForce)
	if s.Size == 0 {
		w.drop()
		w.empty()
		return differ(globals, nil), w.record(trace.Record{
			Kind: trace.KindReset, Text: "back to before the first script", Effects: set,
		})
	}
	saved := &savedState{vm.Snapshot{Data: data, Own: s.Own, Globals: s.Globals, Left: s.Left}, s.last()}
	before := w.machine
	now, err := w.restore(ctx, saved)
	if err != nil {
		return changed, fmt.Errorf("that state cannot be restored: %w", err)
	}
	if before != nil {
		before.Close()
	}
	w.mu.Lock()
	w.globals, w.saved, w.last = now, saved, s.last()
	w.mu.Unlock()
	w.tellSaved(s.Run, s.Label, saved.snapshot) // first: once the log tells of it, a kill must not cost it
	err = w.record(trace.Record{Kind: trace.KindBack, Run: s.Run, Text: s.Label, Effects: set})
	return differ(globals, now), err
}

// differ compares lists of globals, which are in order.
func differ(before, after []vm.Global) (d vm.Diff) {
	was := map[string]vm.Global{}
	for _, g := range before {
		was[g.Name] = g
	}
	for _, g := range after {
		old, known := was[g.Name]
		switch {
		case !known:
			d.Added = append(d.Added, g.Name)
		case old != g:
			d.Changed = append(d.Changed, g.Name)
		}
		delete(was, g.Name)
	}
	for _, g := range before {
		if _, gone := was[g.Name]; gone {
			d.Removed = append(d.Removed, g.Name)
		}
	}
	return d
}

package repl

// This file holds /save: a script that worked becomes an action.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/manifest"
	"almanac/catalog/task"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/transcript"
	"almanac/session/saved"
	"almanac/session/syntax"
	"almanac/session/trace"
)

const saveUsage = "/save NAME[!] [N | N..M] [with VALUES] [-- DESCRIPTION]"

func saveCommand() command {
	return command{
		name: "save", args: "NAME [N..M] [with VALUES] [-- TEXT]", group: groupMore, run: saveAction,
		brief: "make the last run, or cells N to M, an action of your own",
		more: "/save refund_unpaid            proposes which values of the script become parameters, as a line to edit\n" +
			"/save refund_unpaid 3..7       joins cells 3 to 7; one number takes one cell\n" +
			"/save NAME with 1 3=amount     values 1 and 3 become parameters, 3 under the name amount\n" +
			"/save NAME with 2? limit       2 may be left out; a value can be named instead of numbered\n" +
			"/save NAME with none           no parameters; all takes every value\n" +
			"/save NAME -- Refunds ...      what stands behind -- describes it\n" +
			"/save NAME! ...                replaces the action of that name\n" +
			"NAME without a dot becomes mine.NAME. Each action is a file, with the run as its test: almanac test NAME.",
	}
}

// A saveRequest is what /save is asked for.
type saveRequest struct {
	id          string
	replace     bool
	from, to    int // cells; zero for the last run
	chosen      bool
	values      []string
	description string
}

var cellRange = regexp.MustCompile(`^\[?(\d+)(?:\.\.(\d+))?\]?$`)

func parseSave(arg string) (q saveRequest, err error) {
	arg, description, described := strings.Cut(" "+arg+" ", " -- ")
	q.description = strings.TrimSpace(description)
	if described && q.description == "" {
		return q, errors.New("save: nothing behind --: describe the action, or leave -- out")
	}
	name, rest := input.CutWord(strings.TrimSpace(arg))
	name, q.replace = strings.CutSuffix(name, "!")
	if name == "" || name == "with" {
		return q, errors.New("save: name the action")
	}
	if q.id, err = savedID(name); err != nil {
		return q, err
	}
	word, behind := input.CutWord(rest)
	if m := cellRange.FindStringSubmatch(word); m != nil {
		q.from, _ = strconv.Atoi(m[1])
		if q.to = q.from; m[2] != "" {
			q.to, _ = strconv.Atoi(m[2])
		}
		if q.from < 1 || q.to < q.from {
			return q, fmt.Errorf("save: %s: want a cell, or cells such as 3..7", word)
		}
		word, behind = input.CutWord(behind)
	}
	switch {
	case word == "with":
		q.chosen = true
		q.values = strings.FieldsFunc(behind, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' })
	case word != "":
		return q, fmt.Errorf("save: %s: want cells such as 3..7, or with and the values that become parameters", word)
	}
	return q, nil
}

// ownSource is the namespace and the source of saved actions.
const ownSource = "mine"

var savedName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// savedID is the id of an action that the person calls name.
func savedID(name string) (string, error) {
	parts := strings.Split(name, ".")
	near := make([]string, 0, len(parts))
	valid := true
	for _, part := range parts {
		_, keyword := lua.Keyword(part)
		if savedName.MatchString(part) && !keyword {
			near = append(near, part)
			continue
		}
		valid = false
		part = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(part), "_"), "_0123456789")
		if _, keyword := lua.Keyword(part); keyword {
			part += "_it"
		}
		if part != "" {
			near = append(near, part)
		}
	}
	id := strings.Join(near, ".")
	if !valid {
		hint := ""
		if id != "" {
			hint = ": how about " + id
		}
		return "", fmt.Errorf("save: %s: want a name in lower case such as refund_unpaid, or several with dots%s",
			text.LineBytes(name, 60), hint)
	}
	if len(parts) == 1 {
		id = ownSource + "." + id
	}
	if err := catalog.CheckID(id); err != nil {
		return "", fmt.Errorf("save: %w", err)
	}
	return id, nil
}

var notInNames = regexp.MustCompile(`[^a-z0-9_]+`)

// A savedRun is what /save takes of the session: scripts as one, and what their calls came to.
type savedRun struct {
	body   string
	source string // of a single script
	cells  string // "[3]", "[3] to [7]"
	calls  []manifest.TestCall
	called []string
	// left are failed scripts that are not in it, and cut the calls whose results are not known whole.
	left, cut []string
}

func saveAction(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	q, err := parseSave(arg)
	if err != nil {
		return &UsageError{usage: saveUsage, message: err.Error()}
	}
	dir := sh.options.Actions
	if dir == "" {
		return errors.New("save: this session keeps no actions")
	}
	file, err := sh.freeName(q, dir)
	if err != nil {
		return err
	}
	run, err := sh.runToSave(q)
	if err != nil {
		return err
	}
	if slices.Contains(run.called, q.id) {
		return fmt.Errorf("save: %s calls %s itself: choose other cells", run.cells, q.id)
	}
	for _, path := range syntax.Names(run.body).Paths {
		if strings.HasPrefix(path, "catalog.") {
			return fmt.Errorf("save: %s uses %s, which an action cannot: choose cells without it", run.cells, path)
		}
	}
	draft, err := saved.NewDraft(run.body, sh.options.Session.View())
	if err != nil {
		return fmt.Errorf("save: %s as one script: %w", run.cells, err)
	}
	choices := draft.Proposed()
	if q.chosen {
		if choices, err = choose(draft, q.values); err != nil {
			return &UsageError{usage: saveUsage, message: err.Error()}
		}
	}
	made, args, err := draft.Action(q.id, choices, run.called)
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	if run.source != "" {
		made.Plan = sh.planOf(run.source)
	}
	if q.description == "" && sh.hasScreen() {
		sh.propose(ctx, q, run, draft, choices, made)
		return nil
	}
	made.Origin = fmt.Sprintf("Saved on %s from %s of session %s. Edit it freely; almanac test %s runs its tests.",
		time.Now().Format("2 January 2006"), run.cells, sh.options.Session.ID(), q.id)
	if made.Description = q.description; made.Description == "" {
		made.Description = saved.Description(made)
	}
	said, err := sh.recordTest(ctx, &made, args, run)
	if err != nil {
		return err
	}
	if len(run.left) > 0 {
		said += "\n  left out, for they failed: scripts of " + strings.Join(slices.Compact(run.left), ", ")
	}
	return sh.writeAction(ctx, made, file, q.replace, said)
}

// choose reads the values that the person wants as parameters: 3, 3=amount, customer_id, 2?.
func choose(d *saved.Draft, words []string) ([]saved.Choice, error) {
	var all []saved.Choice
	if len(words) == 1 && (words[0] == "none" || words[0] == "all") {
		if _, err := d.Find(words[0]); err != nil {
			for n := 1; words[0] == "all" && n <= len(d.Values); n++ {
				all = append(all, saved.Choice{N: n})
			}
			return all, nil
		}
	}
	for _, word := range words {
		word, optional := strings.CutSuffix(word, "?")
		value, name, renamed := strings.Cut(word, "=")
		n, err := d.Find(value)
		if err != nil {
			return nil, fmt.Errorf("save: %w", err)
		}
		if renamed && name == "" {
			return nil, fmt.Errorf("save: %s: no name behind =", word)
		}
		all = append(all, saved.Choice{N: n, Name: name, Default: optional})
	}
	return all, nil
}

// freeName is the file of a new action, or why it cannot have its id.
func (sh *Shell) freeName(q saveRequest, dir string) (string, error) {
	v := sh.options.Session.View()
	file := filepath.Join(dir, q.id+".yaml")
	_, missing := os.Lstat(file)
	e, taken := v.Lookup(q.id)
	switch {
	case taken && e.Source != ownSource:
		return "", fmt.Errorf("save: %s is an action of %s: choose another name", q.id, e.Source)
	case v.Why(q.id).State == "hidden":
		return "", fmt.Errorf("save: %s is an action already, hidden by %s: choose another name", q.id, v.Why(q.id).Rule)
	case len(v.Children(q.id)) > 0:
		return "", fmt.Errorf("save: %s is a namespace with %s: choose another name", q.id,
			text.Count(len(v.Children(q.id)), "name"))
	case missing == nil && !q.replace:
		name := strings.TrimPrefix(q.id, ownSource+".")
		return "", fmt.Errorf("save: %s is there already: %s\nto replace it: /save %s! and the rest as before", q.id, file, name)
	case taken && missing != nil:
		return "", fmt.Errorf("save: %s is in another file of %s: edit it there, or choose another name", q.id, dir)
	}
	for at := strings.LastIndexByte(q.id, '.'); at > 0; at = strings.LastIndexByte(q.id[:at], '.') {
		if _, action := v.Lookup(q.id[:at]); action {
			return "", fmt.Errorf("save: %s is an action, so nothing can be below it: choose another name", q.id[:at])
		}
	}
	return file, nil
}

// runToSave finds the scripts to save: those of the cells that are asked for, or the last run that called something.
func (sh *Shell) runToSave(q saveRequest) (savedRun, error) {
	log, err := sh.log()
	if err != nil {
		return savedRun{}, err
	}
	cells, _ := transcript.Cells(log)
	if q.from == 0 {
		for _, c := range slices.Backward(cells) {
			for i, r := range slices.Backward(c.Runs) {
				calls := func(call trace.Call) bool { return call.Depth == 0 && call.ID != q.id }
				if worked(r) && slices.ContainsFunc(r.Calls, calls) {
					return sh.gather(cells, c.N, c.N, func(n, run int) bool { return n == c.N && run == i })
				}
			}
		}
		return savedRun{}, errors.New("save: no run that ended well has called an action yet; /save NAME N takes cell N")
	}
	if !slices.ContainsFunc(cells, func(c transcript.Cell) bool { return c.N == q.from }) || q.to > cells[len(cells)-1].N {
		if _, command := sh.cell(q.to); command && q.to == q.from {
			return savedRun{}, fmt.Errorf("save: cell [%d] ran no Lua", q.to)
		}
		return savedRun{}, fmt.Errorf("save: no cell [%d]", q.to)
	}
	return sh.gather(cells, q.from, q.to, func(n, _ int) bool { return n >= q.from && n <= q.to })
}

// worked tells of a script that ran, in the session or in a state of its own, and ended well.
func worked(r transcript.Run) bool {
	return (r.Mode == trace.ModeRun || r.Mode == trace.ModeFresh) && r.Ended != nil && r.Ended.OK
}

// gather joins the scripts of cells from to to that want takes.
func (sh *Shell) gather(cells []transcript.Cell, from, to int, want func(cell, run int) bool) (s savedRun, err error) {
	var runs []transcript.Run
	ran := false
	for _, c := range cells {
		n := 0 // of calls in the cell
		for i, r := range c.Runs {
			took := want(c.N, i)
			ran = ran || took
			switch {
			case took && worked(r):
				runs = append(runs, r)
			case took && r.Mode != trace.ModePreview && r.Mode != trace.ModeQuery:
				s.left = append(s.left, fmt.Sprintf("[%d]", c.N))
				took = false
			default:
				took = false
			}
			for _, call := range r.Calls {
				n++
				if took {
					s.called = append(s.called, call.ID)
					sh.take(&s, c.N, n, call)
				}
			}
		}
	}
	if s.cells = fmt.Sprintf("[%d]", from); to > from {
		s.cells += fmt.Sprintf(" to [%d]", to)
	}
	switch {
	case len(runs) == 0 && !ran:
		return s, fmt.Errorf("save: cell %s ran no Lua", s.cells)
	case len(runs) == 0:
		return s, fmt.Errorf("save: %s: no script there ended well", s.cells)
	}
	s.body, s.source = transcript.Body(runs), runs[0].Source
	if len(runs) > 1 {
		s.source = ""
	}
	return s, sh.unset(s, cells, from, runs[0].Cell)
}

// take records a call of a script's own, not those inside of composed actions.
func (sh *Shell) take(s *savedRun, cell, n int, c trace.Call) {
	if c.Depth > 0 {
		return
	}
	made := manifest.TestCall{ID: c.ID, Args: c.Args, Error: c.Error}
	c.N = n
	if c.Error == "" {
		v, part := sh.resultOf(cell, c)
		made.Result = v.Data
		if part != "" {
			s.cut = append(s.cut, fmt.Sprintf("%s: %s", c.ID, c.Part))
		}
	}
	if c.ArgsPart != "" {
		s.cut = append(s.cut, fmt.Sprintf("%s: %s of its arguments", c.ID, c.ArgsPart))
	}
	s.calls = append(s.calls, made)
}

// unset names the globals that the scripts read and that an earlier cell has set.
func (sh *Shell) unset(s savedRun, cells []transcript.Cell, from, first int) error {
	names := syntax.Unset(s.body)
	for _, name := range names {
		by := 0
		if own, err := strconv.Atoi(strings.TrimPrefix(name, "_")); err == nil && strings.HasPrefix(name, "_") {
			by = own
		}
		for _, c := range cells {
			for _, r := range c.Runs {
				if c.N < first && r.Mode == trace.ModeRun && r.Ended != nil && slices.Contains(r.Ended.Changed, name) {
					by = c.N
				}
			}
		}
		if by > 0 && by < from {
			return fmt.Errorf("save: %s is set in [%d]: /save NAME %d..%d takes that cell too, or make it a value of the script",
				name, by, by, max(from, first))
		}
	}
	return nil
}

// recordTest replays the action on what its calls came to and makes that its test. What it says is for the person.
func (sh *Shell) recordTest(ctx context.Context, s *manifest.Saved, args map[string]any, run savedRun) (string, error) {
	written, err := s.Text()
	if err != nil {
		return "", err
	}
	e, err := manifest.ReadAction(s.ID+".yaml", written)
	if err != nil {
		return "", fmt.Errorf("save: %w", err)
	}
	calls, cut, ok := saved.Bound(run.calls)
	if !ok {
		return "without a test: what its calls returned is larger than 64 KiB", nil
	}
	if cut != "" {
		run.cut = append(run.cut, cut)
	}
	t := manifest.Test{Args: args, Calls: calls, Cut: strings.Join(run.cut, "; ")}
	got, failed, err := saved.Replay(ctx, &e, t, sh.options.Session.View())
	if err != nil {
		return "", err
	}
	if t.Result = got.Result; t.Cut != "" && failed == nil {
		t.Calls = got.Calls // with less to go by it may make fewer
	}
	if differs := saved.Compare(t, got); failed != nil || len(differs) > 0 {
		if failed != nil {
			differs = append(differs, failed.Error())
		}
		return "without a test: it does not do the same again:\n" + indent(strings.Join(differs, "\n"), "  "), nil
	}
	s.Tests, s.Output = []manifest.Test{t}, saved.ShapeOf(got.Result)
	said := "its test: " + text.Count(len(t.Calls), "recorded call")
	if len(t.Calls) > 0 {
		they := map[bool]string{true: "it", false: "they"}[len(t.Calls) == 1]
		said += ", with all that " + they + " returned: look at it before you share the file"
	}
	if t.Cut != "" {
		said += "; " + t.Cut
	}
	if got.Result == nil {
		said += "; it returns nothing: end it with return"
	}
	return said, nil
}

// writeAction writes the file and waits until the catalog has the action.
func (sh *Shell) writeAction(ctx context.Context, s manifest.Saved, file string, replace bool, said string) error {
	written, err := s.Text()
	if err != nil {
		return err
	}
	if _, err := manifest.ReadAction(file, written); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	if replace {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("save: %w", err)
		}
	}
	if err := writeNew(file, func(w io.Writer) error { _, err := w.Write(written); return err }); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	line := s.ID + " saved"
	if !sh.arrived(ctx, s) {
		line += "; it is not in the catalog yet"
	}
	sh.say(event.Notice, "%s: %s\n  %s\n  %s", line, s.Description, said, file)
	return nil
}

// arrival is how long /save waits until the catalog has the action, and a look how often it looks.
const (
	arrival = 10 * time.Second
	look    = 10 * time.Millisecond
)

func (sh *Shell) arrived(ctx context.Context, s manifest.Saved) bool {
	sources := sh.options.Sources
	if sources == nil || sources.Refresh(ownSource) != nil {
		return false
	}
	has := func(v *catalog.View) bool {
		e, ok := v.Lookup(s.ID)
		return ok && e.Lua == s.Lua && e.Description == s.Description
	}
	ctx, cancel := context.WithTimeout(ctx, arrival)
	defer cancel()
	for !has(sources.View()) {
		if task.Sleep(ctx, look) != nil {
			return false
		}
	}
	if sh.options.Renew != nil {
		sh.options.Renew(ctx)
	}
	return has(sh.options.Session.View())
}

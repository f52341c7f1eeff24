package trace

import (
	"almanac/catalog/search/spelling"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An Archive is the folder that holds the logs of all sessions, as DIR/2006/01/02/ID.jsonl. The logs are all there is:
// what the Archive answers is read from them each time.
type Archive struct{ Dir string }

// Path is where the log of a session that begins at t is.
func (a Archive) Path(id string, t time.Time) string {
	return filepath.Join(a.Dir, t.Format("2006/01/02"), id+".jsonl")
}

// A Summary is what a list tells of one session.
type Summary struct {
	ID      string    `json:"id"`
	Path    string    `json:"path"`
	Start   time.Time `json:"start"`
	Name    string    `json:"name,omitempty"` // the last one that the person gave
	Dir     string    `json:"dir,omitempty"`
	Resumes string    `json:"resumes,omitempty"`
	Front   Front     `json:"front,omitempty"`
	// Process is the number of the process that writes the log, or wrote it.
	Process int `json:"process,omitempty"`
	// Cells counts the cells of this log, without those of the session that it goes on from.
	Cells int `json:"cells"`
	// First is the first prompt or script.
	First string `json:"first,omitempty"`
	Size  int64  `json:"size"` // of the log, in bytes
	// Sources are those of its catalog, as they were written.
	Sources []string `json:"-"`
	// moved tells that the globals or the conversation went back or were emptied.
	moved bool
}

// paths lists the logs whose file name fits the pattern, oldest first.
func (a Archive) paths(pattern string) []string {
	found, _ := filepath.Glob(filepath.Join(a.Dir, "[0-9]*", "[0-9]*", "[0-9]*", pattern+".jsonl"))
	// Folders are named for days of the user's own clock, files for the same time of the world's.
	slices.SortFunc(found, func(x, y string) int { return strings.Compare(filepath.Base(x), filepath.Base(y)) })
	return found
}

// A Filter says which sessions are listed; the zero Filter takes all.
type Filter struct {
	// Words must all be in the name, the prompts and the scripts, whatever their case.
	Words string
	// Interactive leaves out those that nobody sat before.
	Interactive bool
}

// List returns the sessions that have cells and that f takes, newest first. Logs that cannot be read are told in
// skipped.
func (a Archive) List(f Filter) (all []Summary, skipped []error) {
	for _, path := range a.paths("*") {
		s, fits, err := summarize(path, strings.Fields(strings.ToLower(f.Words)))
		switch {
		case err != nil:
			skipped = append(skipped, err)
		case f.Interactive && !s.Front.Interactive():
		case fits && s.Cells > 0:
			all = append(all, s)
		}
	}
	slices.Reverse(all)
	return all, skipped
}

// Latest returns the newest session that a person sat before and did something in: one that began in dir, or else
// anywhere. Where there is none it returns the newest of the others by the same rule. Newer logs that cannot be read
// are told in skipped. The error is a *NotFoundError when there is none.
func (a Archive) Latest(dir string) (latest Summary, skipped []error, err error) {
	best := 0
	for _, path := range slices.Backward(a.paths("*")) {
		s, _, err := summarize(path, nil)
		if err != nil {
			skipped = append(skipped, err)
			continue
		}
		if s.Cells == 0 && !s.moved {
			if _, err := os.Lstat(StatePath(path)); s.Size == 0 && err == nil { // it had cells
				skipped = append(skipped, emptied(path))
			}
			continue
		}
		rank := 1
		if s.Dir == dir {
			rank++
		}
		if s.Front.Interactive() {
			rank += 2
		}
		if rank > best {
			latest, best = s, rank
		}
		if rank == 4 {
			break
		}
	}
	if best == 0 {
		return Summary{}, skipped, &NotFoundError{}
	}
	return latest, skipped, nil
}

// A NotFoundError says that no session is called so, or that several are.
type NotFoundError struct {
	// Name is what was looked for; empty when any session would have done.
	Name string
	// Near are ids like it, with their names in brackets. Several tells that it stands for all of them.
	Near    []string
	Several bool
}

func (e *NotFoundError) Error() string {
	switch {
	case e.Name == "":
		return "no saved sessions"
	case e.Several:
		return fmt.Sprintf("session %q: ambiguous: %s", e.Name, strings.Join(e.Near, ", "))
	case len(e.Near) > 0:
		return fmt.Sprintf("session %q: not found; near it: %s", e.Name, strings.Join(e.Near, ", "))
	}
	return fmt.Sprintf("session %q: not found", e.Name)
}

// Hint says where ids are listed.
func (e *NotFoundError) Hint() string {
	return "almanac sessions lists them; in the terminal /sessions does"
}

// Find returns the session that is meant by an id, by a name, which means the newest that is called so, or by the
// beginning of either or of an id's last part, where no other begins so. Case counts in ids only. The error is a
// *NotFoundError or says why the log cannot be read.
func (a Archive) Find(name string) (Summary, error) {
	all := a.paths("*")
	idOf := func(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") }
	if i := slices.IndexFunc(all, func(path string) bool { return idOf(path) == name }); i >= 0 {
		s, _, err := summarize(all[i], nil)
		return s, err
	}
	found := map[string]bool{}   // by path
	names := map[string]string{} // by path
	newest := map[string]bool{}  // names that were seen
	if name != "" {
		named, _ := a.List(Filter{})
		for _, s := range named {
			low := strings.ToLower(s.Name)
			if low == strings.ToLower(name) {
				return s, nil
			}
			if strings.HasPrefix(low, strings.ToLower(name)) && !newest[low] {
				newest[low], found[s.Path] = true, true
			}
			names[s.Path] = s.Name
		}
	}
	for _, path := range all {
		id := idOf(path)
		if name != "" && (strings.HasPrefix(id, name) || strings.HasPrefix(id[strings.LastIndexByte(id, '-')+1:], name)) {
			found[path] = true
		}
	}
	if len(found) == 1 {
		for path := range found {
			s, _, err := summarize(path, nil)
			return s, err
		}
	}
	bad := &NotFoundError{Name: name, Several: len(found) > 1}
	for _, path := range all {
		if !found[path] {
			continue
		}
		near := idOf(path)
		if names[path] != "" {
			near += " (" + names[path] + ")"
		}
		bad.Near = append(bad.Near, near)
	}
	if !bad.Several {
		for _, path := range nearIDs(all, name) {
			bad.Near = append(bad.Near, idOf(path))
		}
	}
	bad.Near = bad.Near[max(0, len(bad.Near)-5):]
	return Summary{}, bad
}

// nearIDs returns the logs whose id, or its last part, is a few letters from name.
func nearIDs(all []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(path string) bool {
		id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		tail := id[strings.LastIndexByte(id, '-')+1:]
		return spelling.Distance(id, name, 4) >= 4 && spelling.Distance(tail, name, 3) >= 3
	})
}

// summarize reads what a list tells, and whether every word occurs. Lines of other kinds, which are the long ones, are
// not decoded.
func summarize(path string, words []string) (Summary, bool, error) {
	s := Summary{Path: path, ID: strings.TrimSuffix(filepath.Base(path), ".jsonl")}
	file, err := openLog(path)
	if err != nil {
		return s, false, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil {
		s.Size = info.Size()
	}
	words = slices.Clone(words)
	hear := func(text string) {
		low := strings.ToLower(text)
		words = slices.DeleteFunc(words, func(w string) bool { return strings.Contains(low, w) })
	}
	known := false
	cells := map[int]bool{}
	err = eachLine(file, func(_ int, line []byte) {
		if !told(line) {
			return
		}
		var r Record
		if json.Unmarshal(line, &r) != nil {
			return
		}
		switch {
		case r.Kind == KindSession && r.About != nil:
			a := r.About
			known, s.Start, s.Dir, s.Resumes, s.Front, s.Process = true, r.Time, a.Dir, a.Resumes, a.Front, a.Process
			s.Sources = a.Sources
		case r.Kind == KindBack, r.Kind == KindReset, r.Kind == KindForget:
			s.moved = true
		case r.Kind == KindName:
			s.Name = r.Text
			hear(r.Text)
		case r.Cell > 0:
			cells[r.Cell] = true
			hear(r.Text)
			if s.First == "" {
				s.First = r.Text
			}
		}
	})
	s.Cells = len(cells)
	switch {
	case err != nil:
		return s, false, fmt.Errorf("session log %s: %w", path, err)
	case !known && s.Size > 0:
		return s, false, fmt.Errorf("session log %s: not a session log", path)
	}
	return s, len(words) == 0, nil
}

func emptied(path string) error {
	return fmt.Errorf("session log %s: empty: nothing of this session is left", path)
}

// told tells whether a line is of a kind that a summary is made of; the kind is among its first names.
func told(line []byte) bool {
	head := line[:min(len(line), 120)]
	for _, kind := range []string{
		`"kind":"session"`, `"kind":"prompt"`, `"kind":"run"`, `"kind":"name"`,
		`"kind":"back"`, `"kind":"reset"`, `"kind":"forget"`,
	} {
		if bytes.Contains(head, []byte(kind)) {
			return true
		}
	}
	return false
}

// eachLine hands every line of file that is not empty to do with its number, the last also when its end is missing.
func eachLine(file *os.File, do func(n int, line []byte)) error {
	in := bufio.NewReader(file)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			do(n, text)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// A Thread is a session with all those that it goes on from.
type Thread struct {
	Summary
	// Records are those of all logs, oldest first.
	Records []Record
	// Logs are the logs' paths, oldest first.
	Logs []string
	// Notices say what could not be read: lines, and earlier logs.
	Notices []string
}

// maxThread is how many logs a Thread follows back.
const maxThread = 1000

// Thread reads the log that s tells of and those that it goes on from. An earlier log that cannot be read is told and
// left out, with all before it; the error is about the log itself.
func (a Archive) Thread(s Summary) (Thread, error) {
	t := Thread{Summary: s}
	path, seen := s.Path, map[string]bool{}
	for len(seen) < maxThread && !seen[path] {
		seen[path] = true
		records, damage, err := Read(path)
		if err != nil && len(t.Logs) == 0 {
			return t, err
		}
		if err != nil {
			t.Notices = append(t.Notices, fmt.Sprintf("%v: earlier records skipped", err))
			break
		}
		if len(records) == 0 && len(t.Logs) == 0 {
			return t, emptied(path)
		}
		if damage.Found() {
			t.Notices = append(t.Notices, fmt.Sprintf("session log %s: %s", path, damage))
		}
		t.Records, t.Logs = append(records, t.Records...), append([]string{path}, t.Logs...)
		before := resumed(records)
		if before == "" {
			break
		}
		found := a.paths(before)
		if len(found) == 0 {
			t.Notices = append(t.Notices,
				fmt.Sprintf("session %s, which this one continues, is missing: its cells are skipped", before))
			break
		}
		path = found[0]
	}
	return t, nil
}

// resumed is the id of the session that a log goes on from.
func resumed(records []Record) string {
	for _, r := range records {
		if r.Kind == KindSession && r.About != nil && !strings.ContainsAny(r.About.Resumes, `*?[\/`) {
			return r.About.Resumes
		}
	}
	return ""
}

// State returns the newest state that is kept beside one of the thread's logs and belongs to it, and how many of
// Records it covers. It may not be older than the last reset, or than the last time the globals went back. The zero
// State means that there is none; notices say why where that is not plain.
func (t Thread) State() (s State, covers int, notices []string) {
	reset, oldest := t.oldest()
	for _, path := range slices.Backward(t.Logs) {
		states, err := readStates(StatePath(path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			notices = append(notices, err.Error())
		}
		best := -1
		for i, state := range states {
			known, at := t.left(state.Run)
			if i == 0 && !known && err == nil {
				notices = append(notices, fmt.Sprintf("session log %s: %s is missing, of which the globals were kept: "+
					"the log was cut short, or is not the one they belong to", path, state.Label))
			}
			if at >= oldest && at > best {
				s, best = state, at
			}
		}
		if best >= 0 {
			return s, best + 1, notices
		}
	}
	return State{}, reset, notices
}

// oldest is the record behind the last reset, and the first whose globals may come back.
func (t Thread) oldest() (reset, oldest int) {
	for i, r := range t.Records {
		switch r.Kind {
		case KindReset:
			reset, oldest = i+1, i+1
		case KindBack:
			oldest = i
		}
	}
	return reset, oldest
}

// Covers is how many of Records the state covers that a run left; 0 where it is too old, or the log does not have it.
func (t Thread) Covers(run string) int {
	_, oldest := t.oldest()
	if _, at := t.left(run); at >= oldest {
		return at + 1
	}
	return 0
}

// Left tells whether the log has it that the globals were those which a run left.
func (t Thread) Left(run string) bool {
	_, at := t.left(run)
	return at >= 0
}

// left is the last record that tells that the globals were those which a run left, or -1; known tells whether the log
// has the run at all. A killed run has left none, and its state is not used.
func (t Thread) left(run string) (known bool, at int) {
	at = -1
	for i, r := range t.Records {
		if r.Run != run {
			continue
		}
		known = true
		if r.Kind == KindBack || r.Kind == KindOutcome {
			at = i
		}
	}
	return known, at
}

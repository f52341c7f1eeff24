package eval

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"almanac/catalog/demo"
	"almanac/catalog/pattern"
	"almanac/catalog/regular"
	"almanac/session/policy"
)

// This file reads tasks.

//go:embed tasks/*.txtar
var builtIn embed.FS

// A Task is something to do, and how it shows that it was done.
type Task struct {
	// Name is the file's, Title its first line.
	Name, Title string
	// Kind groups tasks in reports: look-up, join, loop, sum, change, refused, ambiguous, misspelt, hidden.
	Kind   string
	Policy policy.Mode
	// Approve lists patterns of the actions that the person agrees to when asked.
	Approve []pattern.Pattern
	// Hide are patterns of the actions that cannot be seen.
	Hide []string
	// Actions are those that the task needs, Also others that are no mistake.
	Actions, Also []string
	// Forbid are patterns of actions that must not even be tried.
	Forbid []pattern.Pattern
	// Prompts are sent one after the other.
	Prompts []string
	// Solution is a script that does the task, as a person would.
	Solution string

	// Facts must be in what calls returned to the model. Derived ones, which no record has, must be in what its last
	// script returned or in its last words.
	Facts, Derived []string
	// Tried are actions that must have been called, whatever came of it.
	Tried []string
	// Rows must be in the database afterwards.
	Rows []Rows
	// Changes are how many rows of which tables are other ones afterwards. Tables that are not named stay as they were;
	// without any, so do the lists of calls and of ids given out.
	Changes map[string]demo.Difference
}

// Rows are a query and what it must return, each row as text.
type Rows struct {
	Query string
	Want  []string
}

// BuiltIn returns the tasks on the demo that come with the program.
func BuiltIn() ([]Task, error) {
	sub, err := fs.Sub(builtIn, "tasks")
	if err != nil {
		return nil, err
	}
	return read(sub, func(name string) ([]byte, error) { return fs.ReadFile(sub, name) })
}

// maxTask is the size of a task's file, in bytes.
const maxTask = 1 << 20

// Open returns the tasks in a folder, in the order of their names.
func Open(dir string) ([]Task, error) {
	if stat, err := os.Stat(dir); err != nil || !stat.IsDir() {
		return nil, fmt.Errorf("%s: not a folder of tasks", dir)
	}
	tasks, err := read(os.DirFS(dir), func(name string) ([]byte, error) {
		return regular.Read(filepath.Join(dir, name), maxTask)
	})
	if err == nil && len(tasks) == 0 {
		err = fmt.Errorf("%s: no *.txtar files here", dir)
	}
	return tasks, err
}

func read(dir fs.FS, content func(name string) ([]byte, error)) (tasks []Task, err error) {
	files, err := fs.Glob(dir, "*.txtar")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := content(file)
		if err != nil {
			return nil, err
		}
		task, err := ParseTask(strings.TrimSuffix(path.Base(file), ".txtar"), text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		tasks = append(tasks, task)
	}
	return tasks, nil
}

// ParseTask reads a task; see the package documentation.
func ParseTask(name string, text []byte) (Task, error) {
	archive := txtar.Parse(text)
	t := Task{Name: name, Policy: policy.ReadOnly}
	for n, line := range strings.Split(strings.TrimSpace(string(archive.Comment)), "\n") {
		if n == 0 {
			t.Title = line
			continue
		}
		if err := t.header(line); err != nil {
			return Task{}, err
		}
	}
	for _, file := range archive.Files {
		if err := t.section(file.Name, strings.TrimSpace(string(file.Data))); err != nil {
			return Task{}, fmt.Errorf("%s: %w", file.Name, err)
		}
	}
	switch {
	case t.Title == "":
		return Task{}, errors.New("the first line is the title")
	case len(t.Prompts) == 0:
		return Task{}, errors.New("no prompt")
	case len(t.Facts)+len(t.Derived)+len(t.Tried)+len(t.Rows)+len(t.Changes) == 0:
		return Task{}, errors.New("nothing is checked: give facts, derived, tried, rows or changes")
	}
	return t, nil
}

func (t *Task) header(line string) (err error) {
	name, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	words := strings.Fields(value)
	switch {
	case strings.TrimSpace(line) == "":
	case !ok:
		return fmt.Errorf("%q: want NAME: VALUE", line)
	case name == "kind":
		t.Kind = value
	case name == "policy":
		t.Policy, err = policy.ParseMode(value)
	case name == "approve":
		t.Approve, err = pattern.ParseAll(words)
	case name == "hide":
		t.Hide = words
	case name == "actions":
		t.Actions = words
	case name == "also":
		t.Also = words
	case name == "forbid":
		t.Forbid, err = pattern.ParseAll(words)
	case name == "tried":
		t.Tried = words
	default:
		return fmt.Errorf("%s: unknown; want kind, policy, approve, hide, actions, also, forbid or tried", name)
	}
	return err
}

func (t *Task) section(name, text string) error {
	switch name {
	case "prompt":
		t.Prompts = append(t.Prompts, text)
	case "solution.lua":
		t.Solution = text
	case "facts":
		t.Facts = strings.Split(text, "\n")
	case "derived":
		t.Derived = strings.Split(text, "\n")
	case "rows":
		return t.rows(text)
	case "changes":
		return t.changes(text)
	default:
		return errors.New("unknown section; want prompt, solution.lua, facts, derived, rows or changes")
	}
	return nil
}

// rows reads queries, each followed by the rows it must return: "> a | b".
func (t *Task) rows(text string) error {
	var query []string
	for _, line := range strings.Split(text, "\n") {
		row, is := strings.CutPrefix(line, ">")
		switch {
		case !is:
			query = append(query, line)
			continue
		case len(query) > 0:
			t.Rows = append(t.Rows, Rows{Query: strings.Join(query, "\n")})
			query = nil
		case len(t.Rows) == 0:
			return fmt.Errorf("%q: no query before it", line)
		}
		last := &t.Rows[len(t.Rows)-1]
		last.Want = append(last.Want, strings.TrimSpace(row))
	}
	if len(query) > 0 {
		return fmt.Errorf("%q: no row after it: want lines such as > a | b", strings.Join(query, "\n"))
	}
	return nil
}

// changes reads lines such as "invoices +1 -1".
func (t *Task) changes(text string) error {
	t.Changes = map[string]demo.Difference{}
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		var d demo.Difference
		for _, word := range words[min(1, len(words)):] {
			n, err := strconv.Atoi(word)
			if err != nil || n == 0 {
				return fmt.Errorf("%q: want a table and numbers of rows such as +2 -1", line)
			}
			if n > 0 {
				d.New = n
			} else {
				d.Gone = -n
			}
		}
		if d == (demo.Difference{}) {
			return fmt.Errorf("%q: want a table and numbers of rows such as +2 -1", line)
		}
		t.Changes[words[0]] = d
	}
	return nil
}

// needs reports whether a call of the action is a part of the task.
func (t *Task) needs(id string) bool {
	return slices.Contains(t.Actions, id) || slices.Contains(t.Also, id)
}

func matches(list []pattern.Pattern, id string) bool {
	return slices.ContainsFunc(list, func(p pattern.Pattern) bool { return p.Match(id) })
}

// ReadsDatabase reports whether the checks need the demo.
func (t *Task) ReadsDatabase() bool { return len(t.Rows)+len(t.Changes) > 0 }

// FormatChanges writes changes as a task has them.
func FormatChanges(changes map[string]demo.Difference) string {
	var b strings.Builder
	for _, table := range slices.Sorted(maps.Keys(changes)) {
		b.WriteString(table)
		if d := changes[table]; d.New > 0 {
			fmt.Fprintf(&b, " +%d", d.New)
		}
		if d := changes[table]; d.Gone > 0 {
			fmt.Fprintf(&b, " -%d", d.Gone)
		}
		b.WriteString("\n")
	}
	return b.String()
}

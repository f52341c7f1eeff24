package repl

// This file completes the arguments of commands.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/session/trace"
)

// fixedWords offers words; pairs are each word and what it means.
func fixedWords(pairs ...string) func(*Shell, string) []Completion {
	return func(*Shell, string) []Completion {
		var items []Completion
		for i := 0; i+1 < len(pairs); i += 2 {
			items = append(items, Completion{Text: pairs[i], Detail: pairs[i+1]})
		}
		return items
	}
}

func globalWords(sh *Shell, _ string) []Completion {
	var items []Completion
	for _, g := range event.Named(sh.options.Session.Globals()) {
		items = append(items, Completion{Text: g.Name, Detail: show.KindText(g)})
	}
	return items
}

// maxFiles is how many names of a folder are looked at.
const maxFiles = 1000

// fileWords offers the folders and Lua files beside what is typed.
func fileWords(_ *Shell, arg string) []Completion {
	dir := arg[:strings.LastIndexByte(arg, '/')+1]
	folder := homePath(dir)
	if folder == "" {
		folder = "."
	}
	f, err := os.Open(filepath.Clean(folder))
	if err != nil {
		return nil
	}
	defer f.Close()
	found, _ := f.ReadDir(maxFiles)
	var items []Completion
	for _, e := range found {
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			items = append(items, Completion{Text: dir + e.Name() + "/"})
		case strings.HasSuffix(e.Name(), ".lua"):
			items = append(items, Completion{Text: dir + e.Name()})
		}
	}
	return items
}

func idWords(sh *Shell, arg string) []Completion {
	word := arg[strings.LastIndexAny(arg, " ,\t\n")+1:]
	return sh.idItems(word)
}

// whyWords offers variables before ids.
func whyWords(sh *Shell, arg string) []Completion {
	var items []Completion
	for _, v := range sh.Variables() {
		if strings.HasPrefix(v.Name, arg) {
			items = append(items, Completion{Text: v.Name, Detail: v.Kind()})
		}
	}
	return append(items, idWords(sh, arg)...)
}

// viewWords offers the verbs and, after one, the namespaces.
func viewWords(sh *Shell, arg string) []Completion {
	arg = strings.TrimPrefix(arg, "turn ")
	if !strings.ContainsAny(arg, " \t\n") {
		return fixedWords("only", "nothing but these namespaces", "without", "not these namespaces",
			"readonly", "no changes", "turn", "until the turn ends: turn only crm")(sh, arg)
	}
	var items []Completion
	if strings.HasPrefix(arg, "only ") {
		items = append(items, Completion{Text: "found", Detail: "what the last search found"})
	}
	for _, c := range sh.options.Session.View().Children("") {
		items = append(items, Completion{Text: c.Name, Detail: text.Count(max(c.Count, 1), "action")})
	}
	return items
}

// cellWords offers the numbers of the last cells, newest first.
func cellWords(sh *Shell, _ string) []Completion {
	var items []Completion
	done := sh.Cells()
	for i := len(done) - 1; i >= max(0, len(done)-20); i-- {
		detail := cells.Clip(text.SanitizeLine(done[i].Source), 60, "…")
		items = append(items, Completion{Text: fmt.Sprint(done[i].N), Detail: detail})
	}
	return items
}

// sessionWords offers the newest sessions.
func sessionWords(sh *Shell, _ string) []Completion {
	if sh.options.Archive == nil {
		return nil
	}
	all, _ := sh.options.Archive.List(trace.Filter{})
	var items []Completion
	for _, s := range all[:min(len(all), listed)] {
		if s.ID != sh.options.Session.ID() {
			detail := cells.Clip(text.SanitizeLine(strings.TrimSpace(s.Name+" "+s.First)), 60, "…")
			items = append(items, Completion{Text: s.ID, Detail: detail})
		}
	}
	return items
}

func commandWords(sh *Shell, _ string) []Completion {
	var items []Completion
	for _, c := range sh.commands {
		items = append(items, Completion{Text: c.name, Detail: sh.brief(c)})
	}
	return items
}

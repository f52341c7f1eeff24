package ui

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/repl/show"
	"almanac/session"
)

// This file is what can be typed into the box of a question: other arguments, and why it is refused.

// openArgs puts the arguments into the input, unless reading them back would give others.
func (m *model) openArgs(a *asking) {
	if a.batch != nil {
		if err := a.batch.Editable(a.batch.At()); err != nil {
			a.trouble = err.Error()
			return
		}
	}
	e, data := a.call()
	args := show.ArgsText(e, data, max(m.width-promptWidth-3, 1))
	if back, err := show.ParseArgs(args); err != nil || !sameData(back, data) {
		a.trouble = "can't use these arguments: the editor cannot write what they hold"
		return
	}
	m.stand(a, changing)
	a.edit.insert(args)
}

// call is the call that the question is about, or the one under the cursor of its list.
func (a *asking) call() (*catalog.Entry, map[string]any) {
	if a.batch != nil {
		return a.batch.Call(a.batch.At())
	}
	return a.request.Entry, a.request.Args
}

// change edits the arguments: Enter allows the call once with what is written,
// or puts it into the list.
func (m *model) change(a *asking, name, text string, quick bool) {
	switch name {
	case "esc":
		m.stand(a, deciding)
	case "enter", "kpenter":
		if quick || a.cramped || m.now().Sub(a.staged) < deafTime { // pasted, or pressed before the arguments were there
			return
		}
		e, _ := a.call()
		args, err := show.ReadArgs(e, a.edit.text)
		if err != nil {
			a.trouble = "can't use these arguments: " + err.Error()
			return
		}
		if a.batch != nil {
			a.batch.Edit(a.batch.At(), args)
			m.stand(a, deciding)
			return
		}
		a.request.Args = args
		m.settle(a, session.Approval{Verdict: session.Once, Args: args}, "allowed once, edited")
	default:
		a.trouble = ""
		editKey(&a.edit, name, text)
	}
}

// fill reads the fields of a server's form: Enter takes one and goes to the next, behind the last to the question,
// which shows what is sent. Nothing is sent from here.
func (m *model) fill(a *asking, name, text string, quick bool) {
	switch {
	case name == "esc":
		m.settle(a, session.Approval{}, "declined")
	case name == "enter" || name == "kpenter":
		if quick || a.cramped || m.now().Sub(a.staged) < deafTime { // pasted, or pressed before the field was there
			return
		}
		if err := a.form.Take(a.edit.text); err != nil {
			a.trouble = err.Error()
			return
		}
		a.edit, a.trouble, a.top = editor{}, "", 0
		if a.form.Done() {
			a.request.Args = a.form.Values()
			a.question = a.question.With(a.request.Args)
			m.stand(a, deciding)
		}
	case name == "up":
		a.form.Back()
		a.edit, a.trouble, a.top = editor{}, "", 0
	default:
		a.trouble = ""
		editKey(&a.edit, name, text)
	}
}

// reason reads why the call is refused: Enter sends it, Esc refuses without one.
func (m *model) reason(a *asking, name, text string, quick bool) {
	switch name {
	case "esc":
		m.settle(a, session.Approval{Verdict: session.Refuse}, "denied")
	case "enter", "kpenter":
		if quick {
			return
		}
		reason := strings.TrimSpace(a.edit.text)
		told := "denied"
		if reason != "" {
			told += ": " + reason
		}
		m.settle(a, session.Approval{Verdict: session.Refuse, Reason: reason}, told)
	default:
		editKey(&a.edit, name, text)
	}
}

// editKey is what keys do in the input of a question.
func editKey(e *editor, name, text string) {
	switch name {
	case "ctrl+j", "alt+enter", "shift+enter":
		e.insert("\n")
	case "up":
		e.vertical(-1)
	case "down":
		e.vertical(1)
	default:
		if !e.key(name) && text != "" {
			e.insert(cleanPaste(text))
		}
	}
}

// sameData reports whether a and b are the same data as Lua knows it: whole numbers are equal whatever their type, and
// an empty list is an empty table.
func sameData(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		if l, ok := b.([]any); ok {
			return len(a) == 0 && len(l) == 0
		}
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !sameData(v, w) {
				return false
			}
		}
		return true
	case []any:
		if m, ok := b.(map[string]any); ok {
			return len(a) == 0 && len(m) == 0
		}
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameData)
	case int64, int, float64:
		switch b.(type) {
		case int64, int, float64:
			return fmt.Sprint(a) == fmt.Sprint(b)
		}
		return false
	}
	return a == b
}

package repl

// This file holds the commands about roles: what there is, and narrowing the session to one.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/session"
)

// A Role is a role of the configuration, as it is listed.
type Role struct {
	Name, Description string
	// Bounds say what it bounds, Model names its model; both may be empty.
	Bounds, Model string
	// Actions is how many actions it leaves in the view of now. Wrong says why that cannot be told.
	Actions int
	Wrong   string
}

func roleCommands() []command {
	return []command{
		{
			name: "role", aliases: []string{"roles"}, args: "[NAME]", group: groupMore, run: takeRole, words: roleWords,
			where: func(sh *Shell) bool { return sh.options.Roles != nil && len(sh.options.Roles()) > 0 },
			brief: "list roles, or narrow this session to one",
			more: "A role is a [roles.NAME] table of the configuration. It only narrows: its view hides actions, its policy and\n" +
				"limits count where they are stricter, on top of what was there. A session keeps its roles to its end: to be\n" +
				"without them start a new one, almanac --role none where the configuration sets one.",
		},
	}
}

// hasRole tells whether the session has taken a role.
func (sh *Shell) hasRole(name string) bool {
	for _, r := range sh.options.Session.Roles() {
		if r.Name == name {
			return true
		}
	}
	return false
}

func (sh *Shell) listRoles() {
	var rows [][]string
	if sh.options.Roles != nil {
		for _, r := range sh.options.Roles() {
			mark := ""
			if sh.hasRole(r.Name) {
				mark = "*"
			}
			rows = append(rows, []string{
				mark, r.Name, cmp.Or(r.Wrong, text.Count(r.Actions, "action")), r.Bounds, r.Description,
			})
		}
	}
	if len(rows) == 0 {
		sh.say(event.Notice, "no roles: a table [roles.NAME] in the configuration makes one")
		return
	}
	said := text.Sanitize(show.Columns(rows))
	if names := sh.options.Session.RoleNames(); names != "" {
		said += "\nthis session is narrowed to " + names
	}
	sh.say(event.Plain, "%s", said)
}

func takeRole(ctx context.Context, sh *Shell, _ *event.Cell, name string) error {
	s := sh.options.Session
	switch {
	case name == "":
		sh.listRoles()
		return nil
	case name == "none":
		if s.RoleNames() == "" {
			sh.say(event.Notice, "this session has no role")
			return nil
		}
		return errors.New("role none: a session keeps its roles, since nothing widens it: start a new one, almanac --role none")
	case sh.hasRole(name):
		sh.say(event.Notice, "role %s already; nothing changed", name)
		return nil
	case sh.options.TakeRole == nil:
		return errors.New("role: there is no configuration here")
	}
	before := sh.StatusLine()
	budget := s.Budget(session.Model)
	if err := sh.options.TakeRole(name); err != nil {
		return err
	}
	after := sh.StatusLine()
	said := []string{fmt.Sprintf("%s visible (was %s)", text.Count(after.Actions, "action"), count(before.Actions))}
	if after.Writes != before.Writes {
		said = append(said, fmt.Sprintf("%s (was %s)", after.Writes, strings.TrimPrefix(before.Writes, "writes: ")))
	} else {
		said = append(said, after.Writes)
	}
	if b := s.Budget(session.Model); b != budget {
		bounds := text.Count(b.Calls, "call") + ", " + text.Count(b.Mutations, "write")
		said = append(said, "the model's runs: "+bounds)
	}
	sh.say(event.Notice, "role %s, until this session ends: %s", after.Role, strings.Join(said, "; "))
	for _, r := range sh.options.Roles() {
		if conversation := sh.conversation(); r.Name == name && r.Model != "" && conversation != nil {
			return sh.chooseModel(ctx, conversation, r.Model)
		}
	}
	return nil
}

func roleWords(sh *Shell, typed string) (items []Completion) {
	if strings.Contains(typed, " ") || sh.options.Roles == nil {
		return nil
	}
	for _, r := range sh.options.Roles() {
		items = append(items, Completion{Text: r.Name, Detail: cmp.Or(r.Description, r.Bounds)})
	}
	return items
}

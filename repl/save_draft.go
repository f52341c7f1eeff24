package repl

// This file proposes how a script becomes an action: its values by number, and the line that saves it, to be edited.

import (
	"context"
	"fmt"
	"strings"
	"time"

	"almanac/catalog/manifest"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/session/saved"
)

// hasScreen tells whether a line can be put where the person edits.
func (sh *Shell) hasScreen() bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.keys != nil
}

// draftLines is how much of a script a proposal shows.
const draftLines = 40

// propose shows the script with its values numbered and puts the line that saves it into the input.
func (sh *Shell) propose(ctx context.Context, q saveRequest, run savedRun, d *saved.Draft, choices []saved.Choice,
	s manifest.Saved) {
	open, shut := "⟨", "⟩"
	if sh.options.ASCII {
		open, shut = "<", ">"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s from %s:\n", q.id, run.cells)
	lines := strings.Split(strings.TrimRight(d.Numbered(open, shut), "\n"), "\n")
	for i, line := range lines {
		if i == draftLines {
			fmt.Fprintf(&b, "  … %d more lines\n", len(lines)-i)
			break
		}
		b.WriteString("  " + line + "\n")
	}
	wide := 0
	for _, v := range d.Values {
		wide = max(wide, len(v.Name))
	}
	for i, v := range d.Values {
		mark := " "
		for _, c := range choices {
			if c.N == i+1 {
				mark = "*"
			}
		}
		fmt.Fprintf(&b, "%s %2d %-*s  %s", mark, i+1, wide, v.Name, text.LineRunes(v.Text, 60))
		if v.Call != "" {
			b.WriteString("  of " + v.Call)
		}
		b.WriteString("\n")
	}
	b.WriteString("* becomes a parameter. Enter saves it as the line below says; with 1 3=amount 2? picks, renames, makes optional")
	sh.say(event.Plain, "%s", b.String())
	sh.feed.Emit(event.Event{Kind: event.Drafted, Inline: true, Text: saveLine(q, d, choices, sh.description(ctx, s))})
}

// saveLine is the command that saves what q asks for with these choices.
func saveLine(q saveRequest, d *saved.Draft, choices []saved.Choice, description string) string {
	line := "/save " + strings.TrimPrefix(q.id, ownSource+".")
	if q.replace {
		line += "!"
	}
	if q.from > 0 {
		line += fmt.Sprintf(" %d", q.from)
	}
	if q.to > q.from {
		line += fmt.Sprintf("..%d", q.to)
	}
	line += " with"
	if len(choices) == 0 {
		line += " none"
	}
	for _, c := range choices {
		line += " " + d.Values[c.N-1].Name
		if c.Name != "" && c.Name != d.Values[c.N-1].Name {
			line += "=" + c.Name
		}
		if c.Default {
			line += "?"
		}
	}
	return line + " -- " + description
}

// describing bounds how long the model may take to describe an action.
const describing = 20 * time.Second

const describePrompt = "You write the description of an action in a catalog that people and models search. Answer with " +
	"one plain sentence of at most 25 words: what it does, to what, and what it returns. No quotes, no code, no name."

// description is one line that describes the action: the model's where there is one, else what is called.
func (sh *Shell) description(ctx context.Context, s manifest.Saved) string {
	own := saved.Description(s)
	c := sh.options.Conversation
	if c == nil || c.Target().Provider == nil {
		return own
	}
	ctx, cancel := context.WithTimeout(ctx, describing)
	defer cancel()
	var names []string
	for _, p := range s.Params {
		names = append(names, p.Name)
	}
	words := fmt.Sprintf("Action %s, parameters: %s.\nIts Lua:\n%s", s.ID, strings.Join(names, ", "),
		text.HeadBytes(s.Lua, 4<<10))
	said, err := c.Ask(ctx, describePrompt, words)
	said = strings.ReplaceAll(strings.Trim(text.LineRunes(sh.options.Session.Redact(said), 240), `"`), " -- ", " - ")
	if err != nil || said == "" {
		if err != nil {
			sh.say(event.Notice, "the model did not describe it: %v", err)
		}
		return own
	}
	return said
}

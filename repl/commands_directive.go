package repl

// This file has what the person does about directives, effects that reach beyond the state: reminders that are listed,
// cancelled or taken, and questions that are answered.

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/effect"
)

func directiveCommands() []command {
	return []command{
		{
			name: "effects schedule", args: "[cancel N]", group: groupMore, aside: true, run: reminders,
			brief: "list the reminders that effects have set, or cancel one",
			words: fixedWords("cancel", "a reminder"),
		},
		{
			name: "effects take", args: "[N]", group: groupMore, run: takeReminder,
			brief: "put what a reminder is about into the input",
			more:  "Without N it is the first that is due. Nothing runs before you send it.",
		},
		{
			name: "effects answer", args: "[[NAME] ANSWER]", group: groupMore, run: answerQuestion,
			numberedFor: func(sh *Shell, arg string) bool { _, _, ok := sh.answered(arg); return ok },
			brief:       "answer an action's question, or list those that wait",
			more: "The answer is state.answers.NAME. Where there are choices, ANSWER is one of them or its number. Where one\n" +
				"question waits its name may be left out.",
			words: questionWords,
		},
	}
}

func reminders(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	s := sh.options.Session
	if word, number := input.CutWord(arg); word == "cancel" {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return &UsageError{usage: "/effects schedule cancel N", message: "effects schedule: want the number of a reminder"}
		}
		r, err := s.TakeReminder(n)
		if err != nil {
			return fmt.Errorf("effects schedule: %w", err)
		}
		sh.say(event.Notice, "reminder %d cancelled: %s", r.N, r.Text)
		return nil
	} else if word != "" {
		return &UsageError{usage: "/effects schedule [cancel N]"}
	}
	all := s.Reminders()
	if len(all) == 0 {
		sh.say(event.Notice, "no reminders")
		return nil
	}
	var rows [][]string
	for _, r := range all {
		when := "in " + text.Took(time.Until(r.Due))
		if r.Came {
			when = "due"
		}
		what := text.LineRunes(r.Lua+r.Prompt, 60)
		rows = append(rows, []string{strconv.Itoa(r.N), when, text.SanitizeLine(r.Action), r.Text, what})
	}
	sh.say(event.Plain, "%s", show.Columns(rows))
	return nil
}

func takeReminder(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	n := 0
	if arg != "" {
		var err error
		if n, err = strconv.Atoi(arg); err != nil || n < 1 {
			return &UsageError{usage: "/effects take [N]", message: "effects take: want the number of a reminder"}
		}
	}
	r, err := sh.options.Session.TakeReminder(n)
	if err != nil {
		return fmt.Errorf("effects take: %w; /effects schedule lists them", err)
	}
	switch {
	case r.Lua != "":
		sh.feed.Emit(event.Event{Kind: event.Drafted, Inline: true, Text: "!" + r.Lua})
	case r.Prompt != "":
		sh.feed.Emit(event.Event{Kind: event.Drafted, Inline: true, Text: "? " + r.Prompt})
	default:
		sh.say(event.Notice, "reminder %d is done: %s", r.N, r.Text)
	}
	return nil
}

func answerQuestion(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	s := sh.options.Session
	if arg == "" {
		questions := s.Questions()
		if len(questions) == 0 {
			sh.say(event.Notice, "no question waits for an answer")
		}
		for _, q := range questions {
			sh.say(event.Plain, "%s", event.NoticeText(noticeOf(q)))
		}
		return nil
	}
	name, answer, _ := sh.answered(arg)
	out, err := s.Answer(ctx, c.N, name, answer)
	if err != nil {
		return &UsageError{usage: "/effects answer [NAME] ANSWER", message: fmt.Sprintf("effects answer: %v", err)}
	}
	if err := sh.ran(c, out, nil); err != nil {
		return err
	}
	for _, r := range out.RejectedEffects {
		return fmt.Errorf("effects answer: not kept: %s", r.Reason)
	}
	for _, e := range out.Applied {
		sh.say(event.Notice, "state.%s = %s", e.Target, lua.Quote(fmt.Sprint(e.Value)))
	}
	return nil
}

// answered reads which question is answered, and how; ok tells that it waits. Its name may be missing where it is the
// only one.
func (sh *Shell) answered(arg string) (name, answer string, ok bool) {
	questions := sh.options.Session.Questions()
	name, answer = input.CutWord(arg)
	for _, q := range questions {
		if q.Name == name {
			return name, answer, true
		}
	}
	if len(questions) == 1 && arg != "" {
		return questions[0].Name, arg, true
	}
	return name, answer, false
}

// directedText names what directives of points set that goes back with the globals.
func directedText(points []session.Point) (texts []string) {
	for _, p := range points {
		for _, d := range p.Directives {
			title := text.SanitizeLine(d.Title())
			if d.Kind == effect.Ask && d.Value == nil {
				title = "the answer to " + text.SanitizeLine(d.Target)
			}
			if effect.GoesBack(d.Kind) && !slices.Contains(texts, title) {
				texts = append(texts, title)
			}
		}
	}
	return texts
}

// staysDirected lists what directives of undone runs have left that does not go back with the globals.
func (sh *Shell) staysDirected(over []session.Point) {
	var lines []string
	runs := map[string]bool{}
	for _, p := range over {
		for _, r := range p.Runs {
			runs[r.ID] = true
		}
		for _, d := range p.Directives {
			if line := "  the view stays narrowed by " + text.SanitizeLine(d.Action); d.Kind == effect.ViewNarrow &&
				!slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	for _, r := range sh.options.Session.Reminders() {
		if runs[r.Run] {
			lines = append(lines, fmt.Sprintf("  reminder %d of %s stays: /effects schedule cancel %[1]d",
				r.N, text.SanitizeLine(r.Action)))
		}
	}
	if len(lines) > 0 {
		sh.say(event.Warning, "not undone, of effects:\n%s", strings.Join(lines, "\n"))
	}
}

// askAgainBut shows the questions that wait now, but for those that did before.
func (sh *Shell) askAgainBut(waited []session.Question) {
	for _, q := range sh.options.Session.Questions() {
		before := func(w session.Question) bool { return w.Name == q.Name && w.Text == q.Text }
		if !slices.ContainsFunc(waited, before) {
			sh.say(event.Plain, "%s", event.NoticeText(noticeOf(q)))
		}
	}
}

// noticeOf is the notice by which the question was put.
func noticeOf(q session.Question) session.Notice {
	return session.Notice{Kind: "ask", Action: q.Action, Target: q.Name, Text: q.Text, Choices: q.Choices}
}

func questionWords(sh *Shell, arg string) []Completion {
	var items []Completion
	name, _, answering := strings.Cut(arg, " ")
	for _, q := range sh.options.Session.Questions() {
		switch {
		case !answering:
			items = append(items, Completion{Text: q.Name, Detail: q.Text})
		case q.Name == name:
			for _, choice := range q.Choices {
				items = append(items, Completion{Text: choice})
			}
		}
	}
	return items
}

package effect

// This file reads the directives: what their values mean. Whether they are allowed, and possible, is the session's to
// say.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/text"
)

// Bounds of directives.
const (
	MaxLine    = 500                 // bytes of a line for a person, and of a value of the context
	MaxChoices = 20                  // of a question
	MaxDraft   = 4 << 10             // bytes of a prompt or Lua that is put forward
	MaxAfter   = 30 * 24 * time.Hour // until something is put forward
)

// A Reminder is put forward after a time: a line, and what the person may then do about it. Nothing does it by itself.
type Reminder struct {
	After time.Duration
	Text  string
	// Prompt and Lua are what is put forward, at most one of them; may both be empty.
	Prompt, Lua string
}

// A Question is put to the person. The answer is a text of theirs; where there are choices, one of those.
type Question struct {
	Text    string
	Choices []string
}

// checkDirective checks the target and the value of a directive.
func checkDirective(e catalog.Effect) error {
	var err error
	switch e.Kind {
	case ViewNarrow:
		_, err = RulesOf(e)
	case ContextSet:
		return checkContext(e)
	case Notify:
		_, err = LineOf(e)
	case Schedule:
		_, err = ReminderOf(e)
	case Ask:
		_, err = QuestionOf(e)
	}
	return err
}

// RulesOf reads the value of a view.narrow: rules as in a view file, but for whom the session is.
func RulesOf(e catalog.Effect) (catalog.Rules, error) {
	table, ok := e.Value.(map[string]any)
	if !ok || len(table) == 0 {
		return catalog.Rules{}, fmt.Errorf("value: want rules as in a view file, such as {namespaces = {\"crm\"}}")
	}
	for _, key := range []string{"actor", "tenant"} {
		if _, set := table[key]; set {
			return catalog.Rules{}, fmt.Errorf("value: %s: an effect may not choose it", key)
		}
	}
	r, err := catalog.ParseRules(table)
	if err != nil {
		return r, fmt.Errorf("value: %w", err)
	}
	return r, nil
}

func checkContext(e catalog.Effect) error {
	if err := catalog.CheckContextKey(e.Target); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	switch v := e.Value.(type) {
	case string:
		if len(v) > MaxLine {
			return fmt.Errorf("value: longer than %d bytes", MaxLine)
		}
	case nil, bool, int64, float64:
	default:
		return fmt.Errorf("value: want a text, a number, true or false, not %s", text.Article(catalog.KindOf(v)))
	}
	return nil
}

// LineOf reads the value of a notify: a line of text. Its target is what the line is about, and may be empty.
func LineOf(e catalog.Effect) (string, error) {
	return line(e.Value, "value")
}

// line is a text for a person, as one line that no terminal can take for something else.
func line(value any, what string) (string, error) {
	s, ok := value.(string)
	s = text.SanitizeLine(strings.TrimSpace(s))
	switch {
	case !ok || s == "":
		return "", fmt.Errorf("%s: want a line of text", what)
	case len(s) > MaxLine:
		return "", fmt.Errorf("%s: longer than %d bytes", what, MaxLine)
	}
	return s, nil
}

// fields returns the fields of a directive's value, none but the known.
func fields(e catalog.Effect, known ...string) (map[string]any, error) {
	table, ok := e.Value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("value: want a table with %s, not %s",
			strings.Join(known, ", "), text.Article(catalog.KindOf(e.Value)))
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("value: %s: unknown; want %s", text.LineRunes(name, 40), strings.Join(known, ", "))
		}
	}
	return table, nil
}

// ReminderOf reads the value of a schedule. Its target is a name, and may be empty.
func ReminderOf(e catalog.Effect) (r Reminder, err error) {
	table, err := fields(e, "after", "text", "prompt", "lua")
	if err != nil {
		return r, err
	}
	after, _ := table["after"].(string)
	if r.After, err = time.ParseDuration(after); err != nil || r.After <= 0 || r.After > MaxAfter {
		return r, fmt.Errorf("value: after: want a time such as \"10m\", at most %s", text.Span(MaxAfter))
	}
	if r.Text, err = line(table["text"], "value: text"); err != nil {
		return r, err
	}
	for name, draft := range map[string]*string{"prompt": &r.Prompt, "lua": &r.Lua} {
		value, set := table[name]
		if !set || value == nil {
			continue
		}
		written, ok := value.(string)
		if !ok || strings.TrimSpace(written) == "" || text.Sanitize(written) != written || len(written) > MaxDraft {
			return r, fmt.Errorf("value: %s: want printable text of at most %d bytes", name, MaxDraft)
		}
		*draft = written
	}
	if r.Prompt != "" && r.Lua != "" {
		return r, fmt.Errorf("value: want prompt or lua, not both")
	}
	return r, nil
}

// QuestionOf reads the value of an ask. The answer goes to the field of state.answers that its target names.
func QuestionOf(e catalog.Effect) (q Question, err error) {
	if !lua.IsName(e.Target) {
		return q, fmt.Errorf("target %q: want the name of the answer, a field of state.answers", e.Target)
	}
	table, err := fields(e, "question", "choices")
	if err != nil {
		return q, err
	}
	if q.Text, err = line(table["question"], "value: question"); err != nil {
		return q, err
	}
	list, ok := asList(table["choices"])
	if !ok || len(list) > MaxChoices {
		return q, fmt.Errorf("value: choices: want a list of at most %d", MaxChoices)
	}
	for i, item := range list {
		choice, err := line(item, fmt.Sprintf("value: choices[%d]", i+1))
		if err != nil {
			return q, err
		}
		q.Choices = append(q.Choices, choice)
	}
	return q, nil
}

// AnswerTo is the effect that an answer has: it sets the field of state.answers. The answer is trimmed; where there are
// choices it is one of them or its number, and else an error.
func (q Question) AnswerTo(target, answer string) (catalog.Effect, error) {
	answer, err := line(answer, "")
	if err != nil {
		return catalog.Effect{}, fmt.Errorf("want a line of at most %d bytes", MaxLine)
	}
	if len(q.Choices) > 0 {
		chosen := ""
		for i, choice := range q.Choices {
			if strings.EqualFold(choice, answer) {
				chosen = choice
			} else if answer == fmt.Sprint(i+1) {
				chosen = cmp.Or(chosen, choice)
			}
		}
		if answer = chosen; answer == "" {
			names := strings.Join(q.Choices, ", ")
			return catalog.Effect{}, fmt.Errorf("want 1 to %d, or one of %s", len(q.Choices), names)
		}
	}
	return catalog.Effect{Kind: StateSetPath, Target: "answers." + target, Value: answer}, nil
}

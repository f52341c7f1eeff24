package gateway

// This file asks the person of a client, by a form that the client shows.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog/text"
	"almanac/repl/show"
	"almanac/session"
)

// A choice is an answer that a form offers: what the client sends, and what its person reads.
type choice struct{ value, words string }

// denied is the value of the choice that every form has.
const denied = "deny"

// choicesSchema is the form of one question. It has room for the reason of a denial, and where the question is about a
// whole run, for the numbers of what is left out, which begin as skip.
func choicesSchema(choices []choice, list bool, skip string) json.RawMessage {
	var values, words []string
	for _, c := range choices {
		values, words = append(values, c.value), append(words, c.words)
	}
	decision := map[string]any{"type": "string", "title": "Decision", "enum": values, "enumNames": words}
	fields := map[string]any{"decision": decision, "reason": map[string]any{
		"type": "string", "title": "Reason", "description": "Why you deny it: the model reads it. May be empty.",
	}}
	if list {
		leaveOut := map[string]any{"type": "string", "title": "Leave out",
			"description": "Numbers of the list that are not to be made, such as 2 5 or 2-5. May be empty."}
		if skip != "" {
			leaveOut["default"] = skip
			leaveOut["description"] = "Numbers of the list that are not to be made. Empty leaves out " + skip +
				"; none makes all."
		}
		fields["skip"] = leaveOut
	}
	schema, err := json.Marshal(map[string]any{
		"type": "object", "required": []string{"decision"}, "properties": fields,
	})
	if err != nil {
		panic(err) // strings only
	}
	return schema
}

// sessionChoice is what a form calls a scope; "session" is any arguments.
func sessionChoice(s show.Scope) choice {
	if s.Name == "any" {
		s.Name = "session"
	}
	return choice{s.Name, "Allow for this session: " + s.Words}
}

// approve asks the client's person. Anything but a clear yes is a no, and so is a question that cannot be shown whole.
func (s *served) approve(ctx context.Context, r session.Request) (session.Approval, error) {
	select {
	case s.asked <- struct{}{}:
		defer func() { <-s.asked }()
	case <-ctx.Done():
		return session.Approval{}, ctx.Err()
	}
	r.Preview = cut(r.Preview, maxPreview)
	r.Batch = slices.Clone(r.Batch)
	for i := range r.Batch {
		r.Batch[i].Preview = cut(r.Batch[i].Preview, maxPreview/len(r.Batch))
	}
	q := show.QuestionOf(r, show.Options{}.Marks())
	text := question(q)
	if len(text) > maxQuestion {
		return session.Approval{Verdict: session.Refuse, Reason: "the arguments are too large to show"}, nil
	}
	once := choice{"once", "Allow once"}
	if q.Batch != nil {
		return s.approveList(ctx, q.Batch, r.Chosen.Off, text)
	}
	choices := []choice{once}
	for _, scope := range q.Scopes() {
		choices = append(choices, sessionChoice(scope))
	}
	given, err := s.decide(ctx, text, append(choices, choice{denied, "Deny"}), false, "")
	for _, scope := range q.Scopes() {
		c := sessionChoice(scope)
		if err != nil || given.decision != c.value {
			continue
		}
		if q.High() { // asked once more
			text = fmt.Sprintf("Allow every call of %s with %s in this session without asking?\n%s", q.ID, scope.Words, text)
			given, err = s.decide(ctx, text, []choice{c, {denied, "Deny"}}, false, "")
		}
		if err == nil && given.decision == c.value {
			return scope.Approval(), nil
		}
	}
	switch {
	case err != nil:
		return session.Approval{}, err
	case given.decision == once.value:
		return session.Approval{Verdict: session.Once}, nil
	}
	return given.refusal(), nil
}

// approveList asks about a whole run. What was switched off before stays off unless the form says otherwise. Numbers
// that are none are asked for again.
func (s *served) approveList(ctx context.Context, b *show.Batch, before []int,
	text string) (session.Approval, error) {
	apply := choice{"once", "Make them"}
	skip := numbers(before)
	if skip != "" {
		text += fmt.Sprintf("\nYou left out %s before, and an empty field leaves them out again. Others: their numbers "+
			"in its place; none makes all.", skip)
	}
	asked := text
	for range maxAsked {
		given, err := s.decide(ctx, asked, []choice{apply, {denied, "Deny all"}}, true, skip)
		if err != nil {
			return session.Approval{}, err
		}
		if given.decision != apply.value {
			return given.refusal(), nil
		}
		off := before
		switch typed := strings.TrimSpace(given.skip); {
		case strings.EqualFold(typed, "none"):
			off = nil
		case typed != "":
			off, err = b.Numbers(typed)
		}
		if err == nil {
			for i := range b.Len() {
				b.Switch(i, !slices.Contains(off, i))
			}
			var a session.Approval
			switch a, err = b.Approval(); {
			case errors.Is(err, show.ErrNothingLeft):
				return session.Approval{Verdict: session.Refuse, Reason: "nothing is left to make"}, nil
			case err == nil:
				return a, nil
			}
		}
		asked = "Leave out: " + err.Error() + "\n" + text
	}
	return session.Approval{Verdict: session.Refuse, Reason: "the numbers to leave out could not be read"}, nil
}

// numbers are items as people number them: "1, 4".
func numbers(items []int) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = strconv.Itoa(item + 1)
	}
	return strings.Join(words, ", ")
}

// maxAsked is how often a form is shown whose numbers cannot be read.
const maxAsked = 3

// A filled is a form as it came back; all but action is empty unless it was accepted.
type filled struct{ action, decision, reason, skip string }

// refusal is the no that it says, with the person's own words where there are any.
func (f filled) refusal() session.Approval {
	reason := strings.TrimSpace(f.reason)
	if f.decision != denied {
		reason = "the person answered " + f.action
	}
	return session.Approval{Verdict: session.Refuse, Reason: reason}
}

// errUndecided is an answer that is neither yes nor no: no refusal of the person's.
var errUndecided = errors.New("the person did not decide")

// decide puts one question. What was accepted has one of the choices; anything else is no answer.
func (s *served) decide(ctx context.Context, text string, choices []choice,
	list bool, skip string) (filled, error) {
	replied, err := s.ask(ctx, &sdk.ElicitParams{
		Mode: "form", Message: s.session.Redact(text), RequestedSchema: choicesSchema(choices, list, skip),
	})
	answer, _ := replied.(*sdk.ElicitResult)
	switch {
	case ctx.Err() != nil:
		return filled{}, ctx.Err()
	case err != nil || answer == nil: // in the words of a library, the client's or ours
		return filled{}, errUndecided
	}
	given := filled{action: answer.Action}
	switch answer.Action {
	case "accept":
		given.decision, _ = answer.Content["decision"].(string)
		given.reason, _ = answer.Content["reason"].(string)
		given.skip, _ = answer.Content["skip"].(string)
		if !slices.ContainsFunc(choices, func(c choice) bool { return c.value == given.decision }) {
			return filled{}, errUndecided
		}
	case "decline", "cancel":
	default:
		return filled{}, errUndecided
	}
	return given, nil
}

// maxQuestion is how long a question may be, in bytes; maxPreview how much of a preview it shows.
const (
	maxQuestion = 32 << 10
	maxPreview  = 4 << 10
)

// question writes a question for a form: the action and its risk, what it warns of, then all else.
func question(q show.Question) string {
	body := q.Body(0, false)
	if q.Batch != nil {
		lines, _ := q.Batch.Lines(0, show.Options{}.Marks(), false, true)
		body = append(lines, show.Dim.Line(q.Asked))
	}
	lines := []string{"Allow " + q.ID + "? " + q.RiskText(show.Options{}.Marks())}
	for _, l := range append(q.WarningLines(), body...) {
		lines = append(lines, l.String())
	}
	return strings.Join(lines, "\n")
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head := text.HeadBytes(s, n)
	return head + fmt.Sprintf("… (%d more bytes)", len(s)-len(head))
}

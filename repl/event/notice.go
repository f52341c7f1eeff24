package event

import (
	"fmt"

	"almanac/catalog/text"
	"almanac/session"
	"almanac/session/effect"
)

// NoticeText is what an applied effect has for the person, in words, marked with the action whose effect it is.
func NoticeText(n session.Notice) string {
	words := text.SanitizeLine(n.Action) + ": "
	switch r := n.Reminder; {
	case n.Kind == effect.Ask:
		words = "question from " + words + n.Text
		for i, choice := range n.Choices {
			words += fmt.Sprintf("\n  %d  %s", i+1, choice)
		}
		return words + "\n  /effects answer " + n.Target + " ANSWER"
	case r == nil && n.Target != "":
		return "notice from " + words + n.Target + ": " + n.Text
	case r == nil:
		return "notice from " + words + n.Text
	default:
		return fmt.Sprintf("reminder %d from %s%s\n  %s", r.N, words, n.Text, TakeText(*r))
	}
}

// TakeText says how a reminder that is due is taken.
func TakeText(r session.Reminder) string {
	what := "removes it"
	switch {
	case r.Lua != "":
		what = "puts its Lua into the input"
	case r.Prompt != "":
		what = "puts its prompt into the input"
	}
	return fmt.Sprintf("/effects take %d %s", r.N, what)
}

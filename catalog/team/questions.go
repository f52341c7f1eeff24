package team

import (
	"context"
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
)

// This file is the actions over questions.

// questionEntries are the actions over questions.
func (t *Team) questionEntries() []catalog.Entry {
	return append(t.askingEntries(), t.answeringEntries()...)
}

// asking is what an action says that asks.
type asking struct {
	QueryID string `json:"query_id" jsonschema:"Answers come as messages with this id"`
	Result  string `json:"result" jsonschema:"What was done, in a sentence"`
}

// A reviewing is what peer.review takes.
type reviewing struct {
	What   string `json:"what" jsonschema:"What is to be reviewed"`
	Where  string `json:"where,omitempty" jsonschema:"Where it is: a file with lines, a branch, a record"`
	Notes  string `json:"notes,omitempty" jsonschema:"What to look at"`
	Target string `json:"target,omitempty" jsonschema:"Name of the agent; left out: everybody in the team"`
}

func (in reviewing) query() Query {
	q := Query{Kind: Review, To: in.Target, Text: in.What}
	if in.Where != "" {
		q.Text += "\nWhere: " + in.Where
	}
	if in.Notes != "" {
		q.Text += "\n" + in.Notes
	}
	return q
}

// askingEntries are the actions of those who ask.
func (t *Team) askingEntries() []catalog.Entry {
	type ask struct {
		Question string `json:"question"`
		Target   string `json:"target,omitempty" jsonschema:"Name of the agent; left out: everybody in the team"`
		Context  string `json:"context,omitempty" jsonschema:"What one has to know for it; goes with the question"`
	}
	type questions struct {
		Asked []Query `json:"asked" jsonschema:"Asked of you and unanswered"`
		Own   []Query `json:"own" jsonschema:"Asked by you, with their answers"`
	}
	asked := func(ctx context.Context, in ask) (q Query, keepers []string) {
		q = Query{Kind: Question, To: in.Target, Text: in.Question, Context: in.Context}
		q.Enrichment, keepers = t.enrich(ctx, in.Question)
		return q, keepers
	}
	return []catalog.Entry{
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.ask", Title: "Ask a peer",
			Description: "Ask another agent of the team, or everybody, a question. Returns at once; the answer comes as a message. What the keepers hold about the question goes with it.",
			Aliases:     []string{"peer_ask_question", "ask_question", "ask a colleague", "ask the team"},
			Entities:    []string{"question", "peer"}, Mutates: true,
			Examples: []string{`peer.ask{question = "which queue does billing use?", target = "ann"}`},
			Preview: func(ctx context.Context, call catalog.Call) (string, error) {
				in, err := catalog.Arguments[ask](call)
				if err != nil {
					return "", err
				}
				q, _ := asked(ctx, in)
				return t.previewAsk(ctx, q)
			},
		}), func(ctx context.Context, in ask, _ catalog.Context) (asking, error) {
			q, keepers := asked(ctx, in)
			out, err := t.askAction(ctx, q)
			if err == nil && len(keepers) > 0 {
				out.Result += "; with it went what the keepers hold about it: " + strings.Join(keepers, ", ")
			}
			return out, err
		}),
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.review", Title: "Ask for a review",
			Description: "Ask another agent of the team, or everybody, to review something. The answer comes as a message.",
			Aliases:     []string{"peer_review", "request a code review", "ask for feedback"},
			Entities:    []string{"review", "peer"}, Mutates: true,
			Examples: []string{`peer.review{what = "the retry loop", where = "client.go:40-80", target = "ann"}`},
			Preview: func(ctx context.Context, call catalog.Call) (string, error) {
				in, err := catalog.Arguments[reviewing](call)
				if err != nil {
					return "", err
				}
				return t.previewAsk(ctx, in.query())
			},
		}), func(ctx context.Context, in reviewing, _ catalog.Context) (asking, error) {
			return t.askAction(ctx, in.query())
		}),
		catalog.Func(t.entry(catalog.Entry{
			ID: "peer.questions", Title: "Open questions",
			Description: "List the questions that wait for an answer of yours, and those that you have asked with their answers.",
			Aliases:     []string{"pending questions", "unanswered questions", "answers to my questions"},
			Entities:    []string{"question"}, Examples: []string{`peer.questions().asked`},
		}), func(ctx context.Context, _ struct{}, _ catalog.Context) (questions, error) {
			asked, own, err := t.Queries(ctx)
			return questions{append([]Query{}, asked...), append([]Query{}, own...)}, err
		}),
	}
}

// previewAsk says what asking a question would do.
func (t *Team) previewAsk(ctx context.Context, q Query) (string, error) {
	if err := t.checkAsked(&q); err != nil {
		return "", err
	}
	verb := "asks "
	if q.Kind == Review {
		verb = "asks for a review: "
	}
	return t.sends(ctx, verb, q.To, q.Letter()), nil
}

// askAction asks, and says who was.
func (t *Team) askAction(ctx context.Context, q Query) (asking, error) {
	id, err := t.Ask(ctx, q)
	if err != nil {
		return asking{}, err
	}
	return asking{id, "asked " + t.recipient(ctx, q.To)}, nil
}

// answeringEntries are the actions of those who were asked.
func (t *Team) answeringEntries() []catalog.Entry {
	type answer struct {
		QueryID string `json:"query_id" jsonschema:"Came with the question"`
		Answer  string `json:"answer"`
	}
	type forward struct {
		QueryID    string `json:"query_id" jsonschema:"Came with the question"`
		Target     string `json:"target,omitempty" jsonschema:"Name of the agent; left out: everybody in the team"`
		Enrichment string `json:"enrichment,omitempty" jsonschema:"What you know about it; goes with the question"`
	}
	type withdraw struct {
		QueryID string `json:"query_id" jsonschema:"What peer.ask returned"`
	}
	about := func(ctx context.Context, call catalog.Call) (string, error) {
		id, _ := call.Args["query_id"].(string)
		q, _, err := t.query(ctx, id)
		if why := q.closed(t.Agent()); err == nil && why != "" {
			err = closedError(id, why, q.From)
		}
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s of %s:\n%s", q.Kind, q.From, quoted(q.Text)), nil
	}
	answering := catalog.Func(t.entry(catalog.Entry{
		ID: "peer.answer", Title: "Answer a question",
		Description: "Answer a question, or a request for a review, that another agent of the team has asked you.",
		Aliases:     []string{"peer_answer_question", "answer_question", "reply to a question"},
		Entities:    []string{"answer", "question"}, Mutates: true, Preview: about,
		Examples: []string{`peer.answer{query_id = "ann.k3x9q2ab", answer = "billing-events"}`},
	}), func(ctx context.Context, in answer, _ catalog.Context) (sent, error) {
		q, told, err := t.Answer(ctx, in.QueryID, in.Answer)
		if err != nil {
			return sent{}, err
		}
		if !told {
			return sent{"kept for " + q.From + ", who takes no more messages now and finds it with peer.questions"}, nil
		}
		return sent{"answered " + t.recipient(ctx, q.From)}, nil
	})
	forwarding := catalog.Func(t.entry(catalog.Entry{
		ID: "peer.forward", Title: "Pass a question on",
		Description: "Pass a question that you were asked on to another agent of the team, or to everybody, with what you know about it. The answer goes to the one that asked.",
		Aliases:     []string{"peer_forward_question", "forward_question", "broadcast_question", "ask somebody else"},
		Entities:    []string{"question", "peer"}, Mutates: true, Preview: about,
		Examples: []string{`peer.forward{query_id = "ann.k3x9q2ab", target = "bob", enrichment = "it was Kafka in May"}`},
	}), func(ctx context.Context, in forward, _ catalog.Context) (sent, error) {
		if _, err := t.Forward(ctx, in.QueryID, in.Target, in.Enrichment); err != nil {
			return sent{}, err
		}
		return sent{"forwarded to " + t.recipient(ctx, in.Target)}, nil
	})
	withdrawing := catalog.Func(t.entry(catalog.Entry{
		ID: "peer.withdraw", Title: "Withdraw a question",
		Description: "Withdraw a question, or a request for a review, of your own: nobody can answer it any more.",
		Aliases:     []string{"peer_withdraw_question", "cancel a question"}, Entities: []string{"question"}, Mutates: true,
		Preview: func(ctx context.Context, call catalog.Call) (string, error) {
			id, _ := call.Args["query_id"].(string)
			q, _, err := t.query(ctx, id)
			return "withdraws:\n" + quoted(q.Text), err
		},
		Examples: []string{`peer.withdraw{query_id = "ann.k3x9q2ab"}`},
	}), func(ctx context.Context, in withdraw, _ catalog.Context) (sent, error) {
		q, err := t.Withdraw(ctx, in.QueryID)
		return sent{"query " + q.ID + " is withdrawn"}, err
	})
	return []catalog.Entry{answering, forwarding, withdrawing}
}

// maxPreview is how much of a question a preview shows, in bytes.
const maxPreview = 500

// quoted is the beginning of what was asked or sent, as a preview shows it.
func quoted(words string) string { return text.Quote(text.ClipBytes(words, maxPreview)) }

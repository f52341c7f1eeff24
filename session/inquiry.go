package session

// This file puts what the server of an action asks during a call to the person, or to a model that the person lets
// answer. A server asks in a call of its own alone, a few times, and a no is always an answer.

import (
	"context"
	"fmt"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/session/trace"
)

// maxInquiries is how often a server may ask in one call, maxSamples how often a model.
const maxInquiries, maxSamples = 10, 5

// asks are the questions of one call.
type asks struct {
	run   *run
	entry *catalog.Entry
	call  trace.Call // as it began

	mu            sync.Mutex
	count, models int
	waited        time.Duration
	told          string // of the last answer
	over          bool
}

func (r *run) asks(entry *catalog.Entry, c trace.Call) *asks {
	return &asks{run: r, entry: entry, call: c}
}

// end takes the time of the person out of the call's, and notes in its result what was asked.
func (a *asks) end(result *catalog.Result, c *trace.Call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	c.Start = c.Start.Add(a.waited)
	if a.told != "" && result.Note != "" {
		result.Note += "; "
	}
	result.Note += a.told
}

// answer puts one question.
func (a *asks) answer(ctx context.Context, q catalog.Inquiry) catalog.Reply {
	a.mu.Lock()
	a.count++
	what := "the person"
	if q.Sample != nil {
		a.models++
		what = "a model"
	}
	tooMany := a.over || a.count > maxInquiries || a.models > maxSamples
	a.mu.Unlock()
	goOn := standStill(ctx)
	defer goOn()
	began := time.Now()
	reply := catalog.Reply{Reason: "it asks too often"}
	switch {
	case tooMany:
	case q.URL != "" && a.run.session.world.redactor.text(q.URL) != q.URL:
		reply.Reason = "the address has a secret in it"
	default:
		reply = a.put(ctx, a.run.cleaned(q))
	}
	told := "its server asked " + what + ": "
	switch {
	case reply.Accepted:
		told += "answered"
	case reply.Reason == "":
		told += "declined"
	default:
		told += "declined, " + reply.Reason
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = told
	a.waited += time.Since(began)
	return reply
}

// put asks whoever answers here.
func (a *asks) put(ctx context.Context, q catalog.Inquiry) catalog.Reply {
	w := a.run.session.world
	if q.Sample != nil && w.options.Inquire == nil && w.options.Complete == nil {
		return catalog.Reply{Reason: "there is no model"}
	}
	if w.options.Inquire == nil && w.options.Approve == nil {
		return catalog.Reply{Reason: "nobody can be asked here"}
	}
	if _, may := isCompensating(ctx); !may {
		return catalog.Reply{Reason: "nobody is asked after an interrupt"}
	}
	select { // one question at a time
	case w.asking <- struct{}{}:
		defer func() { <-w.asking }()
	case <-ctx.Done():
		return catalog.Reply{Reason: "interrupted"}
	}
	asked := a.run.recordable(a.call)
	asked.Rule = "its server asks: " + text.ClipRunes(text.SanitizeLine(q.Text), 200)
	if err := w.record(a.run.of(trace.Record{Kind: trace.KindAsk, Call: &asked})); err != nil {
		return catalog.Reply{Reason: "the log cannot be written"}
	}
	if w.options.Inquire != nil {
		return w.options.Inquire(ctx, a.entry.ID, q)
	}
	return a.ask(ctx, q)
}

// ask puts the question to the person, and has the model answer where they let it.
func (a *asks) ask(ctx context.Context, q catalog.Inquiry) catalog.Reply {
	w := a.run.session.world
	request := Request{
		Inquiry: &q, Args: defaults(q.Form),
		Entry: &catalog.Entry{ID: q.Server, Input: q.Form, Source: a.entry.Source, Target: a.entry.Target,
			Risk: catalog.Low},
		Author: a.run.script.Author, Cell: a.run.script.Cell, N: a.call.N, Line: sourceLine(&a.call),
		Reason: "during " + a.entry.ID, Source: leaves(w, a.run.script.Source),
	}
	answer, err := w.options.Approve(ctx, request)
	switch {
	case ctx.Err() != nil:
		return catalog.Reply{Reason: "interrupted"}
	case err != nil:
		return catalog.Reply{Reason: "the question was not answered"}
	case answer.Verdict != Once:
		return catalog.Reply{Reason: answer.Reason}
	}
	if q.Sample != nil {
		said, model, err := w.options.Complete(ctx, *q.Sample)
		if err != nil {
			return catalog.Reply{Reason: "the model failed: " + w.redactor.text(err.Error())}
		}
		return catalog.Reply{Accepted: true, Text: w.redactor.text(said), Model: model}
	}
	values := answer.Args
	if values == nil {
		values = request.Args
	}
	if q.Form != nil {
		if values, err = q.Form.Check(values); err != nil {
			return catalog.Reply{Reason: "the answer does not fit the form"}
		}
	}
	return catalog.Reply{Accepted: true, Values: values}
}

// cleaned is a question without secrets.
func (r *run) cleaned(q catalog.Inquiry) catalog.Inquiry {
	red := r.session.world.redactor
	q.Text = red.text(q.Text)
	if q.Sample != nil {
		sample := *q.Sample
		sample.System, sample.Text = red.text(sample.System), red.text(sample.Text)
		q.Sample = &sample
		if q.Text == "" {
			q.Text = fmt.Sprintf("A model is to answer:\n%s", sample.Text)
			if sample.System != "" {
				q.Text = fmt.Sprintf("A model is to answer, told this: %s\n%s", sample.System, sample.Text)
			}
		}
	}
	return q
}

// defaults are the values that a form begins with.
func defaults(form *catalog.Schema) map[string]any {
	values := map[string]any{}
	if form == nil {
		return values
	}
	parsed, _ := catalog.ParseJSON(form.JSON())
	schema, _ := parsed.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if table, _ := property.(map[string]any); table["default"] != nil {
			values[name] = table["default"]
		}
	}
	if checked, err := form.Check(values); err == nil {
		return checked
	}
	return values
}

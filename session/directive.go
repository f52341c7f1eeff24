package session

// This file carries out directives: effects that reach beyond the state. They are checked together with the other
// effects of their run, before anything is applied. What context.set and ask did goes back with the globals; the others
// are never taken back.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"almanac/catalog"
	"almanac/session/effect"
)

// Bounds of what directives leave behind.
const (
	maxNotices   = 10 // of a run
	maxReminders = 20 // that wait
	maxQuestions = 20 // without an answer
)

// A Notice is something that an effect has for the person: a line, a reminder that is due, a question.
type Notice struct {
	// Kind is that of the effect: notify, schedule or ask. Action is the one whose effect it is.
	Kind, Action string
	// Target is what a line is about, the name of a reminder, which may be empty, or the name of the answer.
	Target, Text string
	// Reminder is set for one that is due.
	Reminder *Reminder
	// Choices are those of a question; without any the answer is free.
	Choices []string
}

// A Reminder waits, or has come due and is there to be taken.
type Reminder struct {
	effect.Reminder
	N            int
	Action, Name string
	Due          time.Time
	Run          string // whose effect it is
	// Came is set once it is due.
	Came bool
}

// A Question waits for the person's answer.
type Question struct {
	effect.Question
	Action, Name string
}

// directed is what directives have left behind in a world, guarded by its mu. set and questions are what is in force,
// which goes back with the globals: the history has it.
type directed struct {
	set       map[string]any // for Context.Set; replaced, never changed
	questions []Question
	reminders []Reminder
	timers    map[int]func() bool // that stop the reminders
	reminded  int                 // the number of the last reminder
}

// checkDirectives says which directives among effects cannot be carried out, in their order.
func (w *world) checkDirectives(effects []catalog.Effect) (rejected []catalog.RejectedEffect) {
	w.mu.Lock()
	defer w.mu.Unlock()
	view, notices, reminders := w.view, 0, len(w.directed.reminders)
	asked := map[string]bool{} // by this run: of two questions of one name the first could not be answered
	for _, q := range w.directed.questions {
		asked[q.Name] = false
	}
	for _, e := range effects {
		if effect.IsState(e.Kind) {
			continue
		}
		err := effect.Check(e)
		switch {
		case err != nil:
		case e.Kind == effect.ViewNarrow:
			rules, _ := effect.RulesOf(e) // as checked
			var narrower *catalog.View
			if narrower, err = view.Narrow(rules); err == nil {
				view = narrower
			}
		case e.Kind == effect.ContextSet && !slices.Contains(w.options.ContextKeys, e.Target):
			err = fmt.Errorf("%s is not among the context_keys of the configuration", e.Target)
		case e.Kind == effect.ContextSet:
		case w.options.Notify == nil:
			err = errors.New("nobody is there to read it")
		case e.Kind == effect.Notify:
			if notices++; notices > maxNotices {
				err = fmt.Errorf("a run may send at most %d lines", maxNotices)
			}
		case !w.options.Commands:
			err = errors.New("nobody can be asked or reminded here: there is no prompt")
		case e.Kind == effect.Schedule:
			if reminders++; reminders > maxReminders {
				err = fmt.Errorf("%d reminders are there already; /effects schedule lists them", maxReminders)
			}
		case e.Kind == effect.Ask:
			if asked[e.Target] {
				err = fmt.Errorf("ask %s: the run has asked that already", e.Target)
			} else if asked[e.Target] = true; len(asked) > maxQuestions {
				err = fmt.Errorf("%d questions wait for an answer", maxQuestions)
			}
		}
		if err != nil {
			rejected = append(rejected, catalog.RejectedEffect{Effect: e, Reason: w.redactor.text(err.Error())})
		}
	}
	return rejected
}

// carryOut carries out a directive that checkDirectives has let pass.
func (r *run) carryOut(d Directive) error {
	w, e := r.session.world, d.Effect
	n := Notice{Kind: e.Kind, Action: d.Action, Target: e.Target}
	switch e.Kind {
	case effect.ViewNarrow:
		rules, err := effect.RulesOf(e)
		if err == nil {
			rules.Name = "effect of " + d.Action
			err = r.session.Restrict(rules)
		}
		return err
	case effect.ContextSet: // it is in force
		return nil
	case effect.Notify:
		n.Text, _ = effect.LineOf(e)
	case effect.Schedule:
		reminder, err := effect.ReminderOf(e)
		if err == nil {
			w.remind(Reminder{Reminder: reminder, Action: d.Action, Name: e.Target, Run: r.id})
		}
		return err
	case effect.Ask:
		if e.Value == nil { // it is answered
			return nil
		}
		q, err := effect.QuestionOf(e)
		if err != nil {
			return err
		}
		n.Text, n.Choices = q.Text, q.Choices
	}
	w.options.Notify(n)
	return nil
}

// remind has the reminder come up at its time. Closing the session stops it.
func (w *world) remind(r Reminder) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.directed.reminded++
	r.N, r.Due = w.directed.reminded, time.Now().Add(r.After)
	w.directed.reminders = append(w.directed.reminders, r)
	if w.directed.timers == nil {
		w.directed.timers = map[int]func() bool{}
	}
	w.directed.timers[r.N] = w.after(r.After, func() { w.comeDue(r.N) })
}

func (w *world) comeDue(number int) {
	w.mu.Lock()
	i := slices.IndexFunc(w.directed.reminders, func(r Reminder) bool { return r.N == number })
	if i < 0 || w.closed {
		w.mu.Unlock()
		return
	}
	w.directed.reminders[i].Came = true
	delete(w.directed.timers, number)
	r := w.directed.reminders[i]
	w.mu.Unlock()
	w.options.Notify(Notice{Kind: effect.Schedule, Action: r.Action, Target: r.Name, Text: r.Text, Reminder: &r})
}

// stopReminders ends all timers.
func (w *world) stopReminders() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, stop := range w.directed.timers {
		stop()
	}
	w.directed.timers = nil
}

// Reminders are those that wait or have come due, oldest first.
func (s *Session) Reminders() []Reminder {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return slices.Clone(s.world.directed.reminders)
}

// TakeReminder removes the reminder with the number, or the first that has come due where that is zero, and returns it:
// it was cancelled, or the person goes on with it.
func (s *Session) TakeReminder(number int) (Reminder, error) {
	w := s.world
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.directed.reminders, func(r Reminder) bool { return r.N == number || number == 0 && r.Came })
	switch {
	case i < 0 && number == 0:
		return Reminder{}, errors.New("no reminder is due")
	case i < 0:
		return Reminder{}, fmt.Errorf("there is no reminder %d", number)
	}
	r := w.directed.reminders[i]
	if stop := w.directed.timers[r.N]; stop != nil {
		stop()
		delete(w.directed.timers, r.N)
	}
	w.directed.reminders = slices.Delete(w.directed.reminders, i, i+1)
	return r, nil
}

// Questions are those that wait for an answer, oldest first.
func (s *Session) Questions() []Question {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return slices.Clone(s.world.directed.questions)
}

// Answer answers a question: the field of state.answers with its name gets the text, by a run of the person's in the
// cell. An answer that is none of the choices is an error, and the question stays.
func (s *Session) Answer(ctx context.Context, cell int, name, text string) (*Outcome, error) {
	questions := s.Questions()
	i := slices.IndexFunc(questions, func(q Question) bool { return q.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: no such question waits for an answer", name)
	}
	e, err := questions[i].AnswerTo(name, text)
	if err != nil {
		return nil, err
	}
	return s.apply(ctx, cell, "answer to "+questions[i].Action, []catalog.Effect{e}, name)
}

// Redirect does again what directives of an earlier session did and what still counts in one that goes on from it: the
// view stays narrowed, the context set. It says what it could not do.
func (s *Session) Redirect(applied []catalog.Effect) error {
	var errs []error
	for _, e := range applied {
		var err error
		switch e.Kind {
		case effect.ViewNarrow:
			var rules catalog.Rules
			if rules, err = effect.RulesOf(e); err == nil {
				rules.Name, rules.Growing = "effect in an earlier session", true
				err = s.Restrict(rules)
			}
		case effect.ContextSet:
			if rejected := s.world.checkDirectives([]catalog.Effect{e}); len(rejected) > 0 {
				err = errors.New(rejected[0].Reason)
			} else {
				s.world.history.direct([]Directive{{Effect: e}}, false)
				s.world.takeInForce()
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", e.Title(), err))
		}
	}
	return errors.Join(errs...)
}

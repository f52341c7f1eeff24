// This file brings what other sessions of the team sent to the person, the log and the model.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"almanac/catalog/team"
	"almanac/catalog/team/bus"
	"almanac/catalog/text"
	"almanac/llm"
	"almanac/repl/event"
	"almanac/session"
	"almanac/session/trace"
)

// deliver tells the person and the log of what arrives, until Close. What waited from before is counted where somebody
// sits before the session, and shown where a prompt takes it along.
func (w *app) deliver(ctx context.Context, person bool) {
	if w.member == nil || w.feed == nil {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if !w.tellJoining(ctx) {
			return
		}
		w.feed.Refresh()
		if waited := w.member.team.Unread(); person && len(waited) > 0 {
			for _, item := range waited {
				w.member.arrived.once(item, func(team.Item) {})
			}
			w.say(event.Notice, fmt.Sprintf("inbox: %d unread, /inbox", len(waited)))
		}
		for {
			for _, item := range w.member.arrived.take() {
				w.member.arrived.once(item, w.arrived)
			}
			select {
			case <-w.member.arrived.came:
			case <-ctx.Done():
				return
			}
		}
	}()
	w.member.bus.follow(func(s bus.State) {
		if s.Connected && !s.Damage {
			w.say(event.Notice, s.Text)
		} else {
			w.say(event.Warning, s.Text)
		}
	})
	w.closers = append(w.closers, func() error {
		w.member.bus.follow(nil)
		stop()
		<-done
		return nil
	})
}

// tellJoining waits until the session has joined, and says so where it took more than one attempt. It returns false
// when ctx is done first.
func (w *app) tellJoining(ctx context.Context) bool {
	w.member.wait(ctx)
	if _, err := w.member.joined(); err != nil && ctx.Err() == nil {
		w.say(event.Warning, err.Error())
		if !w.member.settled(ctx) {
			return false
		}
		w.say(event.Notice, "team "+w.member.options.Team+": connected")
	}
	return w.member.settled(ctx)
}

// say tells the person something of the program's own.
func (w *app) say(level event.Level, words string) {
	w.feed.Emit(event.Event{Kind: event.Said, Level: level, Text: w.session.Redact(words)})
}

// arrived records an item and shows it.
func (w *app) arrived(item team.Item) {
	item = session.Clean(w.session, item)
	if kept, err := json.Marshal(item); err == nil {
		_ = w.log.Append(trace.Record{Time: time.Now(), Kind: trace.KindArrived, Author: item.From, Item: kept})
	}
	w.feed.Emit(event.Event{Kind: event.Arrived, Item: &item})
}

// What one prompt takes along of what arrived; the rest comes with the next.
const (
	maxCarried      = 20
	maxCarriedBytes = 32 << 10
)

// carried is what is unread and goes with a prompt. What becomes a prompt of its own counts as read.
func (w *app) carried(t *team.Team) (items []team.Item) {
	for _, item := range t.Pending() {
		if !item.Seen { // it may be on its way to the screen
			w.member.arrived.once(item, w.arrived)
		}
		if w.apart != nil && w.apart(item) {
			t.Read(item.ID)
		} else {
			items = append(items, item)
		}
	}
	return items
}

// unread is what the next prompt takes along; nil without a team.
func (w *app) unread() func(context.Context) ([]llm.Arrival, func()) {
	if w.member == nil {
		return nil
	}
	return func(ctx context.Context) ([]llm.Arrival, func()) {
		t, err := w.member.joined()
		if err != nil {
			return nil, func() {}
		}
		var ids []string
		var arrivals []llm.Arrival
		size, unread := 0, w.carried(t)
		for _, item := range t.Current(ctx, unread[:min(len(unread), maxCarried)]...) {
			words := event.ItemPrompt(item)
			if size += len(words); len(ids) > 0 && size > maxCarriedBytes {
				break
			}
			ids = append(ids, item.ID)
			arrivals = append(arrivals, llm.Arrival{From: item.From, Text: words})
		}
		if n := len(ids); n > 0 {
			told, end := "the model also reads "+text.Count(n, "item")+" of the inbox", "[end of the inbox"
			if more := len(unread) - n; more > 0 {
				told += fmt.Sprintf("; %d more with the next prompt", more)
				end += fmt.Sprintf(" for now: %d more wait and come with the next prompt", more)
			}
			arrivals[n-1].Text += "\n" + end + "; the prompt follows]"
			w.feed.Emit(event.Event{Kind: event.Said, Cell: w.feed.Cell(), Level: event.Notice, Text: told})
		}
		return arrivals, func() { t.Read(ids...) }
	}
}

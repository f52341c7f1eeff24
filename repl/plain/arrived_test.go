package plain

import (
	"context"
	"strings"
	"testing"

	"almanac/catalog/team"
	"almanac/repl/event"
	"almanac/session"
)

// What arrives while the model's words come waits for the end of their line.
func TestArrivedBetweenLines(t *testing.T) {
	var out strings.Builder
	p := &plain{out: &out, running: true}
	spoke := func(text string) event.Event {
		return event.Event{Kind: event.Spoke, Author: session.Model, Text: text}
	}
	item := team.Item{ID: "7", Kind: team.Message, From: "ann", To: "bo", Text: "hi"}
	arrived := event.Event{Kind: event.Arrived, Item: &item}
	for _, e := range []event.Event{
		spoke("two of th"), arrived, spoke("em \xc3"), spoke("\xa4re\nopen"), arrived,
		{Kind: event.Said, Text: "said"}, arrived,
	} {
		p.show(context.Background(), func() {}, []event.Event{e})
	}
	want := "two of them äre\nopen\n┊ ann writes: hi\n┊ ann writes: hi\nsaid\n┊ ann writes: hi\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

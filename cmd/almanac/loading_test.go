package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/source"
)

// A long wait says how far the sources are, in few lines; nothing where a program reads the output, or where no share
// is known.
func TestWaitSaysHowFar(t *testing.T) {
	for _, test := range []struct {
		output  string
		percent int
		want    string
	}{
		{"text", 43, "reading big.jsonl: 43 %\n"}, {"table", 43, "reading big.jsonl: 43 %\n"},
		{"text", 0, ""}, {"json", 43, ""}, {"lua", 43, ""},
	} {
		told, enough := make(chan struct{}), make(chan struct{})
		loader, err := source.Start(t.Context(), []source.Source{{
			Name: "x=dir/big.jsonl",
			Load: func(_ context.Context, progress func(source.Reading)) (catalog.Batch, error) {
				progress(source.Reading{Found: 4, Percent: test.percent})
				close(told)
				<-enough
				return catalog.Batch{}, nil
			},
		}}, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		cli := &commandLine{stderr: writerFunc(func(text []byte) (int, error) {
			if b.Len() == 0 {
				defer close(enough)
			}
			return b.Write(text)
		}), Output: test.output}
		<-told
		if test.want == "" {
			time.AfterFunc(20*time.Millisecond, func() { close(enough) })
		}
		if err := (&catalogUpdater{loader: loader}).wait(t.Context(), cli, time.Millisecond); err != nil {
			t.Error(err)
		}
		// Before the first line is out, the wait may have become long again.
		if got := b.String(); strings.ReplaceAll(got, test.want, "") != "" || (got == "") != (test.want == "") {
			t.Errorf("%s, %d %%: %q, want %q", test.output, test.percent, got, test.want)
		}
		loader.Close()
	}
}

// A source of which nothing can be called any more is news once, and so is its return.
func TestLostSource(t *testing.T) {
	var down error
	loader, err := source.Start(t.Context(), []source.Source{{
		Name: "nats:office", Health: func() error { return down },
		Load: func(context.Context, func(source.Reading)) (catalog.Batch, error) {
			return catalog.Batch{Entries: []catalog.Entry{{ID: "office.open"}}, Found: 1}, nil
		},
	}}, source.Options{})
	if err == nil {
		err = loader.Wait(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer loader.Close()
	f := &catalogUpdater{loader: loader, told: map[string]statusKey{}}
	var told []string
	lost := errors.New("host office: no host answers")
	for _, down = range []error{nil, nil, lost, lost, nil, nil} {
		for _, s := range f.news() {
			s.Took = 0
			told = append(told, s.Line())
		}
	}
	const there = "nats:office: 1 action (<1 ms)"
	if want := []string{there, there + "; unavailable: host office: no host answers", there}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

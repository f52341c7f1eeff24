package main

import (
	"context"
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

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

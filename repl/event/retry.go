package event

// This file is the wait before a model's server is asked again: a countdown while it lasts, and a line when it is over.

import (
	"errors"
	"fmt"
	"time"

	"almanac/catalog/text"
	"almanac/llm"
)

// A retry is the last one of the completion that is made now; zero where there was none.
type retry struct {
	llm.Retry
	fault string
	until time.Time
}

// longestFault is how many characters of a fault a countdown has room for.
const longestFault = 60

func (r retry) waiting() bool { return time.Now().Before(r.until) }

// String is what a countdown shows now.
func (r retry) String() string {
	if left := time.Until(r.until); left > 0 {
		return fmt.Sprintf("%s; retrying in %d s (%d/%d)", r.fault, (left+time.Second-1)/time.Second, r.N, r.Of)
	}
	return fmt.Sprintf("%s; retrying (%d/%d)", r.fault, r.N, r.Of)
}

// beginRetry starts a countdown and returns what it shows at first.
func (f *Feed) beginRetry(e llm.Event) string {
	r := retry{Retry: e.Retry, fault: e.Err.Error(), until: time.Now().Add(e.Retry.Wait)}
	if known := new(llm.Error); errors.As(e.Err, &known) {
		r.fault = known.Brief()
	}
	r.fault = text.LineRunes(text.SanitizeLine(r.fault), longestFault)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.retry = r
	return r.String()
}

// endRetry tells what became of the retry, in one line. A last one that failed too is told by the error.
func (f *Feed) endRetry(how string) {
	f.mu.Lock()
	r, cell := f.retry, f.cell.N
	f.retry = retry{}
	f.mu.Unlock()
	if r.N == 0 || how == stoppedBefore && !r.waiting() {
		return
	}
	told := fmt.Sprintf("%s; %s retry %d of %d", r.fault, how, r.N, r.Of)
	f.Emit(Event{Kind: Said, Cell: cell, Level: Notice, Text: told})
}

// What becomes of a retry.
const (
	answeredAt    = "answered at"
	stoppedBefore = "stopped before"
)

// Retrying returns what to show while the model's server is to be asked again; ok is false where it is not.
func (f *Feed) Retrying() (text string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.retry.String(), f.retry.N > 0
}

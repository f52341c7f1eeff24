package source

import (
	"context"
	"os"
	"time"
)

// pollInterval is how often a file is checked for changes.
const pollInterval = time.Second

// WatchFile returns what is to be a Source's Watch: it calls changed when the file has another size or time than it had
// when WatchFile was called, so that nothing is missed between the reading and the watching, and again at each change.
// It looks every so often; zero means every second.
func WatchFile(file string, every time.Duration) func(ctx context.Context, changed func()) {
	if every == 0 {
		every = pollInterval
	}
	type look struct {
		size int64
		when time.Time
	}
	at := func() look {
		stat, err := os.Stat(file)
		if err != nil {
			return look{}
		}
		return look{stat.Size(), stat.ModTime()}
	}
	first := at()
	return func(ctx context.Context, changed func()) {
		before := first
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(every):
			}
			if now := at(); now != before {
				before = now
				changed()
			}
		}
	}
}

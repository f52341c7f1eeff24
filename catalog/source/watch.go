package source

import (
	"context"
	"os"
	"time"
)

// lookEvery is how often a file is looked at.
const lookEvery = time.Second

// WatchFile calls changed when the file has another size or time than before, until ctx is done. It looks every so
// often; zero means every second. It is made to be a Source's Watch.
func WatchFile(ctx context.Context, file string, every time.Duration, changed func()) {
	if every == 0 {
		every = lookEvery
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
	before := at()
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

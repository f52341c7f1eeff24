package kernel

import (
	"sync"
	"time"

	"almanac/session/vm"
)

const (
	// batchSize is how much printed text goes into one frame.
	batchSize = 32 << 10
	// batchDelay is how long printed text may wait for more, so that little is lost when a script is killed.
	batchDelay = 30 * time.Millisecond
)

// A part is printed text for one stream.
type part struct {
	stream vm.Stream
	text   []byte
}

// An output collects printed text into frames. The first text after a pause is sent at once, more within batchDelay is
// sent together. It may be used concurrently, as the timer and the machine do.
type output struct {
	send func(frame []byte)

	mu    sync.Mutex
	parts []part
	size  int
	last  time.Time // of the last frame
	timer *time.Timer
	frame []byte
}

func newOutput(send func(frame []byte)) *output {
	o := &output{send: send}
	o.timer = time.AfterFunc(time.Hour, o.flush)
	o.timer.Stop()
	return o
}

// write takes printed text of any size.
func (o *output) write(s vm.Stream, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(text) > 0 {
		n := min(len(text), batchSize-o.size)
		o.add(s, text[:n])
		if text = text[n:]; o.size == batchSize {
			o.flushLocked()
		}
	}
	switch {
	case o.size == 0:
	case time.Since(o.last) >= batchDelay:
		o.flushLocked()
	default:
		o.timer.Reset(batchDelay - time.Since(o.last))
	}
}

func (o *output) add(s vm.Stream, text string) {
	if n := len(o.parts); n == 0 || o.parts[n-1].stream != s {
		o.parts = append(o.parts, part{stream: s})
	}
	p := &o.parts[len(o.parts)-1]
	p.text = append(p.text, text...)
	o.size += len(text)
}

// flush sends what is waiting.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushLocked()
}

func (o *output) flushLocked() {
	if o.size == 0 {
		return
	}
	o.timer.Stop()
	// The batch is far below any limit of a frame.
	if frame, err := writeFrame(o.frame, o.parts); err == nil {
		o.frame = frame
		o.send(frame)
	}
	o.parts, o.size, o.last = o.parts[:0], 0, time.Now()
}

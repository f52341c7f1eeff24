package kernel

import (
	"sync"
	"time"
)

const (
	// interruptGrace is how long a run may take to notice an interrupt.
	interruptGrace = 500 * time.Millisecond
	// timeGrace is how much later than the machine the parent stops a run that is out of time. Under load the child may
	// begin, and be heard, late.
	timeGrace = time.Second
)

// A watch ends a kernel whose machine cannot be stopped from inside. It counts Lua time only: it is paused while the
// parent works for the script, and resume is told whether that was the script's own time. It may be used concurrently.
//
// Pausing and resuming happen at every call of an action and do not touch the timer, which would cost more than the
// rest of the call: a timer that fires too early sees how much is left and restarts.
type watch struct {
	end func(interrupted bool)

	mu          sync.Mutex
	timer       *time.Timer
	armed       bool
	left        time.Duration // at since, or for good while paused
	since       time.Time
	paused      bool
	interrupted bool
	stopped     bool
}

// newWatch starts a watch: end is called, in a goroutine of its own, when the limit and its grace are used up.
func newWatch(limit time.Duration, end func(interrupted bool)) *watch {
	w := &watch{end: end, left: limit + timeGrace, since: time.Now(), armed: true}
	w.timer = time.AfterFunc(w.left, w.fire)
	return w
}

func (w *watch) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = false
	if w.stopped || w.paused {
		return
	}
	if w.count(); w.left > 0 {
		w.arm()
		return
	}
	w.stopped = true
	w.end(w.interrupted)
}

// count subtracts the time since the last count from what is left.
func (w *watch) count() {
	now := time.Now()
	w.left -= now.Sub(w.since)
	w.since = now
}

func (w *watch) arm() {
	w.armed = true
	w.timer.Reset(max(w.left, 0))
}

func (w *watch) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count()
	w.paused = true
}

// resume ends a pause; the time of the pause counts where it is the script's own.
func (w *watch) resume(own bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if own {
		w.count()
	}
	w.paused, w.since = false, time.Now()
	if !w.armed && !w.stopped {
		w.arm()
	}
}

// interrupt leaves the run its grace and no more.
func (w *watch) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped || w.interrupted {
		return
	}
	w.interrupted = true
	if !w.paused {
		w.count()
	}
	w.since = time.Now()
	w.left = min(w.left, interruptGrace)
	// A timer that is set for later would come too late.
	if w.timer.Stop(); w.paused {
		w.armed = false
	} else {
		w.arm()
	}
}

// stop ends the watch.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}

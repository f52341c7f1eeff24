package kernel

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"almanac/session/vm"
)

// printed collects what an output sends: one text for each frame.
func printed(t *testing.T) (*output, *[]string) {
	c := testCodec(t)
	frames := new([]string)
	return newOutput(func(frame []byte) {
		_, payload, err := newFrameReader(bytes.NewReader(frame)).next()
		if err != nil {
			t.Fatal(err)
		}
		var parts []written
		if err := c.decode(payload, &parts); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, p := range parts {
			text.WriteString(string(p.Stream) + ":" + p.Text + ";")
		}
		*frames = append(*frames, text.String())
	}), frames
}

func TestOutputBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, frames := printed(t)
		check := func(want ...string) {
			t.Helper()
			synctest.Wait()
			o.mu.Lock()
			defer o.mu.Unlock()
			if got := strings.Join(*frames, "|"); got != strings.Join(want, "|") {
				t.Errorf("frames %q, want %q", got, want)
			}
			*frames = nil
		}
		o.write(vm.Stdout, "a")
		check("stdout:a;") // the first at once
		o.write(vm.Stdout, "b")
		o.write(vm.Stdout, "c")
		o.write(vm.Stderr, "d")
		o.write(vm.Stdout, "e")
		check()
		time.Sleep(batchDelay)
		check("stdout:bc;stderr:d;stdout:e;") // the rest by itself
		o.write(vm.Stdout, "f")
		o.flush()
		check("stdout:f;")
		time.Sleep(time.Second)
		o.flush()
		check()
		o.write(vm.Stdout, "")
		check()
		o.write(vm.Stdout, strings.Repeat("x", 3*batchSize/2))
		check("stdout:" + strings.Repeat("x", batchSize) + ";")
		time.Sleep(batchDelay)
		check("stdout:" + strings.Repeat("x", batchSize/2) + ";")
	})
}

func TestWatch(t *testing.T) {
	const limit = time.Second
	tests := []struct {
		name        string
		do          func(w *watch)
		after       time.Duration // until it ends the kernel; zero for never
		interrupted bool
	}{
		{"nothing happens", func(*watch) {}, limit + timeGrace, false},
		{"stopped", func(w *watch) { time.Sleep(limit); w.stop() }, 0, false},
		{"host calls do not count", func(w *watch) {
			for range 10 {
				time.Sleep(100 * time.Millisecond)
				w.pause()
				time.Sleep(time.Second)
				w.resume(false)
			}
		}, 10*time.Second + limit + timeGrace, false},
		{"the script's own time in the host counts", func(w *watch) {
			for range 4 {
				w.pause()
				time.Sleep(limit / 2)
				w.resume(true)
			}
		}, limit + timeGrace, false},
		{"interrupted in its own time", func(w *watch) {
			w.pause()
			time.Sleep(limit)
			w.interrupt()
			time.Sleep(interruptGrace / 2)
			w.resume(true)
		}, limit + interruptGrace, true},
		{"never while paused", func(w *watch) { w.pause() }, 0, false},
		{"interrupted", func(w *watch) { time.Sleep(time.Millisecond); w.interrupt() },
			time.Millisecond + interruptGrace, true},
		{"interrupted again", func(w *watch) {
			w.interrupt()
			time.Sleep(100 * time.Millisecond)
			w.interrupt()
		}, interruptGrace, true},
		{"interrupted near the end", func(w *watch) {
			time.Sleep(limit + timeGrace - time.Millisecond)
			w.interrupt()
		}, limit + timeGrace, true},
		{"interrupted in a host call", func(w *watch) {
			w.pause()
			w.interrupt()
			time.Sleep(5 * time.Second)
			w.resume(false)
		}, 5*time.Second + interruptGrace, true},
		{"stopped, then interrupted", func(w *watch) { w.stop(); w.interrupt() }, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var after time.Duration
				var interrupted bool
				w := newWatch(limit, func(i bool) { after, interrupted = time.Since(begun), i })
				test.do(w)
				time.Sleep(time.Hour)
				synctest.Wait()
				if after != test.after || interrupted != test.interrupted {
					t.Errorf("ended after %v, interrupted %v; want %v, %v", after, interrupted, test.after, test.interrupted)
				}
				w.stop()
			})
		})
	}
}

package repl

import (
	"testing"
	"time"

	"almanac/session"
	"almanac/session/vm"
)

// What /time tells leaves out the time in which the person was asked.
func TestTimeText(t *testing.T) {
	o := &session.Outcome{Elapsed: 3 * time.Second, LuaTime: 400 * time.Microsecond, Allocated: 3 << 20}
	if got, want := timeText(o, 1, 2*time.Second),
		"time: 1.0 s · 400.0 µs in Lua · 0 calls · 3.0 MiB of memory"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := timeText(o, 10, 2900*time.Millisecond),
		"time: 100.0 ms for 10 times · 10.0 ms each · 400.0 µs in Lua · 0 calls · 3.0 MiB of memory"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	o.Err = &vm.Error{Message: "no"}
	if got, want := timeText(o, 10, 0), "time: 3.0 s · 400.0 µs in Lua · 0 calls · 3.0 MiB of memory"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

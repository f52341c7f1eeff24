package bus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sys/unix"
)

// tmpfs is a folder with so much room; the test is skipped where nothing may be mounted.
func tmpfs(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("almanac", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("NOT RUN: a full disk, because no tmpfs can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// A disk that is full loses nothing that was acknowledged. All who share the bus are told, also whoever comes then, and
// go on when there is room.
func TestFullDisk(t *testing.T) {
	disk := tmpfs(t, "12m")
	dir := filepath.Join(disk, "bus")
	var mu sync.Mutex
	var told []string
	open := func(name string) *Bus {
		b, err := Open(t.Context(), Options{Dir: dir, State: func(s State) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprintf("%s: %t %s", name, s.Connected, strings.ReplaceAll(s.Text, dir, "DIR")))
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		return b
	}
	all := []*Bus{open("first"), open("second")}
	log := jetstream.StreamConfig{Name: "log", Subjects: []string{"log"}, MaxBytes: 64 << 20}
	if _, err := all[0].stream.CreateStream(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	var acked []string
	publish := func(b *Bus) error {
		text := fmt.Sprintf("%d %s", len(acked), strings.Repeat("x", 50_000))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := b.stream.Publish(ctx, "log", []byte(text), jetstream.WithMsgID(text[:10]))
		if err == nil {
			acked = append(acked, text)
		}
		return err
	}
	fill := filepath.Join(disk, "fill")
	for round := range 2 {
		if err := os.WriteFile(fill, make([]byte, (8-2*round)<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		for n := 0; all[0].room() == nil || all[1].room() == nil; n++ {
			if _ = publish(all[n%2]); n > 1000 { // it fails in the end
				t.Fatal("it takes everything, or does not say why not")
			}
		}
		if err := publish(all[0]); !errors.Is(all[0].Plain(err), unix.ENOSPC) || !errors.Is(all[0].Plain(err), ErrLost) {
			t.Errorf("%v: %v", err, all[0].Plain(err))
		}
		_, err := Open(t.Context(), Options{Dir: dir})
		want := "team bus in " + dir + ": nothing can be kept in " + dir +
			": no space left on device: it goes on when there is room"
		if err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
		time.Sleep(2 * moment)
		if err := os.Remove(fill); err != nil {
			t.Fatal(err)
		}
		for _, b := range all {
			for end := time.Now().Add(20 * time.Second); publish(b) != nil; {
				if time.Now().After(end) {
					t.Fatal("it does not go on")
				}
			}
		}
	}
	stream, err := all[1].stream.Stream(t.Context(), "log")
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for seq := uint64(1); seq <= stream.CachedInfo().State.LastSeq; seq++ {
		m, err := stream.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(seq, err)
		}
		kept = append(kept, string(m.Data))
	}
	if !slices.Equal(acked, kept) {
		t.Errorf("%d acknowledged, %d kept, and they are not the same", len(acked), len(kept))
	}
	mu.Lock()
	defer mu.Unlock()
	count := map[string]int{}
	for _, line := range told {
		count[line]++
	}
	want := map[string]int{}
	for _, name := range []string{"first", "second"} {
		want[name+": false team bus: nothing can be kept in DIR: no space left on device: it goes on when there is room; "+
			"what was acknowledged is kept there"] = 2
		want[name+": true team bus: connected again"] = 2
	}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

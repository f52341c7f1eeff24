package bus

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// childDir names, in the environment of a process of the tests, the folder of the bus that it publishes on.
const childDir = "ALMANAC_TEST_BUS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := publish(dir, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// publish publishes for ever, and prints each message after the server has acknowledged it.
func publish(dir string, out io.Writer) error {
	b, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		return err
	}
	log := jetstream.StreamConfig{Name: "log", Subjects: []string{"log"}}
	if _, err := b.stream.CreateOrUpdateStream(context.Background(), log); err != nil {
		return err
	}
	for n := 0; ; n++ {
		text := fmt.Sprintf("%d.%d", os.Getpid(), n)
		for {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_, err := b.stream.Publish(ctx, "log", []byte(text), jetstream.WithMsgID(text))
			cancel()
			if err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		fmt.Fprintln(out, text)
	}
}

// A child is a process that publishes.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	acked []string
}

func startChild(t *testing.T, dir string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have been killed
	return &child{cmd: cmd, lines: bufio.NewScanner(out)}
}

// more waits until n more messages have been acknowledged.
func (c *child) more(t *testing.T, n int) {
	t.Helper()
	for range n {
		if !c.lines.Scan() {
			t.Fatalf("the process ended: %v", c.lines.Err())
		}
		c.acked = append(c.acked, c.lines.Text())
	}
}

// kill ends the process with SIGKILL and takes what it has acknowledged until then.
func (c *child) kill(t *testing.T) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for c.lines.Scan() {
		c.acked = append(c.acked, c.lines.Text())
	}
	_ = c.cmd.Wait() // it was killed
}

// Whoever runs the server is killed, again and again: the next goes on, and what was acknowledged is there, once.
func TestTakeover(t *testing.T) {
	dir := t.TempDir()
	children := []*child{startChild(t, dir)}
	children[0].more(t, 20) // it runs the server
	for range 2 {
		children = append(children, startChild(t, dir))
	}
	for i, c := range children {
		for _, other := range children[i:] {
			other.more(t, 20)
		}
		c.kill(t)
	}
	b, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	kept := map[string]int{}
	stream, err := b.stream.Stream(t.Context(), "log")
	if err != nil {
		t.Fatal(err)
	}
	all, err := stream.OrderedConsumer(t.Context(), jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := all.Fetch(int(stream.CachedInfo().State.Msgs))
	if err != nil {
		t.Fatal(err)
	}
	for m := range got.Messages() {
		kept[string(m.Data())]++
	}
	for _, c := range children {
		if len(c.acked) < 20 {
			t.Errorf("%d acknowledged", len(c.acked))
		}
		for _, text := range c.acked {
			if kept[text] != 1 {
				t.Errorf("%s is there %d times", text, kept[text])
			}
		}
	}
}

// Programs that start at once share one server, also where the path is too long for a socket, and where one that was
// killed has left its socket.
func TestTogether(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the path of a socket has no other place there")
	}
	stale := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(stale, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	long := filepath.Join(t.TempDir(), strings.Repeat("long/", 40))
	for _, dir := range []string{t.TempDir(), stale, long} {
		var opened [4]*Bus
		var starting sync.WaitGroup
		for i := range opened {
			starting.Go(func() {
				var err error
				if opened[i], err = Open(t.Context(), Options{Dir: dir}); err != nil {
					t.Error(err)
				}
			})
		}
		starting.Wait()
		if t.Failed() {
			return
		}
		sub, err := opened[0].conn.SubscribeSync("hello")
		if err != nil {
			t.Fatal(err)
		}
		if err := opened[0].conn.Flush(); err != nil {
			t.Fatal(err)
		}
		holders := 0
		for _, b := range opened {
			if err := b.conn.Publish("hello", nil); err != nil {
				t.Error(err)
			}
			if _, err := sub.NextMsg(10 * time.Second); err != nil {
				t.Error(err)
			}
			if b.shared.server != nil {
				holders++
			}
			if info, err := os.Stat(b.shared.socket); err != nil || info.Mode().Perm() != 0o600 {
				t.Error(info, err)
			}
			if info, err := os.Stat(filepath.Dir(b.shared.socket)); err != nil || info.Mode().Perm() != 0o700 {
				t.Error(info, err)
			}
		}
		if holders != 1 {
			t.Errorf("%d servers", holders)
		}
		for _, b := range opened {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := os.Stat(opened[0].shared.socket); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the socket is still there: %v", err)
		}
	}
}

// A folder that cannot be used is said.
func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "jetstream"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		filepath.Join(file, "bus"): "team bus: mkdir FILE: not a directory: its data needs a folder that can be written to",
		folder: "team bus in FOLDER: storage directory is not a directory: " +
			"its data is kept there: free or allow the room, or name another folder",
	} {
		_, err := Open(t.Context(), Options{Dir: dir})
		got := strings.NewReplacer(file, "FILE", folder, "FOLDER").Replace(fmt.Sprint(err))
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// BenchmarkOpen is what joining the shared bus costs: a new one, one of last time, and one that another program runs.
func BenchmarkOpen(b *testing.B) {
	open := func(b *testing.B, dir string) *Bus {
		got, err := Open(b.Context(), Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		return got
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			got := open(b, b.TempDir())
			b.StopTimer()
			got.Close()
			b.StartTimer()
		}
	})
	dir := b.TempDir()
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			got := open(b, dir)
			b.StopTimer()
			got.Close()
			b.StartTimer()
		}
	})
	b.Run("other", func(b *testing.B) {
		holder := open(b, dir)
		defer holder.Close()
		for b.Loop() {
			got := open(b, dir)
			b.StopTimer()
			got.Close()
			b.StartTimer()
		}
	})
}

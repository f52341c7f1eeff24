package demo

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/internal/golden"
)

// openEnv makes the test binary a second process that opens the back office at the path in it and says ok.
const openEnv = "DEMO_TEST_OPEN"

func TestMain(m *testing.M) {
	if path := os.Getenv(openEnv); path != "" {
		o, err := open(context.Background(), path, smallSize())
		if err == nil {
			err = o.Close()
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("ok")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// smallSize is enough where the contents do not matter.
func smallSize() sizes {
	return sizes{users: 24, accounts: 20, customers: 30, leads: 10, products: 20, orders: 60, services: 40, tickets: 40}
}

func opener(path string) *osexec.Cmd {
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), openEnv+"="+path)
	return cmd
}

// TestSameEverywhere compares the contents with those of another day and machine. If the generator was changed, raise
// schemaVersion and run with -update.
func TestSameEverywhere(t *testing.T) {
	t.Parallel()
	got := fmt.Sprintf("%x\n", sha256.Sum256([]byte(dump(t, newOffice(t)))))
	golden.Equal(t, "testdata/contents.sha256", got)
}

func TestSameEveryTime(t *testing.T) {
	t.Parallel()
	var dumps []string
	for range 2 {
		o, err := open(t.Context(), filepath.Join(t.TempDir(), "office.db"), smallSize())
		if err != nil {
			t.Fatal(err)
		}
		dumps = append(dumps, dump(t, o))
		checkBooks(t, o)
		if n := number(t, o, `SELECT count(*) FROM pragma_foreign_key_check`); n != 0 {
			t.Errorf("%d rows name others that do not exist", n)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if dumps[0] != dumps[1] {
		t.Error("two back offices differ")
	}
}

func TestOpenAgainKeepsChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "office ?#%.db") // no character of a path is an option
	for i := range 2 {
		if i == 0 {
			data, err := pristine()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if n := number(t, o, `SELECT count(*) FROM audit`); n != int64(i) {
			t.Errorf("open %d: %d audit rows", i, n)
		}
		mustCall(t, o, "crm.customer.add_note", map[string]any{"customer_id": "cus_0001", "body": "hello"})
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if mode := mustHead(t, path)[18]; mode != 2 {
		t.Errorf("journal mode in the header is %d, want 2 for a write-ahead log", mode)
	}
}

func mustHead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data[:100]
}

func TestForeignFilesAreRefusedUntouched(t *testing.T) {
	t.Parallel()
	data, err := pristine()
	if err != nil {
		t.Fatal(err)
	}
	newer := append([]byte(nil), data...)
	binary.BigEndian.PutUint32(newer[60:], schemaVersion+1)
	scrambled := append([]byte(nil), data...)
	for i := 4096; i < len(scrambled); i++ {
		scrambled[i] = 0xaa
	}
	otherPath := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", dsn(otherPath, ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE mine (x)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(otherPath)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"text", "some other file", []byte("dear diary\n")},
		{"long text", "some other file", []byte(strings.Repeat("dear diary\n", 1000))},
		{"database", "a database of another program", other},
		{"newer", "made by another version (tables 2, this program has 1)", newer},
		{"cut short", "cut short", data[:len(data)/2]},
		{"cut to a header's part", "cut short", data[:40]},
		{"scrambled", "malformed (11) (move it away and a new one is made)", scrambled},
		{"cut to nothing", "empty: what was in it is lost", nil},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "office.db")
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), path)
		var refused *fileError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || refused.Path != path {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
		after, err := os.ReadFile(path)
		if err != nil || string(after) != string(c.data) {
			t.Errorf("%s: the file was touched", c.name)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%s: left behind %v, %v", c.name, left, err)
		}
	}
	if _, err := Open(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("folder: %v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "none", "office.db")); err == nil {
		t.Error("a folder that does not exist was no error")
	}
}

func TestProcessesOpenTheSameNewFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "office.db")
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if out, err := opener(path).CombinedOutput(); err != nil || string(out) != "ok\n" {
				t.Errorf("process: %v: %s", err, out)
			}
		})
		wg.Go(func() {
			o, err := open(t.Context(), path, smallSize())
			if err != nil {
				t.Error(err)
				return
			}
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range left {
		// Two that close at once may both leave SQLite's log to the next.
		if name := file.Name(); name != "office.db" && name != "office.db-wal" && name != "office.db-shm" {
			t.Errorf("left behind: %s", name)
		}
	}
	o, err := open(t.Context(), path, smallSize())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	checkBooks(t, o)
}

// TestKilledStart kills a process while it makes the file.
func TestKilledStart(t *testing.T) {
	path := ""
	for path == "" {
		path = killWhileMaking(t, filepath.Join(t.TempDir(), "office.db"))
	}
	// Whatever the moment of the kill was, a torn file and the log of a lost one must not matter either.
	for name, text := range map[string]string{path + ".part": "SQLite format 3\x00 torn", path + "-wal": "stale"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o, err := open(t.Context(), path, smallSize())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	checkBooks(t, o)
	if _, err := os.Stat(path + ".part"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the half-made file is still there: %v", err)
	}
}

// killWhileMaking answers with the path, or with nothing when the process was quicker.
func killWhileMaking(t *testing.T, path string) string {
	t.Helper()
	cmd := opener(path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	there := func(name string) bool {
		_, err := os.Stat(name)
		return err == nil
	}
	for !there(path+".part") && !there(path) {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if there(path) {
		return ""
	}
	return path
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	part := filepath.Join(dir, "office.db.part")
	watched := make(chan struct{})
	go func() { // cancels once the file is being made
		defer close(watched)
		for ctx.Err() == nil {
			if _, err := os.Stat(part); err == nil {
				cancel()
			}
		}
	}()
	_, err := Open(ctx, filepath.Join(dir, "office.db"))
	cancel()
	<-watched
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	left, err := filepath.Glob(filepath.Join(dir, "office.db*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 1 || !strings.HasSuffix(left[0], ".lock") {
		t.Errorf("left behind: %s", left)
	}
}

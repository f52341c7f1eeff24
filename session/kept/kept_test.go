package kept

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func store(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func put(t *testing.T, s *Store, data []byte) string {
	t.Helper()
	digest, err := s.Put(data)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

func taken(t *testing.T, s *Store, digests []string) int64 {
	t.Helper()
	n, err := s.Taken(digests)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// noise is data that does not compress.
func noise(seed uint64, n int) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

func TestPutAndGet(t *testing.T) {
	for _, path := range []string{"", filepath.Join(t.TempDir(), "a.kept")} {
		s := store(t, path)
		for _, n := range []int{0, 1, minPart - 1, minPart, minPart + 1, maxPart, maxPart + 1, 1 << 20} {
			for name, data := range map[string][]byte{"noise": noise(uint64(n), n), "zeros": make([]byte, n)} {
				digest := put(t, s, data)
				back, err := s.Get(digest)
				if err != nil || !bytes.Equal(back, data) {
					t.Errorf("%q: %d bytes of %s came back as %d, %v", path, n, name, len(back), err)
				}
			}
		}
		if _, err := s.Get(strings.Repeat("00", 32)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: a value that was never put: %v", path, err)
		}
		if _, err := s.Put(make([]byte, MaxValue+1)); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
			t.Errorf("%q: a value over the limit: %v", path, err)
		}
	}
}

// TestShared shows that a state with a small change takes little room beside the one before it.
func TestShared(t *testing.T) {
	s := store(t, "")
	data := noise(1, 4<<20)
	digests := []string{put(t, s, data)}
	size := func() int64 { return taken(t, s, digests) }
	first := size()
	if digests = append(digests, put(t, s, data)); size() != first {
		t.Errorf("the same value again: %d bytes, before %d", size(), first)
	}
	for i := range 20 {
		at := 200_000 * (i + 1)
		data = append(data[:at:at], append([]byte(fmt.Sprint("new ", i)), data[at+i:]...)...)
		digests = append(digests, put(t, s, data))
	}
	if more := size() - first; more > 2*20*(maxPart+pageSize) {
		t.Errorf("20 small changes took %d bytes", more)
	}
}

func TestForget(t *testing.T) {
	s := store(t, "")
	whole := noise(1, 1<<20)
	a, b := put(t, s, whole), put(t, s, whole[:len(whole)/2])
	put(t, s, whole)
	for i, want := range []error{nil, fs.ErrNotExist} {
		if err := s.Forget(a); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(a); !errors.Is(err, want) {
			t.Errorf("forgotten %d times of 2: %v", i+1, err)
		}
	}
	if back, err := s.Get(b); err != nil || len(back) != len(whole)/2 {
		t.Errorf("the other value: %d bytes, %v", len(back), err)
	}
	if n := taken(t, s, []string{a, b}); n > 600<<10 {
		t.Errorf("%d bytes after half was forgotten", n)
	}
	if err := errors.Join(s.Forget(a), s.Forget(b)); err != nil {
		t.Error(err)
	}
	var left int
	err := s.db.QueryRow(`SELECT (SELECT count(*) FROM part) + (SELECT count(*) FROM value)`).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d rows left, %v", left, err)
	}
}

// TestCopy takes values over into a store that has some of their parts.
func TestCopy(t *testing.T) {
	from, to := store(t, ""), store(t, filepath.Join(t.TempDir(), "a.kept"))
	whole := noise(1, 1<<20)
	a, b, c := put(t, from, whole), put(t, from, whole[:len(whole)/2]), put(t, from, nil)
	put(t, to, whole[len(whole)/2:])
	put(t, to, nil)
	none := strings.Repeat("00", 32)
	if err := to.Copy(from, []string{a, b, c, none, a}); err != nil {
		t.Fatal(err)
	}
	for _, digest := range []string{a, b, c} {
		want, err := from.Get(digest)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := to.Get(digest); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes came as %d, %v", len(want), len(got), err)
		}
	}
	if n := taken(t, to, []string{a, b, c, none}); n > 1100<<10 {
		t.Errorf("they take %d bytes", n)
	}
	if err := errors.Join(to.Forget(a), to.Forget(a), to.Forget(c), to.Forget(c)); err != nil {
		t.Fatal(err)
	}
	for digest, want := range map[string]error{a: fs.ErrNotExist, b: nil, c: fs.ErrNotExist} {
		if _, err := to.Get(digest); !errors.Is(err, want) {
			t.Errorf("after they were forgotten: %v, want %v", err, want)
		}
	}
}

// TestKilled reads the files of a store that was never closed, and one while it is written.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.kept")
	s := store(t, path)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file before the first write: %v", err)
	}
	digest := put(t, s, noise(1, 1<<20))
	if err := s.Write("ring", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := s.Write("ring", []byte("2")); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(path + "*")
	after := filepath.Join(t.TempDir(), "a.kept")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(after+strings.TrimPrefix(name, path), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{path, after} {
		other := store(t, path)
		back, err := other.Get(digest)
		if err != nil || !bytes.Equal(back, noise(1, 1<<20)) {
			t.Errorf("%d bytes, %v", len(back), err)
		}
		if ring, err := other.Read("ring"); string(ring) != "2" {
			t.Errorf("record %q, %v", ring, err)
		}
		if _, err := other.Put(nil); err == nil || !strings.Contains(err.Error(), "belongs to another session") {
			t.Errorf("writing to another session's: %v", err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
		t.Errorf("after Close: %v", names)
	}
	if _, err := s.Put(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestDamaged lists what may lie where a store is expected.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.kept")
	s := store(t, good)
	value := noise(1, 1<<20)
	digest := put(t, s, value)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	with := func(at int, b ...byte) []byte {
		data := bytes.Clone(whole)
		copy(data[at:], b)
		return data
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"empty":         {nil, "empty: what was in it is lost"},
		"text":          {[]byte(strings.Repeat("hello ", 100)), "not a session store"},
		"short":         {whole[:99], "not a session store"},
		"other program": {with(68, 1), "not a session store"},
		"other version": {with(63, 9), "version 9, want version 1"},
		"cut":           {whole[:len(whole)/2], "damaged"},
		"first page":    {whole[:pageSize], "damaged"},
		"a byte":        {with(bytes.Index(whole, value[100_000:100_020]), 0, 0, 0, 0), "damaged"},
		"zeros":         {with(pageSize, make([]byte, 20*pageSize)...), "damaged"},
		"noise":         {with(pageSize, noise(2, len(whole)-pageSize)...), "damaged"},
	} {
		path := filepath.Join(dir, name+".kept")
		if err := os.WriteFile(path, test.data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if err == nil {
			_, err = s.Get(digest)
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "a folder, not a file") {
		t.Errorf("a folder: %v", err)
	}
	if err := os.Truncate(good, 2*MaxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(good); err == nil || !strings.Contains(err.Error(), "larger than 1024 MiB") {
		t.Errorf("a sparse file: %v", err)
	}
	lone := store(t, filepath.Join(dir, "lone.kept"))
	if err := os.WriteFile(filepath.Join(dir, "lone.kept-wal"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := lone.Put(nil); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a log of changes without its store: %v", err)
	}
}

// FuzzParts shows that parts join to what was cut, and that none is over the limit.
func FuzzParts(f *testing.F) {
	f.Add([]byte("abc"), 1)
	f.Add([]byte{0}, 100_000)
	f.Fuzz(func(t *testing.T, data []byte, times int) {
		if len(data) > 0 {
			data = bytes.Repeat(data, max(1, min(times, 1<<20/len(data))))
		}
		var joined []byte
		for part := range parts(data) {
			if len(part) == 0 || len(part) > maxPart || len(part) < minPart && len(joined)+len(part) < len(data) {
				t.Fatalf("a part of %d bytes at %d of %d", len(part), len(joined), len(data))
			}
			joined = append(joined, part...)
		}
		if !bytes.Equal(joined, data) {
			t.Fatalf("%d bytes became %d", len(data), len(joined))
		}
	})
}

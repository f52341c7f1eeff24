package source

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A cache is a folder of built catalogs, each in a file that is named by its key. A file is written beside its place
// and moved there, so that any number of processes see a whole one or none, and two that write the same one do no harm.
type cache struct {
	dir string
	// ended is closed when nothing is to be written any more; nil never is.
	ended <-chan struct{}
}

const (
	cacheEnding = ".catalog"
	cacheTemp   = ".new-"
	// maxCache is about how much a cache holds, in bytes; beyond that the files that were not used for longest go.
	maxCache = 1 << 30
	// tempAge is from what age on a file that was begun is not written to any more.
	tempAge = time.Hour
)

func (c cache) file(key string) string { return filepath.Join(c.dir, key+cacheEnding) }

// has reports whether there is a file of a key.
func (c cache) has(key string) bool {
	_, err := os.Stat(c.file(key))
	return err == nil
}

// read returns the file of a key, or nil where there is none. It counts as used.
func (c cache) read(key string) ([]byte, error) {
	b, err := os.ReadFile(c.file(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		now := time.Now()
		// A folder that is read-only keeps its times: then files go in another order.
		_ = os.Chtimes(c.file(key), now, now)
	}
	return b, err
}

// write makes the file of a key and removes what has become too much.
func (c cache) write(key string, content func(io.Writer) error) error {
	if _, err := (stoppable{io.Discard, c.ended}).Write(nil); err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(c.dir, cacheTemp+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriterSize(stoppable{f, c.ended}, 1<<20)
	err = content(w)
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), c.file(key)); err != nil {
		return err
	}
	return c.prune(key, maxCache)
}

// errEnded is what a file fails with that is not written to its end because the program ends.
var errEnded = errors.New("the program ends")

// A stoppable writes until ended is closed.
type stoppable struct {
	w     io.Writer
	ended <-chan struct{}
}

func (s stoppable) Write(b []byte) (int, error) {
	select {
	case <-s.ended:
		return 0, errEnded
	default:
		return s.w.Write(b)
	}
}

// prune removes files, longest unused first, until they have at most limit bytes; that of key stays.
func (c cache) prune(key string, limit int64) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		switch {
		case strings.HasSuffix(e.Name(), cacheEnding):
			files = append(files, info)
			total += info.Size()
		case strings.HasPrefix(e.Name(), cacheTemp) && time.Since(info.ModTime()) > tempAge:
			os.Remove(filepath.Join(c.dir, e.Name()))
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	for _, info := range files {
		if total <= limit {
			break
		}
		if info.Name() == key+cacheEnding {
			continue
		}
		// Another process may have removed it already, or holds it open where that forbids it.
		if os.Remove(filepath.Join(c.dir, info.Name())) == nil {
			total -= info.Size()
		}
	}
	return nil
}

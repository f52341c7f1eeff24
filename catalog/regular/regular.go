// Package regular opens regular files and nothing else: opening a pipe or a device might wait without end, and so might
// reading one. It also locks them, so that processes know of each other.
package regular

import (
	"fmt"
	"io"
	"os"
)

// Open opens a regular file for reading. Anything else, such as a folder, a pipe or a device, is an error.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return os.Open(path) // its error is the better one
	case info.IsDir():
		return nil, fmt.Errorf("%s: a folder, not a file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	return os.Open(path)
}

// Read returns the contents of a regular file of at most limit bytes; a larger one is an error.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		return nil, fmt.Errorf("%s: larger than %d MiB", path, limit>>20)
	}
	return content, err
}

// Package workspace turns a folder into actions: files under one root are listed, read, searched and written, and
// nothing outside it is, whatever links and paths say.
//
//	Kind   the kind of source, as written on a command line
//	Open   the folder as a source: fs.list_dir, fs.read, fs.stat, fs.search, fs.write, fs.patch, fs.move, fs.remove
//	diff   what a change would do, as a unified diff
//
// Paths are relative to the root and use slashes. The root is an os.Root: the operating system refuses paths that lead
// out of it, without a race between check and use. The folder .git is read-only: its files can make git run programs.
//
// Start at Open.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unicode"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/catalog/text"
)

// A folder is the root and what goes on in it.
type folder struct {
	prefix string
	dir    string

	// changing is held while something is changed, so that what a patch has read is what it replaces.
	changing sync.Mutex

	mu   sync.Mutex // guards root
	root *os.Root
}

// Kind is workspace:DIR.
func Kind() source.Kind {
	return source.Kind{
		Prefix: "workspace", Forms: []string{"workspace:DIR"}, About: "the files of a folder", Folder: true,
		Open: func(r source.Ref, _ source.Host) ([]source.Source, []catalog.Skip, error) {
			return []source.Source{open(r.As(r.Spec), r.Rest, r.Name)}, nil, nil
		},
	}
}

// open returns the source that a folder is; named is how the person named it. The ids of its actions begin with name,
// or with fs when that is empty.
func open(named, dir, name string) source.Source {
	if name == "" {
		name = "fs"
	}
	f := &folder{prefix: name + ".", dir: dir}
	return source.Source{Name: named, Own: true, Load: f.load, Close: f.close}
}

func (f *folder) load(context.Context, func(source.Reading)) (catalog.Batch, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.root == nil {
		root, err := os.OpenRoot(f.dir)
		if err != nil {
			return catalog.Batch{}, fmt.Errorf("workspace: %w", err)
		}
		f.root = root
	}
	entries := f.entries()
	return catalog.Batch{Entries: entries, Found: len(entries)}, nil
}

func (f *folder) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.root == nil {
		return nil
	}
	return f.root.Close()
}

// A pathError is an error about one path, in words of the workspace.
type pathError struct {
	path, reason string
}

func (e *pathError) Error() string { return shown(e.path) + ": " + e.reason }

// place is the path as the root takes it: clean, relative, with slashes. Nothing of it leads out by its words alone;
// where links lead, the root sees itself.
func place(given string) (string, error) {
	switch {
	case strings.ContainsRune(given, 0):
		return "", &pathError{"path", "it has a zero byte"}
	case len(given) > 4096:
		return "", &pathError{"path", "it is longer than 4096 bytes"}
	case text.SanitizeLine(given) != given:
		return "", &pathError{given, "it contains a control character, an invisible one or one that reverses text"}
	case strings.HasPrefix(given, "/"):
		return "", &pathError{given, "paths are relative to the root of the workspace and do not start with a slash; " +
			"the root itself is \".\""}
	}
	for _, part := range strings.Split(given, "/") {
		if part == ".." {
			return "", &pathError{given, "paths are relative to the root of the workspace, without .."}
		}
	}
	return path.Clean("./" + given), nil
}

// shown is a path in a message or in what a change is said to do: on one line, and in quotes where it has characters
// that cannot be seen, as a name that is in the folder already may have.
func shown(given string) string {
	if len(given) > 200 {
		given = text.HeadBytes(given, 200) + "..."
	}
	if strings.ContainsFunc(given, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) ||
		strings.HasPrefix(given, `"`) {
		return strconv.Quote(given)
	}
	return given
}

// changeable is place for something that is to be changed.
func changeable(text string) (string, error) {
	p, err := place(text)
	if err != nil {
		return "", err
	}
	if p == "." {
		return "", &pathError{text, "the root of the workspace cannot be written"}
	}
	for _, part := range strings.Split(p, "/") {
		if strings.EqualFold(part, ".git") {
			return "", &pathError{p, ".git is read-only here"}
		}
	}
	return p, nil
}

// plain is an error of the system in words of the workspace, without paths of the machine.
func plain(p string, err error) error {
	var known *pathError
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return &pathError{p, "no such file or folder"}
	case errors.Is(err, fs.ErrExist):
		return &pathError{p, "it already exists"}
	case errors.Is(err, fs.ErrPermission):
		return &pathError{p, "permission denied"}
	case errors.Is(err, syscall.ENOTDIR):
		return &pathError{p, "part of the path is not a folder"}
	case errors.As(err, &at):
		err = at.Err
	case errors.As(err, &link):
		err = link.Err
	}
	if strings.Contains(err.Error(), "path escapes") {
		return &pathError{p, "it leads out of the workspace"}
	}
	return &pathError{p, err.Error()}
}

// a is what a thing is, in a message.
func a(mode fs.FileMode) string {
	switch kindOf(mode) {
	case "file":
		return "a file"
	case "dir":
		return "a folder"
	case "link":
		return "a link"
	}
	return "a pipe or a device"
}

// kindOf is file, dir, link or other.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "dir"
	case mode&fs.ModeSymlink != 0:
		return "link"
	}
	return "other"
}

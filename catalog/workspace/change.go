package workspace

// This file holds the actions that write files. Each first previews its work as a diff; preview and action share one
// plan, so that what was shown is what is done, unless the files change in between.

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"almanac/catalog"
)

// maxChanged is the largest file that is read to be changed or compared, in bytes.
const maxChanged = 8 << 20

// content is the text of a file that may be changed; ok is false where there is none.
func (f *folder) content(p string) (text string, mode fs.FileMode, ok bool, err error) {
	if err := f.parents(p); err != nil {
		return "", 0, false, err
	}
	info, err := f.root.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, false, nil
	}
	if err != nil {
		return "", 0, false, plain(p, err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return "", 0, false, &pathError{p, "it is a link: use the path of its target"}
	case !info.Mode().IsRegular():
		return "", 0, false, &pathError{p, "it is " + a(info.Mode()) + ", not a file"}
	case info.Size() > maxChanged:
		return "", 0, false, &pathError{p, fmt.Sprintf("it has %d bytes: files above %d MB cannot be written", info.Size(),
			maxChanged>>20)}
	}
	b, err := f.root.ReadFile(p)
	if err != nil {
		return "", 0, false, plain(p, err)
	}
	return string(b), info.Mode().Perm(), true, nil
}

// A rewrite is a file as it is and as it is to be.
type rewrite struct {
	path     string
	old, new string
	mode     fs.FileMode
	there    bool
}

func (r rewrite) diff() string {
	from, to := shown(r.path), shown(r.path)
	if !r.there {
		from = "/dev/null"
	}
	if r.there && !isText([]byte(r.old)) {
		return fmt.Sprintf("%s: %d bytes of binary data replaced by %d\n", shown(r.path), len(r.old), len(r.new))
	}
	if text := unified(from, to, r.old, r.new); text != "" {
		return text
	}
	return shown(r.path) + ": no changes\n"
}

func (f *folder) writing() change {
	plan := func(call catalog.Call) (rewrite, error) {
		p, err := changeable(textArg(call, "path"))
		if err != nil {
			return rewrite{}, err
		}
		r := rewrite{path: p, new: textArg(call, "text"), mode: 0o644}
		old, mode, there, err := f.content(p)
		if err != nil {
			return rewrite{}, err
		}
		if there && truth(call, "new") {
			return rewrite{}, &pathError{p, "it already exists"}
		}
		if r.there = there; there {
			r.old, r.mode = old, mode
		}
		return r, nil
	}
	return f.rewriting(plan, func(r rewrite) any {
		return map[string]any{"path": r.path, "size": int64(len(r.new)), "created": !r.there}
	})
}

// parents sees that what is above p are folders, as far as they are there, and no links: one could lead into .git.
func (f *folder) parents(p string) error {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		info, err := f.root.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return plain(dir, err)
		case info.Mode()&fs.ModeSymlink != 0:
			return &pathError{dir, "it is a link: use the path of its target"}
		case !info.IsDir():
			return &pathError{dir, "it is " + a(info.Mode()) + ", not a folder"}
		}
	}
	return nil
}

func (f *folder) patching() change {
	plan := func(call catalog.Call) (rewrite, error) {
		p, err := changeable(textArg(call, "path"))
		if err != nil {
			return rewrite{}, err
		}
		old, mode, there, err := f.content(p)
		switch {
		case err != nil:
			return rewrite{}, err
		case !there:
			return rewrite{}, &pathError{p, "no such file"}
		case !isText([]byte(old)):
			return rewrite{}, &pathError{p, "it is not text"}
		}
		edits, _ := call.Args["edits"].([]any)
		changed, err := edited(old, edits)
		if err != nil {
			return rewrite{}, &pathError{p, err.Error()}
		}
		if len(changed) > maxChanged {
			return rewrite{}, &pathError{p, fmt.Sprintf("it would exceed %d MB", maxChanged>>20)}
		}
		return rewrite{path: p, old: old, new: changed, mode: mode, there: true}, nil
	}
	return f.rewriting(plan, func(r rewrite) any { return map[string]any{"path": r.path, "size": int64(len(r.new))} })
}

// edited replaces each piece, which must be there once, in what the edits before it left.
func edited(content string, edits []any) (string, error) {
	for i, item := range edits {
		edit, _ := item.(map[string]any)
		find, _ := edit["find"].(string)
		replace, _ := edit["replace"].(string)
		if find == "" {
			return "", fmt.Errorf("edit %d: find is empty", i+1)
		}
		switch n := strings.Count(content, find); n {
		case 1:
			content = strings.Replace(content, find, replace, 1)
		case 0:
			return "", fmt.Errorf("edit %d: find: no match; nothing was written", i+1)
		default:
			return "", fmt.Errorf("edit %d: find: %d matches, in lines %s; include more context; nothing was written", i+1, n,
				linesOf(content, find))
		}
	}
	return content, nil
}

// linesOf lists the lines where a piece begins, the first few.
func linesOf(content, find string) string {
	var lines []string
	at := 0
	for len(lines) < 5 {
		next := strings.Index(content[at:], find)
		if next < 0 {
			return strings.Join(lines, ", ")
		}
		lines = append(lines, fmt.Sprint(1+strings.Count(content[:at+next], "\n")))
		at += next + len(find)
	}
	return strings.Join(lines, ", ") + " ..."
}

// rewriting is a change of one file.
func (f *folder) rewriting(plan func(catalog.Call) (rewrite, error), done func(rewrite) any) change {
	return change{
		preview: func(_ context.Context, call catalog.Call) (string, error) {
			r, err := plan(call)
			if err != nil {
				return "", err
			}
			return r.diff(), nil
		},
		act: func(ctx context.Context, call catalog.Call) (any, error) {
			r, err := plan(call)
			if err != nil {
				return nil, err
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err := f.replace(r); err != nil {
				return nil, err
			}
			return done(r), nil
		},
	}
}

// replace writes the new text beside the file and moves it into its place: whoever reads sees the old or the new.
func (f *folder) replace(r rewrite) (err error) {
	if dir := path.Dir(r.path); dir != "." {
		if err := f.root.MkdirAll(dir, 0o755); err != nil {
			return plain(dir, err)
		}
	}
	temp := path.Join(path.Dir(r.path), ".almanac-"+rand.Text()[:12])
	file, err := f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, r.mode)
	if err != nil {
		return plain(r.path, err)
	}
	defer func() {
		if err != nil {
			// What went wrong is told; a leftover of it is not worth another error.
			_ = f.root.Remove(temp)
		}
	}()
	_, err = file.WriteString(r.new)
	if r.there {
		err = errors.Join(err, file.Chmod(r.mode))
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return plain(r.path, err)
	}
	return plain(r.path, f.root.Rename(temp, r.path))
}

func (f *folder) moving() change {
	plan := func(call catalog.Call) (from, to string, err error) {
		if from, err = changeable(textArg(call, "from")); err != nil {
			return "", "", err
		}
		if to, err = changeable(textArg(call, "to")); err != nil {
			return "", "", err
		}
		if err := errors.Join(f.parents(from), f.parents(to)); err != nil {
			return "", "", err
		}
		info, err := f.root.Lstat(from)
		if err != nil {
			return "", "", plain(from, err)
		}
		if info.IsDir() {
			if err := f.withoutGit(from); err != nil {
				return "", "", err
			}
		}
		if from == to || strings.HasPrefix(to, from+"/") {
			return "", "", &pathError{from, "it cannot be moved into itself"}
		}
		there, err := f.root.Lstat(to)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", "", plain(to, err)
		case there.IsDir():
			return "", "", &pathError{to, "it is a folder: give the full new path"}
		case !truth(call, "overwrite"):
			return "", "", &pathError{to, "it already exists: set overwrite to replace it"}
		}
		return from, to, nil
	}
	return change{
		preview: func(_ context.Context, call catalog.Call) (string, error) {
			from, to, err := plan(call)
			if err != nil {
				return "", err
			}
			text := fmt.Sprintf("rename from %s\nrename to %s\n", shown(from), shown(to))
			if old, _, there, err := f.content(to); err == nil && there {
				text += rewrite{path: to, old: old, there: true}.removed()
			}
			return text, nil
		},
		act: func(_ context.Context, call catalog.Call) (any, error) {
			from, to, err := plan(call)
			if err != nil {
				return nil, err
			}
			if dir := path.Dir(to); dir != "." {
				if err := f.root.MkdirAll(dir, 0o755); err != nil {
					return nil, plain(dir, err)
				}
			}
			if err := f.root.Rename(from, to); err != nil {
				return nil, plain(from, err)
			}
			return map[string]any{"from": from, "to": to}, nil
		},
	}
}

// removed is the diff of a file that goes.
func (r rewrite) removed() string {
	if !isText([]byte(r.old)) {
		return fmt.Sprintf("%s: %d bytes of binary data removed\n", shown(r.path), len(r.old))
	}
	return unified(shown(r.path), "/dev/null", r.old, "")
}

// A tally counts what is in a folder to remove.
type tally struct {
	files, folders, more int
	bytes                int64
	names                []string
}

const (
	// maxNamed is how many names of what goes are shown, and maxGone how many files may go at a time.
	maxNamed = 50
	maxGone  = 100_000
)

func (f *folder) tally(p string) (tally, error) {
	var t tally
	err := fs.WalkDir(f.root.FS(), p, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if t.files+t.folders >= maxGone {
			return &pathError{p, fmt.Sprintf("it holds more than %d files and folders: remove it in parts", maxGone)}
		}
		if err := ungit(at, d); err != nil {
			return err
		}
		if d.IsDir() {
			t.folders++
			return nil
		}
		t.files++
		if info, err := d.Info(); err == nil {
			t.bytes += info.Size()
		}
		if len(t.names) < maxNamed {
			t.names = append(t.names, at)
		} else {
			t.more++
		}
		return nil
	})
	return t, plain(p, err)
}

// ungit refuses what is git's own in a folder that is to go or to be moved.
func ungit(at string, d fs.DirEntry) error {
	if strings.EqualFold(d.Name(), ".git") {
		return &pathError{at, ".git is read-only here"}
	}
	return nil
}

// withoutGit sees that a folder holds no .git, at any depth.
func (f *folder) withoutGit(p string) error {
	return plain(p, fs.WalkDir(f.root.FS(), p, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return ungit(at, d)
	}))
}

func (f *folder) removing() change {
	plan := func(call catalog.Call) (p string, t tally, err error) {
		if p, err = changeable(textArg(call, "path")); err != nil {
			return "", t, err
		}
		if err := f.parents(p); err != nil {
			return "", t, err
		}
		info, err := f.root.Lstat(p)
		if err != nil {
			return "", t, plain(p, err)
		}
		if !info.IsDir() {
			return p, tally{files: 1}, nil
		}
		if t, err = f.tally(p); err != nil {
			return "", t, err
		}
		if t.files+t.folders > 1 && !truth(call, "recursive") {
			return "", t,
				&pathError{p, fmt.Sprintf("it is a folder with %d files and %d folders: set recursive to remove everything",
					t.files, t.folders-1)}
		}
		return p, t, nil
	}
	return change{
		preview: func(_ context.Context, call catalog.Call) (string, error) {
			p, t, err := plan(call)
			if err != nil {
				return "", err
			}
			if t.folders > 0 {
				return t.text(p), nil
			}
			old, _, _, err := f.content(p)
			if err != nil {
				// A link goes and what it leads to stays; a large file goes unseen.
				return fmt.Sprintf("remove %s: %v\n", shown(p), err), nil
			}
			return rewrite{path: p, old: old, there: true}.removed(), nil
		},
		act: func(_ context.Context, call catalog.Call) (any, error) {
			p, t, err := plan(call)
			if err != nil {
				return nil, err
			}
			if t.folders > 0 && truth(call, "recursive") {
				err = f.root.RemoveAll(p)
			} else {
				err = f.root.Remove(p)
			}
			if err != nil {
				return nil, plain(p, err)
			}
			return map[string]any{"path": p, "removed": int64(t.files + t.folders)}, nil
		},
	}
}

func (t tally) text(p string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "remove folder %s: %d files in %d folders, %d bytes\n", shown(p), t.files, t.folders, t.bytes)
	for _, name := range t.names {
		fmt.Fprintf(&b, "-%s\n", shown(name))
	}
	if t.more > 0 {
		fmt.Fprintf(&b, "and %d more files\n", t.more)
	}
	return b.String()
}

package manifest

// This file reads a folder of manifests, one saved action each, as one source.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/source"
)

// maxFiles is how many files of a folder are read.
const maxFiles = 5000

// Folder is the person's own folder of actions as a source: each file is a manifest. It need not exist, and it is
// watched. A broken file costs its own actions only. Overlays are not for such files. called is its name in the
// configuration; may be empty.
func Folder(name, called, dir string, h source.Host) source.Source {
	out := outsideOf(h, called)
	return source.Source{
		Name: name, Secrets: out.secrets, Own: true, Optional: true,
		Load: func(ctx context.Context, _ func(source.Reading)) (catalog.Batch, error) {
			return readFolder(ctx, dir, out)
		},
		Watch: source.Watch(func() string { return stampOf(dir) }, 0),
		Close: out.close,
	}
}

// filesOf lists the manifests in a folder, in the order of their names; none where there is no folder.
func filesOf(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	var files []string
	for _, e := range entries {
		name := e.Name()
		if ext := filepath.Ext(name); !strings.HasPrefix(name, ".") && !e.IsDir() &&
			slices.Contains([]string{".yaml", ".yml", ".json"}, ext) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	if len(files) > maxFiles {
		return nil, fmt.Errorf("%s: %d files: at most %d are read", dir, len(files), maxFiles)
	}
	return files, err
}

// stampOf changes when a file of a folder comes, goes or changes.
func stampOf(dir string) string {
	files, err := filesOf(dir)
	var b strings.Builder
	fmt.Fprintln(&b, err)
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintf(&b, "%s %d %s\n", file, info.Size(), info.ModTime().Format(time.RFC3339Nano))
		}
	}
	return b.String()
}

func readFolder(ctx context.Context, dir string, out *outside) (catalog.Batch, error) {
	files, err := filesOf(dir)
	if err != nil {
		return catalog.Batch{}, err
	}
	var all catalog.Batch
	from := map[string]string{} // the file of each id
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return catalog.Batch{}, err
		}
		text, err := textOf(file)
		var b catalog.Batch
		if err == nil {
			b, err = readManifest(text, file, "", out)
		}
		if err == nil && b.Overlay != nil {
			err = fmt.Errorf("%s: overlays belong in a manifest that --catalog names", file)
		}
		if err != nil {
			all.Found++
			all.Skipped = append(all.Skipped, catalog.Skip{ID: filepath.Base(file), Source: placeIn(err, file),
				Reason: strings.TrimPrefix(err.Error(), placeIn(err, file)+": ")})
			continue
		}
		all.Found += b.Found
		all.Skipped, all.Mended = append(all.Skipped, b.Skipped...), append(all.Mended, b.Mended...)
		for _, e := range b.Entries {
			if first := from[e.ID]; first != "" {
				all.Skipped = append(all.Skipped, catalog.Skip{ID: e.ID, Source: file, Reason: first + " has this id already"})
				continue
			}
			from[e.ID] = file
			all.Entries = append(all.Entries, e)
		}
	}
	slices.SortStableFunc(all.Entries, func(a, b catalog.Entry) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// placeIn is FILE:LINE of an error that begins with it, else the file.
func placeIn(err error, file string) string {
	rest, ok := strings.CutPrefix(err.Error(), file+":")
	line, _, more := strings.Cut(rest, ":")
	if !ok || !more || line == "" || strings.Trim(line, "0123456789") != "" {
		return file
	}
	return file + ":" + line
}

// A Tested is an action of a file with its tests.
type Tested struct {
	Entry catalog.Entry
	File  string
	Tests []Test
	// Err says why the tests cannot be read, with their line.
	Err error
}

// ReadTests reads the actions of a folder with their tests, in the order of their ids; broken says what cannot be read.
func ReadTests(ctx context.Context, dir string) (all []Tested, broken []catalog.Skip, err error) {
	batch, err := readFolder(ctx, dir, &outside{})
	if err != nil {
		return nil, nil, err
	}
	entries := map[string]catalog.Entry{}
	for _, e := range batch.Entries {
		entries[e.ID] = e
	}
	files, err := filesOf(dir)
	for _, file := range files {
		text, readErr := textOf(file)
		if readErr != nil {
			continue
		}
		for _, t := range testedIn(text, file) {
			if e, known := entries[t.Entry.ID]; known {
				t.Entry = e
				all = append(all, t)
				delete(entries, e.ID)
			}
		}
	}
	slices.SortFunc(all, func(a, b Tested) int { return cmp.Compare(a.Entry.ID, b.Entry.ID) })
	return all, batch.Skipped, err
}

// testedIn reads the tests of a manifest that has been read well.
func testedIn(text []byte, file string) (all []Tested) {
	var root yaml.Node
	var doc document
	if yaml.Unmarshal(text, &root) != nil || len(root.Content) == 0 || decode(root.Content[0], "manifest", &doc) != nil {
		return nil
	}
	actions, _ := mapping(&doc.Actions, "actions")
	for _, m := range actions {
		var d declared
		if decode(m.value, "action", &d) != nil {
			continue
		}
		t := Tested{File: file}
		if t.Entry.ID = m.name; doc.Name != "" {
			t.Entry.ID = doc.Name + "." + m.name
		}
		if t.Tests, t.Err = testsOf(&d.Tests); t.Err != nil {
			t.Err = fmt.Errorf("%s:%d: %w", file, lineOf(t.Err, &d.Tests), t.Err)
		}
		all = append(all, t)
	}
	return all
}

// ReadAction reads the text of a file with one action, as it would be read from the folder.
func ReadAction(file string, text []byte) (catalog.Entry, error) {
	batch, err := readManifest(text, file, "", &outside{})
	switch {
	case err != nil:
		return catalog.Entry{}, err
	case len(batch.Skipped) > 0:
		return catalog.Entry{}, fmt.Errorf("%s: %s", batch.Skipped[0].Source, batch.Skipped[0].Reason)
	case len(batch.Entries) != 1:
		return catalog.Entry{}, fmt.Errorf("%s: want one action, got %d", file, len(batch.Entries))
	}
	return batch.Entries[0], nil
}

// FolderKind is a folder of actions, such as one that is checked in.
func FolderKind() source.Kind {
	return source.Kind{
		Prefix: "actions", Forms: []string{"actions:DIR"}, About: "a folder of saved actions",
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			s := Folder(r.As(r.Spec), r.Name, r.Rest, h)
			s.Optional = false
			return []source.Source{s}, nil, nil
		},
	}
}

// FolderText is all that the files of a folder say, for a digest.
func FolderText(dir string) string {
	files, err := filesOf(dir)
	var b strings.Builder
	fmt.Fprintln(&b, err)
	for _, file := range files {
		text, err := textOf(file)
		fmt.Fprintf(&b, "%d %s%v %d %s", len(file), file, err, len(text), text)
	}
	return b.String()
}

package workspace

// This file holds the actions that only read.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/catalog/text"
)

func (f *folder) list(_ context.Context, call catalog.Call) (catalog.Result, error) {
	p, err := place(textArg(call, "path"))
	if err != nil {
		return catalog.Result{}, err
	}
	names, err := f.names(p)
	if err != nil {
		return catalog.Result{}, err
	}
	from := min(number(call, "offset", 0), int64(len(names)))
	to := min(from+number(call, "limit", maxList), int64(len(names)))
	list := []any{}
	for _, d := range names[from:to] {
		row := map[string]any{"name": d.Name(), "type": kindOf(d.Type())}
		if info, err := d.Info(); err == nil {
			row["modified"] = when(info)
			if info.Mode().IsRegular() {
				row["size"] = info.Size()
			}
		}
		list = append(list, row)
	}
	data := map[string]any{"path": p, "entries": list, "total": int64(len(names)), "next_offset": nil}
	result := catalog.Result{Data: data}
	if to < int64(len(names)) {
		data["next_offset"] = to
		result.Next = map[string]any{"offset": to}
		result.Note = fmt.Sprintf("%d of %d", to-from, len(names))
	}
	return result, nil
}

const (
	// maxList is how many entries one listing has.
	maxList = 10_000
	// maxDir is how many entries of a folder are looked at.
	maxDir = 200_000
)

// names are the entries of a folder, in order.
func (f *folder) names(p string) ([]fs.DirEntry, error) {
	info, err := f.root.Stat(p)
	if err != nil {
		return nil, plain(p, err)
	}
	if !info.IsDir() {
		return nil, &pathError{p, "it is " + a(info.Mode()) + ", not a folder"}
	}
	dir, err := f.root.Open(p)
	if err != nil {
		return nil, plain(p, err)
	}
	defer dir.Close()
	all, err := dir.ReadDir(maxDir)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, plain(p, err)
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

func when(info fs.FileInfo) string { return info.ModTime().UTC().Format(time.RFC3339) }

func (f *folder) stat(_ context.Context, call catalog.Call) (catalog.Result, error) {
	p, err := place(textArg(call, "path"))
	if err != nil {
		return catalog.Result{}, err
	}
	info, err := f.root.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return catalog.Result{Note: "not found"}, nil
	}
	if err != nil {
		return catalog.Result{}, plain(p, err)
	}
	data := map[string]any{"path": p, "type": kindOf(info.Mode()), "modified": when(info), "mode": info.Mode().String()}
	if info.Mode().IsRegular() {
		data["size"] = info.Size()
	}
	if target, err := f.root.Readlink(p); err == nil {
		data["target"] = target
	}
	return catalog.Result{Data: data}, nil
}

// open opens a file that is nothing but a file: a pipe or a device would wait for ever.
func (f *folder) open(p string) (*os.File, fs.FileInfo, error) {
	info, err := f.root.Stat(p)
	if err != nil {
		return nil, nil, plain(p, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &pathError{p, "it is " + a(info.Mode()) + ", not a file"}
	}
	file, err := f.root.Open(p)
	if err != nil {
		return nil, nil, plain(p, err)
	}
	return file, info, nil
}

func (f *folder) read(_ context.Context, call catalog.Call) (catalog.Result, error) {
	p, err := place(textArg(call, "path"))
	if err != nil {
		return catalog.Result{}, err
	}
	file, info, err := f.open(p)
	if err != nil {
		return catalog.Result{}, err
	}
	defer file.Close()
	offset, limit := number(call, "offset", 0), number(call, "limit", 256<<10)
	if offset > info.Size() {
		return catalog.Result{}, &pathError{p, fmt.Sprintf("offset %d is past the end, %d", offset, info.Size())}
	}
	// Some bytes more tell whether a character is cut.
	chunk := make([]byte, min(limit+utf8.UTFMax, info.Size()-offset))
	n, err := file.ReadAt(chunk, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return catalog.Result{}, plain(p, err)
	}
	chunk = chunk[:n]
	part := chunk
	if int64(len(part)) > limit {
		part = part[:limit]
		for len(part) > 1 && !utf8.RuneStart(chunk[len(part)]) {
			part = part[:len(part)-1]
		}
	}
	data := map[string]any{"path": p, "size": info.Size(), "next_offset": nil}
	if !isText(part) {
		head := make([]byte, 512)
		n, _ := file.ReadAt(head, 0)
		data["binary"], data["media_type"] = true, http.DetectContentType(head[:n])
		return catalog.Result{Data: data, Note: "not text"}, nil
	}
	data["text"] = string(part)
	result := catalog.Result{Data: data}
	if next := offset + int64(len(part)); next < info.Size() {
		data["next_offset"] = next
		result.Next = map[string]any{"offset": next}
		result.Note = fmt.Sprintf("bytes %d to %d of %d", offset, next, info.Size())
	}
	return result, nil
}

// isText reports whether bytes are UTF-8 without zeros.
func isText(b []byte) bool { return utf8.Valid(b) && !slices.Contains(b, 0) }

const (
	// maxSearched is the largest file that is searched, in bytes, and maxFiles how many files.
	maxSearched = 4 << 20
	maxFiles    = 50_000
	// maxLine is how much of a line is shown, in bytes.
	maxLine = 400
)

func (f *folder) search(ctx context.Context, call catalog.Call) (catalog.Result, error) {
	p, err := place(textArg(call, "path"))
	if err != nil {
		return catalog.Result{}, err
	}
	expression, err := expressionOf(call)
	if err != nil {
		return catalog.Result{}, err
	}
	name := textArg(call, "name")
	if _, err := path.Match(name, ""); err != nil {
		return catalog.Result{}, fmt.Errorf("name %q: want a pattern such as *.go", name)
	}
	s := searching{folder: f, expression: expression, name: name, limit: int(number(call, "limit", 200)), matches: []any{}}
	if _, err := f.root.Stat(p); err != nil {
		return catalog.Result{}, plain(p, err)
	}
	err = fs.WalkDir(f.root.FS(), p, func(at string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return s.visit(at, d, err)
	})
	if err != nil {
		return catalog.Result{}, plain(p, err)
	}
	data := map[string]any{
		"matches": s.matches, "files": int64(s.files), "skipped": int64(s.skipped), "complete": s.note == "",
	}
	if s.note != "" {
		data["note"] = s.note
	}
	return catalog.Result{Data: data, Note: s.note}, nil
}

func expressionOf(call catalog.Call) (*regexp.Regexp, error) {
	literal, pattern := textArg(call, "text"), textArg(call, "pattern")
	if (literal == "") == (pattern == "") {
		return nil, errors.New("set either text or pattern")
	}
	if pattern == "" {
		pattern = regexp.QuoteMeta(literal)
	}
	if truth(call, "ignore_case") {
		pattern = "(?i)" + pattern
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	return expression, nil
}

// A searching is a search on its way.
type searching struct {
	*folder
	expression     *regexp.Regexp
	name           string
	limit          int
	matches        []any
	files, skipped int
	note           string
}

// visit searches one file. Folders and files that cannot be read are counted, not errors.
func (s *searching) visit(at string, d fs.DirEntry, err error) error {
	switch {
	case err != nil:
		s.skipped++
		if d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	case d.IsDir() && strings.EqualFold(d.Name(), ".git"):
		return fs.SkipDir
	case !d.Type().IsRegular():
		return nil
	}
	if ok, _ := path.Match(s.name, d.Name()); s.name != "" && !ok {
		return nil
	}
	if s.files++; s.files > maxFiles {
		s.note = fmt.Sprintf("only the first %d files were searched: give a path or a name", maxFiles)
		return fs.SkipAll
	}
	info, err := d.Info()
	if err != nil || info.Size() > maxSearched {
		s.skipped++
		return nil
	}
	content, err := s.root.ReadFile(at)
	if err != nil || !isText(content) {
		s.skipped++
		return nil
	}
	return s.lines(at, string(content))
}

func (s *searching) lines(at, content string) error {
	if !s.expression.MatchString(content) && !strings.ContainsAny(s.expression.String(), "^$") {
		return nil
	}
	number := 0
	for line := range strings.Lines(content) {
		number++
		line = strings.TrimRight(line, "\r\n")
		where := s.expression.FindStringIndex(line)
		if where == nil {
			continue
		}
		if len(s.matches) == s.limit {
			s.note = fmt.Sprintf("only the first %d matches: raise limit, or give a path or a name", s.limit)
			return fs.SkipAll
		}
		s.matches = append(s.matches, map[string]any{"path": at, "line": int64(number), "text": around(line, where[0])})
	}
	return nil
}

// around is the part of a line that shows a place in it.
func around(line string, at int) string {
	if len(line) <= maxLine {
		return line
	}
	from := max(0, min(at-maxLine/4, len(line)-maxLine))
	return "..." + text.HeadBytes(text.TailBytes(line, len(line)-from), maxLine) + "..."
}

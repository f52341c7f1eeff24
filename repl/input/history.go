package input

// This file is the History: a JSONL file that several programs may append to at once.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog/search/spelling"
)

// Typed is one input as the history keeps it.
type Typed struct {
	Time    time.Time `json:"time"`
	Text    string    `json:"text"`
	Mode    Mode      `json:"mode,omitempty"`
	Session string    `json:"session,omitempty"`
}

// A History is a file of inputs, oldest first. Every entry is one write of one line, so that programs that share the
// file keep each other's entries. Safe for concurrent use. A nil *History keeps nothing.
type History struct {
	path    string
	session string

	mu   sync.Mutex
	file *os.File // nil until the first Add, and for a history in memory
	own  []Typed  // added by this program
}

// OpenHistory returns the history kept at path; the file and its folder are made on the first Add. An empty path keeps
// the history in memory. session marks the entries added; it may be empty.
func OpenHistory(path, session string) *History {
	return &History{path: path, session: session}
}

// Add appends one input and syncs it to the disk. Empty input, input that begins with a space, and a repetition of
// the entry just added are not kept.
func (h *History) Add(text string, m Mode) error {
	if h == nil || strings.TrimSpace(text) == "" || strings.HasPrefix(text, " ") {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := Typed{Time: time.Now().UTC(), Text: text, Mode: m, Session: h.session}
	if n := len(h.own); n > 0 && h.own[n-1].Text == text && h.own[n-1].Mode == m {
		return nil
	}
	h.own = append(h.own, t)
	if h.path == "" {
		return nil
	}
	if err := h.append(t); err != nil {
		return fmt.Errorf("history %s: %w", h.path, err)
	}
	return nil
}

func (h *History) append(t Typed) error {
	if h.file == nil {
		if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		h.file = f
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if torn(h.file) {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := h.file.Write(line); err != nil {
		return err
	}
	return h.file.Sync()
}

// torn tells whether the file ends in the middle of a line: a writer died in its write.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// Load returns the last n entries of the file, those of other programs too, oldest first. Lines that cannot be read
// are passed over. A missing file is an empty history.
func (h *History) Load(n int) ([]Typed, error) {
	if h == nil || n <= 0 {
		return nil, nil
	}
	if h.path == "" {
		h.mu.Lock()
		defer h.mu.Unlock()
		return slices.Clone(h.own[max(0, len(h.own)-n):]), nil
	}
	f, err := os.Open(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	defer f.Close()
	entries, err := lastEntries(f, n)
	if err != nil {
		return nil, fmt.Errorf("history %s: %w", h.path, err)
	}
	return entries, nil
}

// historyBlock is how much of the file is read at a time, from its end.
const historyBlock = 64 << 10

// lastEntries reads f backwards in blocks. Blocks are cut at newline bytes only, so no character is ever split.
func lastEntries(f *os.File, n int) ([]Typed, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var entries []Typed // newest first
	var rest []byte     // the beginning of the line that the last block started in
	for end := info.Size(); end > 0 && len(entries) < n; {
		start := max(0, end-historyBlock)
		block := make([]byte, end-start, end-start+int64(len(rest)))
		if _, err := f.ReadAt(block, start); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		block = append(block, rest...)
		end = start
		lines := bytes.Split(block, []byte{'\n'})
		first := 0
		if start > 0 {
			first, rest = 1, lines[0]
		}
		for i := len(lines) - 1; i >= first && len(entries) < n; i-- {
			var t Typed
			if json.Unmarshal(lines[i], &t) == nil && t.Text != "" {
				entries = append(entries, t)
			}
		}
	}
	slices.Reverse(entries)
	return entries, nil
}

// searchDepth is how many entries Search looks at.
const searchDepth = 10000

// Search returns up to n entries that contain all words, whatever their case, newest first and each text once. No
// words match everything. Entries that have only the letters of the words, in their order, come after.
func (h *History) Search(words string, n int) ([]Typed, error) {
	entries, err := h.Load(searchDepth)
	if err != nil {
		return nil, err
	}
	want := strings.Fields(strings.ToLower(words))
	seen := map[string]bool{}
	var found, near []Typed
	for i := len(entries) - 1; i >= 0 && len(found) < n; i-- {
		t := entries[i]
		if seen[t.Text] {
			continue
		}
		seen[t.Text] = true
		low := strings.ToLower(t.Text)
		switch {
		case !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(low, w) }):
			found = append(found, t)
		case !slices.ContainsFunc(want, func(w string) bool { return !spelling.HasLetters(low, w) }):
			near = append(near, t)
		}
	}
	found = append(found, near...)
	return found[:min(len(found), n)], nil
}

// Close closes the file. The History must not be used afterwards.
func (h *History) Close() error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		return nil
	}
	err := h.file.Close()
	h.file = nil
	return err
}

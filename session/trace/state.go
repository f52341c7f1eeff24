package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"almanac/catalog/regular"
)

// This file keeps the Lua state of a session beside its log: one file, a line of JSON about it and then its bytes. The
// log does not need it: without it the cells can be run again.

// A State is what a session's globals were after a run.
type State struct {
	// Run is the run that left it, Label what a person calls that.
	Run, Label string
	// Prelude is a digest of the Lua that the machine had started with: it must be the same for the state to fit.
	Prelude string
	// Globals counts what is in it. Own is how many of Bytes are of those that scripts have set.
	Globals, Own int
	// Bytes is the state itself, in the words of the machine; it carries the version of its own form.
	Bytes []byte
}

// stateVersion is that of the file, not of the bytes in it.
const stateVersion = 1

// maxState is how large the bytes of a State may be.
const maxState = 32 << 20

type stateHead struct {
	Version int    `json:"almanac_state"`
	Run     string `json:"run"`
	Label   string `json:"label"`
	Prelude string `json:"prelude"`
	Globals int    `json:"globals"`
	Own     int    `json:"own,omitempty"`
	Size    int    `json:"bytes"`
	SHA256  string `json:"sha256"`
	// Head is the digest of the head without it; states of earlier versions have none.
	Head string `json:"head,omitempty"`
}

func (h stateHead) digest() (string, error) {
	h.Head = ""
	text, err := json.Marshal(h)
	return digest(text), err
}

// StatePath is where the state of the session with the log at path is kept.
func StatePath(path string) string { return strings.TrimSuffix(path, ".jsonl") + ".state" }

// ReadState reads the state at path. The error is an fs.ErrNotExist where there is none, or says what is wrong with it.
func ReadState(path string) (State, error) {
	text, err := regular.Read(path, maxState+64<<10)
	if err != nil {
		return State{}, fmt.Errorf("session state: %w", err)
	}
	line, data, _ := bytes.Cut(text, []byte{'\n'})
	var h stateHead
	if json.Unmarshal(line, &h) != nil || h.Version == 0 {
		return State{}, fmt.Errorf("session state %s: not a session state", path)
	}
	if h.Version != stateVersion {
		return State{}, fmt.Errorf("session state %s: version %d, want version %d", path, h.Version, stateVersion)
	}
	head, err := h.digest()
	if err != nil || h.Head != "" && h.Head != head || len(data) != h.Size || digest(data) != h.SHA256 {
		return State{}, fmt.Errorf("session state %s: damaged", path)
	}
	return State{Run: h.Run, Label: h.Label, Prelude: h.Prelude, Globals: h.Globals, Own: h.Own, Bytes: data}, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// before is where the state is kept that the one at path has followed.
func before(path string) string { return path + ".before" }

// readStates reads the states at path: the one that was written last, and the one before it. The error is about the
// last one.
func readStates(path string) (all []State, err error) {
	s, err := ReadState(path)
	if err == nil {
		all = append(all, s)
	}
	if s, err := ReadState(before(path)); err == nil {
		all = append(all, s)
	}
	return all, err
}

// writeState puts s in the place of the state at path, which becomes the one before: whoever reads them finds one of
// the two, whenever the program is killed.
func writeState(path string, s State) (err error) {
	h := stateHead{
		Version: stateVersion, Run: s.Run, Label: s.Label, Prelude: s.Prelude, Globals: s.Globals, Own: s.Own,
		Size: len(s.Bytes), SHA256: digest(s.Bytes),
	}
	if h.Head, err = h.digest(); err != nil {
		return err
	}
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	part := path + ".part" // always the same, so that kills leave no more than one
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // only the user can read it
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part))
		}
	}()
	_, err = file.Write(append(head, '\n'))
	if err == nil {
		_, err = file.Write(s.Bytes)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := os.Rename(path, before(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(part, path)
}

// A StateFile writes states. Safe for concurrent use.
type StateFile struct {
	path   string
	failed func(error)
	wake   chan struct{}
	done   chan struct{}

	mu     sync.Mutex
	closed bool
}

// KeepState returns a StateFile for path. failed is told of a state that could not be written; nil tells nobody. Close
// ends it.
func KeepState(path string, failed func(error)) *StateFile {
	f := &StateFile{path: path, failed: failed, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go f.sync()
	return f
}

// Put hands s to the system, so that it outlasts the program; it is on disk a little later. The state before stays too:
// the log may never come to tell of the run that left s.
func (f *StateFile) Put(s State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	if err := writeState(f.path, s); err != nil {
		if f.failed != nil {
			f.failed(fmt.Errorf("session state: %w", err))
		}
		return
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Close waits until the last state is on disk.
func (f *StateFile) Close() error {
	f.mu.Lock()
	if !f.closed {
		f.closed = true
		close(f.wake)
	}
	f.mu.Unlock()
	<-f.done
	return nil
}

// sync puts states on disk.
func (f *StateFile) sync() {
	defer close(f.done)
	for range f.wake {
		if file, err := regular.Open(f.path); err == nil {
			_ = file.Sync() // where it cannot, the system does so in its own time
			_ = file.Close()
		}
		syncFolder(filepath.Dir(f.path))
	}
}

package source

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"almanac/catalog"
)

// A ledger holds what was accepted of one source: for each action the states that were, newest first, one for each
// target that it had; so a person who goes to and fro between two servers accepts once for each. Its file is written
// whole and moved into place, so that a reader sees the old or the new one.
type ledger struct {
	Source  string `json:"source"`
	Version int    `json:"version,omitempty"`
	// Accepted is what version 1 had: one fingerprint an action.
	Accepted map[string]string  `json:"accepted,omitempty"`
	Actions  map[string][]state `json:"actions,omitempty"`
}

const (
	ledgerVersion = 2
	// maxStates is how many accepted states of an action are remembered.
	maxStates = 4
)

// ledgerFile is where dir keeps the ledger of the source.
func ledgerFile(dir, name string) string {
	sum := sha256.Sum256([]byte(name))
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, filepath.Base(name))
	return filepath.Join(dir, fmt.Sprintf("%.40s-%s.json", readable, hex.EncodeToString(sum[:6])))
}

// readLedger returns nil when nothing was accepted yet. A file that cannot be read is an error: what is not known to
// be accepted is not.
func readLedger(dir, name string) (*ledger, error) {
	file := ledgerFile(dir, name)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("accepted actions: %w", err)
	}
	l := &ledger{}
	if err := json.Unmarshal(text, l); err != nil || l.Source != name {
		return nil, fmt.Errorf("accepted actions: %s is damaged: remove it to accept the source as it is", file)
	}
	if l.Version > ledgerVersion {
		return nil, fmt.Errorf("accepted actions: %s was written by a newer version of this program: "+
			"remove it to accept the source as it is", file)
	}
	if l.Actions == nil {
		l.Actions = make(map[string][]state, len(l.Accepted))
	}
	for id, sum := range l.Accepted {
		l.Actions[id] = append(l.Actions[id], state{Fingerprint: sum})
	}
	l.Accepted = nil
	return l, nil
}

// ledgerSum stands for what was accepted of the source; it is never empty.
func ledgerSum(dir, name string) string {
	text, err := os.ReadFile(ledgerFile(dir, name))
	if err != nil {
		return "none"
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (l *ledger) write(dir string) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("accepted actions: %w", err)
	}
	f, err := os.CreateTemp(dir, ".ledger-*")
	if err != nil {
		return fmt.Errorf("accepted actions: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), ledgerFile(dir, l.Source))
	}
	if err != nil {
		return fmt.Errorf("accepted actions: %w", err)
	}
	return nil
}

// accept makes the ledger of the callable entries as they are, with what it knew of them before; before may be nil.
func accept(name string, entries []catalog.Entry, before *ledger) *ledger {
	l := &ledger{Source: name, Version: ledgerVersion, Actions: map[string][]state{}}
	for i := range entries {
		e := &entries[i]
		if !e.Callable() {
			continue
		}
		now := stateOf(e)
		states := []state{now}
		if before != nil {
			for _, was := range before.Actions[e.ID] {
				if was.Fingerprint != now.Fingerprint && was.Target != now.Target && len(states) < maxStates {
					states = append(states, was)
				}
			}
		}
		l.Actions[e.ID] = states
	}
	return l
}

// knows returns the accepted states of an entry, newest first, and whether one of them is what it is now.
func (l *ledger) knows(e *catalog.Entry) (states []state, ok bool) {
	states = l.Actions[e.ID]
	sum := fingerprint(e)
	if slices.ContainsFunc(states, func(s state) bool { return s.Fingerprint == sum }) || len(states) == 0 {
		return states, len(states) > 0
	}
	sum = bareFingerprint(e)
	return states, slices.ContainsFunc(states, func(s state) bool { return s.Bare == sum })
}

// change compares entries with what was accepted. An entry that cannot be called has nothing to accept.
func (l *ledger) change(entries []catalog.Entry) Change {
	c := Change{What: map[string]string{}}
	seen := make(map[string]bool, len(entries))
	for i := range entries {
		e := &entries[i]
		if !e.Callable() {
			continue
		}
		seen[e.ID] = true
		switch states, ok := l.knows(e); {
		case ok:
		case len(states) == 0:
			c.Added = append(c.Added, e.ID)
			c.What[e.ID] = stateOf(e).text()
		default:
			now := stateOf(e)
			was := states[0]
			if i := slices.IndexFunc(states, func(s state) bool { return s.Target == now.Target }); i >= 0 {
				was = states[i]
			}
			c.Changed = append(c.Changed, e.ID)
			c.What[e.ID] = was.difference(now)
		}
	}
	for id := range l.Actions {
		if !seen[id] {
			c.Removed = append(c.Removed, id)
		}
	}
	if len(c.What) == 0 {
		c.What = nil
	}
	slices.Sort(c.Added)
	slices.Sort(c.Changed)
	slices.Sort(c.Removed)
	return c
}

// bareFingerprint is fingerprint without the descriptions that are in the schemas.
func bareFingerprint(e *catalog.Entry) string {
	bare := *e
	bare.Input, bare.Output = e.Input.Bare(), e.Output.Bare()
	return fingerprint(&bare)
}

func fingerprint(e *catalog.Entry) string {
	sum := e.Fingerprint()
	return hex.EncodeToString(sum[:])
}

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

// A ledger holds what was accepted of one source: the fingerprint of each of its actions. Its file is written whole
// and moved into place, so that a reader sees the old or the new one.
type ledger struct {
	Source   string            `json:"source"`
	Accepted map[string]string `json:"accepted"`
}

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
		return nil, fmt.Errorf("accepted actions: %s is damaged: remove it to accept the source as it is now", file)
	}
	return l, nil
}

func (l *ledger) write(dir string) error {
	text, err := json.MarshalIndent(l, "", " ")
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

// accept makes the ledger of the callable entries as they are.
func accept(name string, entries []catalog.Entry) *ledger {
	l := &ledger{Source: name, Accepted: map[string]string{}}
	for i := range entries {
		if e := &entries[i]; e.Callable() {
			l.Accepted[e.ID] = fingerprint(e)
		}
	}
	return l
}

// change compares entries with what was accepted. An entry that cannot be called has nothing to accept.
func (l *ledger) change(entries []catalog.Entry) Change {
	var c Change
	seen := make(map[string]bool, len(entries))
	for i := range entries {
		e := &entries[i]
		if !e.Callable() {
			continue
		}
		seen[e.ID] = true
		switch was, ok := l.Accepted[e.ID]; {
		case !ok:
			c.Added = append(c.Added, e.ID)
		case was != fingerprint(e):
			c.Changed = append(c.Changed, e.ID)
		}
	}
	for id := range l.Accepted {
		if !seen[id] {
			c.Removed = append(c.Removed, id)
		}
	}
	slices.Sort(c.Added)
	slices.Sort(c.Changed)
	slices.Sort(c.Removed)
	return c
}

func fingerprint(e *catalog.Entry) string {
	sum := e.Fingerprint()
	return hex.EncodeToString(sum[:])
}

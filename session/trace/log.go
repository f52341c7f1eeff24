package trace

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"almanac/catalog/regular"
	"almanac/catalog/secret"
)

// A Log is a session's file. Safe for concurrent use.
type Log struct {
	path    string
	secrets *secret.Filter
	mu      sync.Mutex
	file    *os.File
	size    int64
	chain   string // of the last line
	torn    bool   // the last write failed and may have left half a line
	lines   int    // written so far
	disk    disk

	// put stores a whole value; nil where none are kept, or no more.
	put      func(data []byte) (digest string, err error)
	kept     map[[sha256.Size]byte]bool
	keptSize int64
}

// A disk is what is known of the lines that are on it. Who waits while another waits for it shares that one's wait.
type disk struct {
	mu     sync.Mutex // held while waiting for the disk
	lines  int        // that are on it
	failed int        // lines that a failed wait was to bring there; the system may not have kept them
	err    error      // of that
}

const (
	// maxLog is how large a log gets, in bytes; readers take it into memory. What has begun may be seen to its end: it has
	// endRoom more.
	maxLog  = 256 << 20
	endRoom = 8 << 20
)

// errFull says that nothing more can be recorded, and therefore nothing done.
var errFull = fmt.Errorf("it has reached its limit of %d MiB: start a new session", maxLog>>20)

// CreateLog makes the log at path, and its folder when that does not exist. A file that is there already is an error: a
// log belongs to one session of one process, and a later one goes on in a log of its own. Only the user can read it. No
// record of any kind has one of the secrets, as far as those are known when it is written.
func CreateLog(path string, secrets *secret.Filter) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	syncFolder(filepath.Dir(path))
	_, _ = regular.TryLock(file) // for Held; where files cannot be locked, no log is
	return &Log{path: path, secrets: secrets, file: file}, nil
}

// syncFolder puts the name of a new file on disk, where the system can do that.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// Held tells whether the process that writes the log at path still has it open. Where files cannot be locked it is
// false.
func Held(path string) bool {
	file, err := openLog(path)
	if err != nil {
		return false
	}
	defer file.Close()
	free, err := regular.TryLock(file)
	return err == nil && !free
}

// Keep has put store the whole results and arguments of which records have a part.
func (l *Log) Keep(put func(data []byte) (digest string, err error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put, l.kept = put, map[[sha256.Size]byte]bool{}
}

// Path is where the log is.
func (l *Log) Path() string { return l.path }

// Size is how large the log is, in bytes.
func (l *Log) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

// Append writes r as one line and returns when it is on disk. Printed text, usage and the preview before a run are
// handed to the system and not waited for: they outlast the program, if not the machine.
func (l *Log) Append(r Record) error {
	l.mu.Lock()
	note := l.keep(r.Values)
	l.mu.Unlock()
	if note != "" {
		if err := l.Append(Record{Time: r.Time, Kind: KindNote, Text: note}); err != nil {
			return err
		}
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("session log %s: %w", l.path, err)
	}
	line = l.secrets.Now().JSON(line)
	n, err := l.write(r, line)
	if err != nil || r.Kind == KindOutput || r.Kind == KindUsage || r.Before != "" {
		return err // the question after a preview waits for it too
	}
	return l.sync(n)
}

// write adds a line and returns how many there are.
func (l *Log) write(r Record, line []byte) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	room := maxLog - l.size
	if r.Kind == KindCall || r.Kind == KindOutcome {
		room += endRoom
	}
	if int64(len(line)) > room {
		return 0, fmt.Errorf("session log %s: %w", l.path, errFull)
	}
	line, chain := chained(line, l.chain)
	l.size += int64(len(line)) + 1
	line = append(line, '\n')
	if l.torn {
		line = append([]byte{'\n'}, line...)
	}
	_, err = l.file.Write(line)
	if l.torn = err != nil; l.torn {
		return 0, fmt.Errorf("session log: %w", err)
	}
	l.chain = chain
	l.lines++
	return l.lines, nil
}

// sync returns when the first n lines are on disk.
func (l *Log) sync(n int) error {
	d := &l.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case n <= d.failed:
		return d.err
	case n <= d.lines:
		return nil
	}
	l.mu.Lock()
	all := l.lines
	l.mu.Unlock()
	if err := l.file.Sync(); err != nil {
		d.failed, d.err = all, fmt.Errorf("session log %s: %w", l.path, err)
		return d.err
	}
	d.lines = all
	return nil
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// Read returns the records of the log at path, oldest first, and what is wrong with its lines. Lines that are no
// records, such as one that a killed process left half written, are left out.
func Read(path string) (records []Record, d Damage, err error) {
	file, err := openLog(path)
	if err != nil {
		return nil, d, err
	}
	defer file.Close()
	var links links
	err = eachLine(file, func(n int, line []byte) {
		var r Record
		if json.Unmarshal(line, &r) != nil || r.Kind == "" {
			d.Torn++
			return
		}
		records = append(records, r)
		links.check(n, line, &d)
	})
	if err != nil {
		return records, d, fmt.Errorf("session log %s: %w", path, err)
	}
	return records, d, nil
}

// openLog opens the log at path for reading.
func openLog(path string) (*os.File, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	if info, err := file.Stat(); err == nil && info.Size() > 2*maxLog {
		return nil, errors.Join(fmt.Errorf("session log %s: larger than %d MiB", path, 2*maxLog>>20), file.Close())
	}
	return file, nil
}

package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// A Log is a session's file. Safe for concurrent use.
type Log struct {
	path string
	mu   sync.Mutex
	file *os.File
}

// OpenLog opens the log at path for appending, and makes it and its folder when they do not exist. Only the user can
// read them. A last line that a killed process left half written is ended, so that the next record stands alone.
func OpenLog(path string) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("session log: %w", err)
	}
	if err := endLine(file); err != nil {
		return nil, errors.Join(fmt.Errorf("session log %s: %w", path, err), file.Close())
	}
	return &Log{path: path, file: file}, nil
}

func endLine(file *os.File) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, size-1); err != nil {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	_, err = file.Write([]byte{'\n'})
	return err
}

// Path is where the log is.
func (l *Log) Path() string { return l.path }

// Append writes r as one line and returns when it is on disk.
func (l *Log) Append(r Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("session log %s: %w", l.path, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("session log: %w", err)
	}
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("session log %s: %w", l.path, err)
	}
	return nil
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// Read returns the records of the log at path, oldest first. Lines that are no records, such as one that a killed
// process left half written, are passed over and counted in torn.
func Read(path string) (records []Record, torn int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("session log: %w", err)
	}
	defer file.Close()
	in := bufio.NewReader(file)
	for {
		line, err := in.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			var r Record
			if json.Unmarshal(text, &r) != nil || r.Kind == "" {
				torn++
			} else {
				records = append(records, r)
			}
		}
		if errors.Is(err, io.EOF) {
			return records, torn, nil
		}
		if err != nil {
			return records, torn, fmt.Errorf("session log %s: %w", path, err)
		}
	}
}

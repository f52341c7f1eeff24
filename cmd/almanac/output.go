// This file wraps standard output and standard error: redaction, sanitising, and the first write error.

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"almanac/catalog/secret"
	"almanac/catalog/text"
)

// An output is standard output with secrets redacted. It keeps the first write error, so that a lost answer does not
// count as success. It may be used concurrently.
type output struct {
	w       io.Writer
	mu      sync.Mutex
	secrets *secret.Stream
	// err is the first error of w.
	err error
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := io.WriteString(o.w, o.secrets.Write(string(b))); err != nil {
		o.fail(err)
		return 0, fmt.Errorf("standard output: incomplete: %w", err)
	}
	return len(b), nil
}

// fail keeps the first error.
func (o *output) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// end flushes what was held back and returns the first write error.
func (o *output) end() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err := io.WriteString(o.w, o.secrets.End())
	if o.fail(err); o.err == nil {
		return nil
	}
	return fmt.Errorf("standard output: incomplete: %w", o.err)
}

// terminal is the terminal that the output goes to; nil if it is not one.
func (o *output) terminal() *os.File { return terminalOf(o) }

// shown is where to write foreign text: sanitised for a terminal, unchanged for a file or a pipe.
func (o *output) shown() io.Writer {
	if o.terminal() == nil {
		return o
	}
	return &cleaned{w: o}
}

// A cleaned writer escapes control characters and redacts secrets. A character written in two pieces is held back until
// it is complete. It may be used concurrently.
type cleaned struct {
	w       io.Writer
	mu      sync.Mutex
	secrets *secret.Stream
	half    []byte
}

func (c *cleaned) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := append(c.half, b...)
	whole := len(all)
	for n := 1; n < utf8.UTFMax && n <= len(all); n++ {
		if at := len(all) - n; utf8.RuneStart(all[at]) {
			if !utf8.FullRune(all[at:]) {
				whole = at
			}
			break
		}
	}
	c.half = bytes.Clone(all[whole:])
	if _, err := io.WriteString(c.w, text.Sanitize(c.secrets.Write(string(all[:whole])))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// end flushes what was held back. There is nowhere left to report an error.
func (c *cleaned) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.w, text.Sanitize(c.secrets.End()))
}

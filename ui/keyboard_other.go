//go:build !unix

package ui

import (
	"io"
	"os"
)

// newKeyboard is file: there is no way here to wait for a key for a while only.
func newKeyboard(file *os.File) io.Reader { return file }

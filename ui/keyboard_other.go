//go:build !unix

package ui

import (
	"io"
	"os"
)

// keyboard is file: there is no way here to wait for a key for a while only.
func keyboard(file *os.File) io.Reader { return file }

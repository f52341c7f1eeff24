//go:build !unix

package ui

import "os"

// A job is the program as its shell sees it: there is no job control here.
type job struct{ signals chan os.Signal }

// Heed and Ignore do nothing.
func (j job) Heed()   {}
func (j job) Ignore() {}

// Stop returns errNoJobControl.
func (j job) Stop() error { return errNoJobControl }

// message returns nil: no signal is the shell's.
func (j job) message(os.Signal) any { return nil }

// Command almanac is a terminal in which a developer and a language model share one Lua session over a large catalog
// of actions. See README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/adrg/xdg"

	"almanac/session/kernel"
)

func main() {
	if kernel.Main() {
		return
	}
	settleHome()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// settleHome gives a program that was started without a home folder, as services are, or with a relative one that of
// its user: what it keeps would else be in the root of the disk, or in the folder that it was started from.
func settleHome() {
	if runtime.GOOS == "windows" || filepath.IsAbs(os.Getenv("HOME")) {
		return
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) && os.Setenv("HOME", u.HomeDir) == nil {
		xdg.Reload()
	}
}

// The exit codes.
const (
	exitOK         = 0
	exitFailed     = 1 // the script or the model failed
	exitUsage      = 2
	exitConfig     = 3 // configuration or credentials
	exitDenied     = 4 // approval needed or denied
	exitLimit      = 5
	exitHungUp     = 129
	exitInterrupt  = 130
	exitTerminated = 143
)

// An exitError is an error with its exit code. A nil Err has already been reported.
type exitError struct {
	Code int
	Err  error
}

func (e *exitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

func (e *exitError) Unwrap() error { return e.Err }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

func misconfigured(err error) error { return &exitError{exitConfig, err} }

// misconfiguredIf is misconfigured for an error that may be nil.
func misconfiguredIf(err error) error {
	if err == nil {
		return nil
	}
	return misconfigured(err)
}

// A signalled is the cause of a context ended by a signal.
type signalled struct{ os.Signal }

func (s signalled) Error() string { return s.Signal.String() }

// run is the whole program as a function: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := newCredentials()
	told := &cleaned{w: stderr, secrets: c.filter.Stream()}
	defer told.end()
	p := &program{stdin: stdin, stdout: &output{w: stdout, secrets: c.filter.Stream()}, stderr: told, credentials: c}
	ctx, err := dispatch(args, p)
	if told := p.stdout.end(); err == nil {
		err = told
	}
	code := exitCode(ctx, err)
	var exit *exitError
	if err == nil || errors.As(err, &exit) && exit.Err == nil || code >= exitHungUp {
		return code
	}
	fmt.Fprintf(p.stderr, "almanac: %v\n", err)
	var remedy interface{ Hint() string }
	if errors.As(err, &remedy) && remedy.Hint() != "" {
		fmt.Fprintf(p.stderr, "  hint: %s\n", remedy.Hint())
	}
	return code
}

// until returns a context that ends with a signalled as cause when one of the signals arrives.
func until(signals ...os.Signal) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, signals...)
	go func() {
		select {
		case s := <-got:
			cancel(signalled{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		cancel(nil)
	}
}

// signalCode is the exit code of a program ended by a signal.
func signalCode(s os.Signal) int {
	switch s {
	case os.Interrupt:
		return exitInterrupt
	case syscall.SIGHUP:
		return exitHungUp
	}
	return exitTerminated
}

func exitCode(ctx context.Context, err error) int {
	var s signalled
	if errors.As(context.Cause(ctx), &s) {
		return signalCode(s.Signal)
	}
	if err == nil {
		return exitOK
	}
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	return exitFailed
}

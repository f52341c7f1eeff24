package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"almanac/catalog"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/vm"
)

// This file holds the program that the end-to-end tests start: this test binary with the real session and its Lua
// process.

// programEnv makes the test binary be the program.
const programEnv = "ALMANAC_UI_TEST_PROGRAM"

// colorEnv makes it use colours.
const colorEnv = "ALMANAC_UI_TEST_COLOR"

// program is the main of the program under test; it returns the exit code.
func program() int {
	ctx := context.Background()
	err := func() error {
		c, _ := catalog.New(testEntries(), catalog.Options{})
		feed := event.NewFeed()
		s, err := session.New(c.View(), feed.Session(session.Options{
			// The person ends the endless scripts of the tests, not a limit.
			Limits: vm.Limits{Steps: 1 << 50, Time: time.Hour},
			Policy: policy.Policy{Mode: policy.Ask},
		}, true))
		if err != nil {
			return err
		}
		defer s.Close()
		sh := repl.New(repl.Options{Session: s, Feed: feed, History: input.OpenHistory("", "test"), Themes: ThemeNames()})
		return Run(ctx, sh, Options{
			NoColor: os.Getenv(colorEnv) == "", Intro: []string{"almanac test", "lua mode", "? help"},
		})
	}()
	var signaled *Signaled
	switch {
	case errors.As(err, &signaled):
		return 128 + int(signaled.Signal.(syscall.Signal))
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// This file copies text to the clipboard.

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"
)

// copyTime is the timeout of a clipboard program.
const copyTime = 2 * time.Second

// copyOut copies text into the tmux buffer, or with the first usable clipboard program. It returns the way used, and
// only if the program confirmed it.
func copyOut(text string) (via string, err error) {
	err = errors.New("no tmux and no clipboard program: wl-copy, xclip, xsel, pbcopy or clip.exe")
	for _, r := range copyRoutes() {
		if err = pipeInto(text, r.path, r.args[1:]); err == nil {
			return r.via, nil
		}
	}
	return "", err
}

// A copyRoute is a program that copies its input, and where to.
type copyRoute struct {
	via  string
	when bool
	args []string
	path string
}

// copyRoutes are the programs that are there, the best first.
func copyRoutes() []copyRoute {
	wayland, x11 := os.Getenv("WAYLAND_DISPLAY") != "", os.Getenv("DISPLAY") != ""
	var there []copyRoute
	for _, r := range []copyRoute{
		// With -w tmux also passes the text to the terminal's clipboard; versions before 3.2 have no -w.
		{via: "tmux buffer", when: os.Getenv("TMUX") != "", args: []string{"tmux", "load-buffer", "-w", "-"}},
		{via: "tmux buffer", when: os.Getenv("TMUX") != "", args: []string{"tmux", "load-buffer", "-"}},
		{via: "wl-copy", when: wayland, args: []string{"wl-copy"}},
		{via: "xclip", when: x11, args: []string{"xclip", "-selection", "clipboard"}},
		{via: "xsel", when: x11, args: []string{"xsel", "--clipboard", "--input"}},
		{via: "pbcopy", when: true, args: []string{"pbcopy"}},
		{via: "clip.exe", when: true, args: []string{"clip.exe"}},
	} {
		path, err := exec.LookPath(r.args[0])
		if r.path = path; r.when && err == nil {
			there = append(there, r)
		}
	}
	return there
}

func pipeInto(text, path string, args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), copyTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin = strings.NewReader(text)
	// A clipboard program may leave a child behind that serves the text; Wait would wait for its streams.
	cmd.WaitDelay = time.Second
	return cmd.Run()
}

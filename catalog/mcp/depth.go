package mcp

// This file prevents endless recursion: almanac serving a configuration that starts almanac.

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// depthVariable is the variable of the environment that tells a server how many programs like this one stand above it.
const depthVariable = "ALMANAC_DEPTH"

// errNested says that a server was not started because it would be one more almanac below another.
var errNested = errors.New("an almanac that runs as an MCP server does not start another")

// depth reads the variable; one that is not set is zero.
func depth(getenv func(string) (string, bool)) (int, error) {
	text, _ := getenv(depthVariable)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s: want a number, got %q: unset it", depthVariable, clean(text, 40))
	}
	return n, nil
}

// nested fails if starting the server could recurse endlessly: below one almanac, no command named almanac is started;
// below two, where a script must have hidden the name, no command at all.
func (s endpoint) nested(depth int) error {
	own := func(word string) bool {
		name := strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
		return name == "almanac" || name == strings.TrimSuffix(path.Base(strings.ReplaceAll(os.Args[0], `\`, "/")), ".exe")
	}
	if len(s.Command) == 0 || depth < 1 || depth == 1 && !slices.ContainsFunc(s.Command, own) {
		return nil
	}
	return fmt.Errorf("mcp server %s: %w: remove it from the inner configuration (%s is %d)", s.Name, errNested,
		depthVariable, depth)
}

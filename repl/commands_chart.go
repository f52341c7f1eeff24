package repl

// This file is /chart: a column of the last result, or of any value, as bars or as a line of text.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/lua"
	"almanac/repl/event"
	"almanac/session"
	"almanac/session/vm"
)

const chartUsage = "/chart [FIELD] [by FIELD] [of EXPR]"

// chartScript is the Lua that draws what arg asks for: `total by month of open`.
func chartScript(arg string, ascii bool) (string, error) {
	rows := "_"
	words := strings.Fields(arg)
	if first := strings.Join(words, " "); first != "" && !lua.IsName(words[0]) &&
		!strings.Contains(" "+first+" ", " of ") {
		rows, words = arg, nil // no field: nil, {1, 2}, open.items
	}
	var options []string
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "of" && i+1 < len(words):
			_, rows, _ = strings.Cut(" "+arg, " of ")
			i = len(words)
		case words[i] == "by" && i+1 < len(words):
			options = append(options, "by = "+lua.Quote(words[i+1]))
			i++
		case i == 0 && words[0] == "sum" && len(words) > 1 && words[1] != "by" && words[1] != "of":
			words = words[1:] // sums are drawn anyway
			i--
		case i == 0:
			options = append(options, "y = "+lua.Quote(words[i]))
		default:
			return "", &UsageError{
				usage: chartUsage,
				message: fmt.Sprintf("chart: unexpected %q after %q: want one field, then by FIELD, then of EXPR", words[i],
					words[i-1]),
			}
		}
	}
	if ascii {
		options = append(options, "ascii = true")
	}
	return fmt.Sprintf("chart(%s, {%s})", rows, strings.Join(options, ", ")), nil
}

func chart(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	isTable := func(g vm.Global) bool { return g.Name == arg && g.Type == "table" }
	if slices.ContainsFunc(sh.options.Session.Globals(), isTable) { // rather than a field of that name
		arg = "of " + arg
	}
	source, err := chartScript(arg, sh.options.ASCII)
	if err != nil {
		return err
	}
	o, err := sh.options.Session.Run(ctx, session.Script{Source: source, Name: "chart", Author: session.User})
	switch {
	case err != nil || o.Err == nil:
		return err
	case o.Err.Kind == vm.Runtime && strings.HasPrefix(o.Err.Message, "chart: "): // its code is not the person's
		return &UsageError{usage: chartUsage, message: o.Err.Message}
	}
	return sh.ran(c, o, nil)
}

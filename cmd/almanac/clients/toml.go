package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// tomlEditor edits TOML by whole tables: lines from one header to the next.
type tomlEditor struct{}

func (tomlEditor) decode(text string) (map[string]any, error) {
	all := map[string]any{}
	if _, err := toml.Decode(text, &all); err != nil {
		var place toml.ParseError
		if errors.As(err, &place) {
			return nil, fmt.Errorf("line %d: %s", place.Position.Line, place.Message)
		}
		return nil, err
	}
	return all, nil
}

func (tomlEditor) cut(text, table, name string) (rest, taken string, err error) {
	var kept, out []string
	inside := false
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if header(line) != nil {
			path := header(line)
			inside = len(path) >= 2 && path[0] == table && path[1] == name
		} else if inside && remark(lines[i:]) {
			inside = false
		}
		if inside {
			out = append(out, line)
		} else {
			kept = append(kept, line)
		}
	}
	if len(out) == 0 {
		return "", "", fmt.Errorf("no table [%s.%s]: edit the file by hand", table, name)
	}
	return strings.Join(kept, ""), strings.TrimSpace(strings.Join(out, "")) + "\n", nil
}

// remark reports whether only comments and blank lines stand before the next header, with a comment first: they are
// about what follows.
func remark(lines []string) bool {
	if !strings.HasPrefix(strings.TrimSpace(lines[0]), "#") {
		return false
	}
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if header(line) != nil {
			return true
		}
		if line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return false
}

// header is the path of a table's header, nil for another line.
func header(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "[") || strings.HasPrefix(line, "[[") {
		return nil
	}
	var table map[string]any
	if _, err := toml.Decode(line, &table); err != nil {
		return nil
	}
	path := []string{}
	for len(table) == 1 {
		for key, inner := range table {
			path = append(path, key)
			table, _ = inner.(map[string]any)
		}
	}
	return path
}

func (tomlEditor) written(table, name string, entry any) (string, error) {
	text, err := json.Marshal(entry)
	if err != nil {
		return "", err
	}
	var plain map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := toml.NewEncoder(&b)
	e.Indent = ""
	err = e.Encode(map[string]any{table: map[string]any{name: plain}})
	return strings.TrimPrefix(b.String(), "["+table+"]\n"), err
}

func (tomlEditor) add(text, _, _, entry string, _ bool) (string, error) {
	if text = strings.TrimRight(text, "\n"); text != "" {
		text += "\n\n"
	}
	return text + entry, nil
}

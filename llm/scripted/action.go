package scripted

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"almanac/llm"
)

// This file reads actions: from the specifications that the describe tool answers with, and from tools.

// An action is what has been read of one.
type action struct {
	id, tool string
	about    string
	params   []param
	fields   []param // of the result; none where that is not known
	list     bool    // the result is a list
	mutates  bool
}

// A param is an argument or a field.
type param struct {
	name, kind, about string
	required          bool
	enum              []string
	most              int // the largest integer; 0 for none
}

var (
	specHead = regexp.MustCompile(`(?m)^(\S+)\((?:args)?\) -> (.*)$`)
	specLine = regexp.MustCompile(`^- (\w+): ([\w<>-]+)(.*)$`)
	oneOf    = regexp.MustCompile(`one of ((?:"[^"]*"(?:, )?)+)`)
	atMost   = regexp.MustCompile(`<= (\d+)`)
	like     = regexp.MustCompile(`\b([a-z]{3}_)\d+`)
	hitLine  = regexp.MustCompile(`(?m)^(\S+?)\(.*`)
)

// specsOf reads an answer of the describe tool.
func specsOf(text string) []action {
	heads := specHead.FindAllStringSubmatchIndex(text, -1)
	var actions []action
	for i, at := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		a := action{id: text[at[2]:at[3]], list: strings.HasPrefix(text[at[4]:at[5]], "list")}
		into := (*[]param)(nil)
		for n, line := range strings.Split(text[at[1]:end], "\n") {
			switch {
			case n == 1:
				a.about = line
			case line == "Args:":
				into = &a.params
			case line == "Returns:":
				into = &a.fields
			case line == "Example:" || line == "Safety:":
				into = nil
			case strings.HasPrefix(line, "mutates"):
				a.mutates = true
			}
			if m := specLine.FindStringSubmatch(line); m != nil && into != nil {
				*into = append(*into, paramOf(m[1], m[2], m[3]))
			}
		}
		actions = append(actions, a)
	}
	return actions
}

func paramOf(name, kind, rest string) param {
	p := param{name: name, kind: kind, about: rest, required: strings.HasPrefix(rest, ", required")}
	if m := oneOf.FindStringSubmatch(rest); m != nil {
		for _, word := range strings.Split(m[1], ", ") {
			p.enum = append(p.enum, strings.Trim(word, `"`))
		}
	}
	if m := atMost.FindStringSubmatch(rest); m != nil {
		p.most, _ = strconv.Atoi(m[1])
	}
	return p
}

// toolsOf reads tools that are actions.
func toolsOf(tools []llm.Tool) []action {
	var actions []action
	for _, t := range tools {
		var schema struct {
			Required   []string `json:"required"`
			Properties map[string]struct {
				Type        any      `json:"type"`
				Description string   `json:"description"`
				Enum        []any    `json:"enum"`
				Maximum     *float64 `json:"maximum"`
			} `json:"properties"`
		}
		if json.Unmarshal(t.Schema, &schema) != nil {
			continue
		}
		a := action{
			id: strings.Replace(t.Name, "_", ".", 2), tool: t.Name, about: t.Description,
			mutates: strings.Contains(t.Description, "(changes data"),
		}
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			field := schema.Properties[name]
			kind, _ := field.Type.(string)
			p := param{name: name, kind: kind, about: field.Description, required: slices.Contains(schema.Required, name)}
			for _, v := range field.Enum {
				if word, ok := v.(string); ok {
					p.enum = append(p.enum, word)
				}
			}
			if field.Maximum != nil {
				p.most = int(*field.Maximum)
			}
			a.params = append(a.params, p)
		}
		actions = append(actions, a)
	}
	return actions
}

// words are those of an action's id and of what it is about.
func (a action) words() []string {
	return wordsOf(strings.NewReplacer(".", " ", "_", " ").Replace(a.id) + " " + a.about)
}

// noun is the kind of record that an action is about: "invoice" of shop.invoice.list.
func (a action) noun() string {
	segments := strings.Split(a.id, ".")
	if len(segments) < 2 {
		return ""
	}
	return segments[len(segments)-2]
}

// param finds one by its name.
func (a action) param(name string) (param, bool) {
	i := slices.IndexFunc(a.params, func(p param) bool { return p.name == name })
	if i < 0 {
		return param{}, false
	}
	return a.params[i], true
}

// isRecord tells that a parameter names a record.
func (p param) isRecord() bool { return strings.HasSuffix(p.name, "_id") }

// prefix begins the ids of the records that a parameter names, as its description shows them.
func (p param) prefix() string {
	if m := like.FindStringSubmatch(p.about); m != nil {
		return m[1]
	}
	return ""
}

// recordNoun is "customer" of customer_id and of into_customer_id.
func (p param) recordNoun() string {
	parts := strings.Split(strings.TrimSuffix(p.name, "_id"), "_")
	return parts[len(parts)-1]
}

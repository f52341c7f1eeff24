// This file reads the [models.NAME] tables of the user's file: models by name, each with its server.

package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
	"almanac/catalog/secret"
	"almanac/llm"
	"almanac/llm/openai"
)

// A modelTable is one [models.NAME] table.
type modelTable struct {
	name, model, baseURL, api string
	key                       keySource
	window                    int
	images                    bool
	price                     llm.Price
	line                      int
	// values are the keys that are set, as they can be shown.
	values map[string]configValue
}

// A keySource says where the key of a model's server is; the zero keySource has none.
type keySource struct {
	env, keyring string
	command      []string
}

// modelKeys are the keys of a table.
var modelKeys = []string{
	"model", "base_url", "key_env", "key_keyring", "key_command", "context_window", "price_in", "price_cached",
	"price_out", "api", "images",
}

var (
	// targetName is what a table may be called: a word that can be typed after /model and --model.
	targetName = regexp.MustCompile(`^[\pL\pN][\pL\pN._:/@+-]*$`)
)

// maxPrice is more than any price.
const maxPrice = 1e9

const keyHint = `say where the key is: key_env = "VARIABLE", key_keyring = "NAME" or key_command = ["PROGRAM", "ARG"]`

// takeModels reads the models table of a file.
func (f *configFile) takeModels(value any, lines map[string]int) (errs []*keyError) {
	tables, ok := value.(map[string]any)
	if !ok {
		return []*keyError{{Line: lines["models"], Key: "models", Message: "want tables: [models.NAME]"}}
	}
	for name, value := range tables {
		t := modelTable{name: name, model: name, line: lines["models."+name], values: map[string]configValue{}}
		table, ok := value.(map[string]any)
		if message := badTable(name, table, ok); message != "" {
			errs = append(errs, &keyError{Line: t.line, Key: "models." + name, Message: message})
			continue
		}
		keys := 0
		for key, value := range table {
			at := "models." + name + "." + key
			v := configValue{line: cmp.Or(lines[at], t.line)}
			if v.list, v.many = texts(value); !v.many {
				v.text = fmt.Sprint(value)
			}
			if message, hint := t.take(key, value, v); message != "" {
				errs = append(errs, &keyError{v.line, at, message, hint})
				continue
			}
			v.text, _ = secret.Address(v.text)
			if key == "key_command" && len(v.list) > 1 {
				v.list = []string{v.list[0], "…"} // a key may be written there
			}
			t.values[key] = v
			if strings.HasPrefix(key, "key_") {
				keys++
			}
		}
		switch {
		case keys > 1:
			errs = append(errs, &keyError{t.line, "models." + name, "more than one key", keyHint})
		case keys == 1 && t.baseURL == "":
			errs = append(errs, &keyError{t.line, "models." + name, "a key without the base_url of its server", ""})
		}
		f.models = append(f.models, t)
	}
	slices.SortFunc(f.models, func(a, b modelTable) int {
		return cmp.Or(a.line-b.line, strings.Compare(a.name, b.name))
	})
	return errs
}

// badTable says what is wrong with a table as a whole; empty for nothing.
func badTable(name string, table map[string]any, isTable bool) string {
	switch {
	case !isTable:
		return "want a table: [models.NAME]"
	case !targetName.MatchString(name):
		return "want a name of letters, digits and . _ : / @ + -"
	case name == "window":
		return "another name: /model window is a command"
	}
	for key, value := range table {
		if _, dotted := value.(map[string]any); dotted {
			return fmt.Sprintf("unknown table; a name with a dot needs quotes: [models.%q]", name+"."+key)
		}
	}
	return ""
}

// take sets one key; message says why it cannot.
func (t *modelTable) take(key string, value any, v configValue) (message, hint string) {
	_, isText := value.(string)
	isText = isText && v.text != ""
	number, isNumber := tomlNumber(value)
	isNumber = isNumber && number >= 0 && number < maxPrice
	const noKey = "secrets do not belong in this file"
	switch key {
	case "model":
		t.model = v.text
	case "base_url":
		t.baseURL = v.text
	case "api":
		t.api = v.text
		if v.text != openai.ChatAPI && v.text != openai.ResponsesAPI {
			return fmt.Sprintf("%q: want chat or responses", v.text), ""
		}
	case "key_env":
		if t.key.env = v.text; isText && !secret.NamesVariable(v.text) {
			return "want the name of a variable; " + noKey, keyHint
		}
	case "key_keyring":
		if t.key.keyring = v.text; isText && !secret.NamesEntry(v.text) {
			return "want the name of an entry in the keyring; " + noKey, keyHint
		}
	case "key_command":
		if t.key.command = v.list; len(v.list) == 0 || v.list[0] == "" {
			return `want a program and its arguments, like ["pass", "show", "openai"]`, ""
		}
		return "", ""
	case "context_window":
		t.window = int(number)
		if n, whole := value.(int64); !whole || n < 1 {
			return "want a number of tokens, like 128000", ""
		}
		return "", ""
	case "images":
		on, isBool := value.(bool)
		if t.images = on; !isBool {
			return "want true or false: whether the model sees pictures", ""
		}
		return "", ""
	case "price_in", "price_cached", "price_out":
		*map[string]*float64{
			"price_in": &t.price.In, "price_cached": &t.price.Cached, "price_out": &t.price.Out,
		}[key] = number
		if !isNumber {
			return "want what a million tokens cost, like 0.4", ""
		}
		return "", ""
	default:
		if key == "key" || secretKey.MatchString(key) {
			return noKey, keyHint
		}
		near := spelling.Nearest(strings.ReplaceAll(key, "-", "_"), modelKeys)
		if near != "" {
			near = ": did you mean " + near + "?"
		}
		return "unknown key" + near, "the keys are " + strings.Join(modelKeys, ", ")
	}
	if !isText {
		return "want a string", ""
	}
	return "", ""
}

func tomlNumber(value any) (float64, bool) {
	switch n := value.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// rows are the tables as almanac config shows them.
func (f configFile) modelRows() (rows []configured) {
	for _, t := range f.models {
		for _, key := range modelKeys {
			if v, set := t.values[key]; set {
				row := configured{"models." + t.name + "." + key, shownValues(key, v.String()), at(f, v)}
				rows = append(rows, row)
			}
		}
		if len(t.values) == 0 {
			rows = append(rows, configured{"models." + t.name, "", at(f, configValue{line: t.line})})
		}
	}
	return rows
}

const modelsTemplate = `
# A model by a name of your own, with its server: model = "fast", --model fast and /model fast choose it.
# Its key is read where the table says; without base_url it is at the server above, with that server's key.
# [models.fast]
# model = "gpt-4.1-mini"
# base_url = "https://api.openai.com/v1"
# key_env = "OPENAI_API_KEY"   # or key_keyring = "NAME", or key_command = ["PROGRAM", "ARG"]
# context_window = 1047576
# images = true                # it sees pictures
# price_in = 0.4               # of a million tokens, in any currency
# price_cached = 0.1
# price_out = 1.6
# api = "responses"            # or "chat"; without it, what the server wants of the model
`

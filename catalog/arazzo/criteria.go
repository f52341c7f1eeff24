package arazzo

// This file reads criteria: simple conditions with their own grammar, regular expressions and JSONPath.

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/theory/jsonpath"

	"almanac/catalog/expression"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// criteria reads a list of criteria.
func (c *compiler) criteria(n *tree.Node, at string) ([]any, error) {
	if n == nil {
		return nil, nil
	}
	if !n.Is(tree.List) {
		return nil, fault(at, "want a list")
	}
	var all []any
	for i, item := range n.Items() {
		one, err := c.criterion(item, fmt.Sprintf("%s[%d]", at, i))
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (c *compiler) criterion(n *tree.Node, at string) (map[string]any, error) {
	if err := known(n, at, "context", "condition", "type"); err != nil {
		return nil, err
	}
	condition := n.Get("condition").Scalar()
	if condition == "" {
		return nil, fault(at, "condition is missing")
	}
	kind := n.Get("type").Str()
	if n.Get("type").Is(tree.Object) {
		kind = n.At("type", "type").Str()
	}
	if kind == "" || kind == "simple" {
		made, err := c.simple(condition)
		if err != nil {
			return nil, fault(at, "condition: %v", err)
		}
		made["text"] = text.LineBytes(condition, 100)
		return made, nil
	}
	context, err := c.expression(n.Get("context").Str())
	if err != nil {
		return nil, fault(at, "context: %v", err)
	}
	made := map[string]any{"a": map[string]any{"e": context}, "text": text.LineBytes(condition, 100)}
	switch kind {
	case "regex":
		if _, err := regexp.Compile(condition); err != nil {
			return nil, fault(at, "condition: %v", err)
		}
		made["op"], made["pattern"] = "matches", condition
	case "jsonpath":
		if _, err := jsonpath.Parse(condition); err != nil {
			return nil, fault(at, "condition: %v", err)
		}
		made["op"], made["path"] = "path", condition
	default:
		return nil, fault(at, "type %s is not supported: want simple, regex or jsonpath", text.LineBytes(kind, 40))
	}
	return made, nil
}

// maxDeep bounds how deep a condition nests.
const maxDeep = 50

// A condition is being parsed.
type condition struct {
	c      *compiler
	tokens []string
	deep   int
}

// token is one word of a condition: an operator, a text in quotes, a number, a word, or an expression.
var token = regexp.MustCompile(`^\s*(&&|\|\||==|!=|<=|>=|[<>!()]|'(?:[^']|'')*'|-?[0-9]+(?:\.[0-9]+)?|true|false|null|` +
	`\$[A-Za-z]+(?:\.[A-Za-z0-9_-]+|\[[0-9]+\])*(?:#[^\s()=!<>&|]*)?)`)

// simple reads a condition such as $statusCode == 200 && $response.body#/items/0/id != null.
func (c *compiler) simple(s string) (map[string]any, error) {
	p := &condition{c: c}
	for rest := s; strings.TrimSpace(rest) != ""; {
		m := token.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("unknown at %q", text.LineBytes(strings.TrimSpace(rest), 40))
		}
		p.tokens, rest = append(p.tokens, m[1]), rest[len(m[0]):]
	}
	made, err := p.any()
	if err == nil && len(p.tokens) > 0 {
		err = fmt.Errorf("unexpected %q", text.LineBytes(p.tokens[0], 40))
	}
	return made, err
}

// next takes the next token if it is one of the words.
func (p *condition) next(words ...string) (string, bool) {
	if len(p.tokens) == 0 || !slices.Contains(words, p.tokens[0]) {
		return "", false
	}
	word := p.tokens[0]
	p.tokens = p.tokens[1:]
	return word, true
}

func (p *condition) any() (map[string]any, error) { return p.joined("||", "or", p.every) }

func (p *condition) every() (map[string]any, error) { return p.joined("&&", "and", p.compared) }

func (p *condition) joined(word, op string, part func() (map[string]any, error)) (map[string]any, error) {
	a, err := part()
	for err == nil {
		if _, ok := p.next(word); !ok {
			break
		}
		var b map[string]any
		if b, err = part(); err == nil {
			a = map[string]any{"op": op, "a": a, "b": b}
		}
	}
	return a, err
}

func (p *condition) compared() (map[string]any, error) {
	a, logical, err := p.operand()
	if err != nil {
		return nil, err
	}
	op, ok := p.next("==", "!=", "<=", ">=", "<", ">")
	if !ok {
		return a, nil
	}
	b, also, err := p.operand()
	if err == nil && (logical || also) {
		err = fmt.Errorf("%s compares values, not conditions", op)
	}
	status := func(x map[string]any) bool { e, _ := x["e"].(map[string]any); return e["root"] == "statusCode" }
	if err == nil && (status(b) || status(a) && !isNumber(b["lit"])) {
		err = fmt.Errorf("$statusCode is compared with a number: $statusCode %s 200", op)
	}
	return map[string]any{"op": op, "a": a, "b": b}, err
}

func isNumber(v any) bool {
	switch v.(type) {
	case int64, float64:
		return true
	}
	return false
}

// operand is a value, or a condition: one in parentheses, or a negated one.
func (p *condition) operand() (value map[string]any, logical bool, err error) {
	if p.deep++; p.deep > maxDeep {
		return nil, false, fmt.Errorf("nested deeper than %d", maxDeep)
	}
	defer func() { p.deep-- }()
	if _, ok := p.next("!"); ok {
		inner, _, err := p.operand()
		return map[string]any{"op": "not", "a": inner}, true, err
	}
	if _, ok := p.next("("); ok {
		inner, err := p.any()
		if _, closed := p.next(")"); err == nil && !closed {
			err = fmt.Errorf("a ) is missing")
		}
		_, logical := inner["op"]
		return inner, logical, err
	}
	if len(p.tokens) == 0 {
		return nil, false, fmt.Errorf("it ends too soon")
	}
	word := p.tokens[0]
	p.tokens = p.tokens[1:]
	switch {
	case word[0] == '$':
		e, get, err := p.c.dereferenced(word)
		return map[string]any{"e": e, "get": get}, false, err
	case word[0] == '\'':
		return map[string]any{"lit": strings.ReplaceAll(word[1:len(word)-1], "''", "'")}, false, nil
	case word == "true" || word == "false":
		return map[string]any{"lit": word == "true"}, false, nil
	case word == "null":
		return map[string]any{"lit": nil}, false, nil
	case word[0] == '-' || word[0] >= '0' && word[0] <= '9':
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			return map[string]any{"lit": n}, false, nil
		}
		f, err := strconv.ParseFloat(word, 64)
		return map[string]any{"lit": f}, false, err
	}
	return nil, false, fmt.Errorf("unexpected %q", text.LineBytes(word, 40))
}

// dereferenced is an expression with properties and places behind it: $response.body.items[0].id.
func (c *compiler) dereferenced(word string) (e map[string]any, get []any, err error) {
	head, pointer, pointed := strings.Cut(word, "#")
	var parts []string
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	}
	if body, ok := strings.CutPrefix(head, "$response.body"); ok && body != "" {
		head, parts = "$response.body", split(body)
		if pointed {
			return nil, nil, fmt.Errorf("%s: want properties or a pointer, got both", text.LineBytes(word, 60))
		}
	} else if i := strings.IndexByte(head, '['); i >= 0 {
		parts, head = split(head[i:]), head[:i]
	}
	if pointed {
		head += "#" + pointer
	}
	for _, part := range parts {
		get = append(get, part)
	}
	e, err = c.expression(head)
	return e, get, err
}

// expression is a runtime expression as the body of a workflow reads it.
func (c *compiler) expression(s string) (map[string]any, error) {
	e, err := expression.Parse(s)
	if err != nil {
		return nil, err
	}
	made := map[string]any{"root": e.Root, "text": text.LineBytes(e.Text, 100)}
	names := e.Names
	switch {
	case e.Root == "statusCode", e.Root == "inputs":
	case e.Root == "response" && names[0] == "body":
		made["root"], names = "body", nil
	case e.Root == "steps":
		if !slices.Contains(c.steps, names[0]) {
			return nil, fmt.Errorf("%s: no step %s", e.Text, names[0])
		}
		made["step"], names = names[0], names[1:]
	default:
		return nil, fmt.Errorf("%s is not supported: want $inputs, $steps.ID.outputs, $response.body or $statusCode", e.Text)
	}
	made["names"], made["pointer"] = list(names), list(e.Pointer)
	return made, nil
}

func list(parts []string) []any {
	all := make([]any, len(parts))
	for i, part := range parts {
		all[i] = part
	}
	return all
}

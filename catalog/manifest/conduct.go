package manifest

// This file reads how calls are conducted: how often they are tried, the key of a write, and hooks.

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/tree"
	"almanac/session/syntax"
)

// A conduct is what a declaration or an overlay says of how calls are made.
type conduct struct {
	retry *catalog.Retry
	key   *catalog.Key
	hooks *catalog.Hooks
}

// mostTries is how often a call may be tried.
const mostTries = 10

func (r *reading) conduct(p *properties) (c conduct, err error) {
	if c.retry, err = retryOf(&p.Retry); err != nil {
		return c, err
	}
	if c.key, err = keyOf(&p.Idempotency); err != nil {
		return c, err
	}
	checked, err := r.hookOf(&p.Before, "before", "args")
	if err != nil {
		return c, err
	}
	after, err := r.hookOf(&p.After, "after", "args, result")
	if checked != nil || after != nil {
		c.hooks = &catalog.Hooks{Checked: checked, After: after}
	}
	return c, err
}

func retryOf(n *yaml.Node) (*catalog.Retry, error) {
	if n.IsZero() {
		return nil, nil
	}
	var d struct {
		Tries *int   `yaml:"tries"`
		Wait  string `yaml:"wait"`
		Most  string `yaml:"most"`
	}
	if err := decode(n, "retry", &d); err != nil {
		return nil, err
	}
	retry := &catalog.Retry{}
	if d.Tries != nil {
		if retry.Tries = *d.Tries; retry.Tries < 1 || retry.Tries > mostTries {
			return nil, tree.FaultAt(n, "retry: tries: want 1 to %d, got %d", mostTries, retry.Tries)
		}
	}
	for _, t := range []struct {
		name, text string
		to         *time.Duration
	}{{"wait", d.Wait, &retry.Wait}, {"most", d.Most, &retry.Most}} {
		if t.text == "" {
			continue
		}
		pause, err := time.ParseDuration(t.text)
		if err != nil || pause <= 0 || pause > time.Minute {
			return nil, tree.FaultAt(n, "retry: %s: want a time such as 500ms or 2s, at most 1m, got %s", t.name, clip(t.text))
		}
		*t.to = pause
	}
	return retry, nil
}

func keyOf(n *yaml.Node) (*catalog.Key, error) {
	if n.IsZero() {
		return nil, nil
	}
	var d struct {
		Argument string `yaml:"argument"`
		Header   string `yaml:"header"`
	}
	if err := decode(n, "idempotency", &d); err != nil {
		return nil, err
	}
	if (d.Argument == "") == (d.Header == "") {
		return nil, tree.FaultAt(n, "idempotency: want {header: NAME}, or {argument: NAME}")
	}
	if d.Header != "" && !settable(d.Header) {
		return nil, tree.FaultAt(n, "idempotency: header: %s cannot be set here", clip(d.Header))
	}
	return &catalog.Key{Argument: d.Argument, Header: d.Header}, nil
}

// hookOf reads an expression of Lua over the names.
func (r *reading) hookOf(n *yaml.Node, key, names string) ([]catalog.Hook, error) {
	if n.IsZero() {
		return nil, nil
	}
	var source string
	if err := n.Decode(&source); err != nil || source == "" {
		return nil, tree.FaultAt(n, "%s: want an expression of Lua, as text, got %s", key, kindOf(n))
	}
	// In parentheses, as the session evaluates it, a statement behind the expression would pass.
	for _, form := range []string{"return %s", "return (%s\n)"} {
		if wrong := syntax.Check("local " + names + "; " + fmt.Sprintf(form, source)); wrong != nil {
			return nil, tree.FaultAt(n, "%s: want an expression of Lua over %s: %s", key, names, wrong.Error())
		}
	}
	name := fmt.Sprintf("%s (%s:%d)", key, filepath.Base(r.file), n.Line)
	return []catalog.Hook{{Name: name, Lua: source}}, nil
}

// isInput tells that a caller may send an argument of the name.
func isInput(e *catalog.Entry, name string) bool {
	return slices.ContainsFunc(e.Input.Fields(), func(f catalog.Field) bool { return f.Name == name })
}

// checkConduct says what of a declaration does not fit its action.
func checkConduct(e *catalog.Entry, d *declared) error {
	switch k := e.Key; {
	case k == nil:
	case !e.Mutates:
		return tree.FaultAt(&d.Idempotency, "idempotency: a read needs none")
	case k.Header != "" && !e.SendsKey:
		return tree.FaultAt(&d.Idempotency, "idempotency: header: only http sends one: use argument")
	case isInput(e, k.Argument):
		return tree.FaultAt(&d.Idempotency, "idempotency: %s is also an input: a caller may not send what the host fills in",
			k.Argument)
	}
	switch {
	case e.Retry == nil:
	case e.Action == nil:
		return tree.FaultAt(&d.Retry, "retry: Lua is not run again: its calls are tried again, each as declared")
	case e.Mutates && e.Key == nil && e.Retry.Tries != 1:
		return tree.FaultAt(&d.Retry, "retry: a write is tried again only with idempotency: {header: NAME} or {argument: NAME}")
	}
	return nil
}

// apply changes how calls of an entry are conducted. What cannot be is named to remark; hide tells that a caller might
// still send the key.
func (c *conduct) apply(e *catalog.Entry, remark func(format string, args ...any)) (hide bool) {
	e.Hooks = e.Hooks.With(c.hooks)
	switch k := c.key; {
	case k == nil || !e.Mutates:
	case k.Header != "" && !e.SendsKey:
		remark("idempotency: header: it sends none: use argument")
	case k.Argument != "":
		host := e.Inject // the key is none of the context's values
		switch inject(e, catalog.Injection{Field: k.Argument}) {
		case notThere:
			remark("idempotency: it has no parameter %s, and takes none", k.Argument)
		case notTakenOut:
			remark("idempotency: a caller might still send %s: the action is hidden", k.Argument)
			hide = true
		case takenOut:
			e.Key = k
		}
		e.Inject = host
	default:
		e.Key = k
	}
	switch {
	case c.retry == nil:
	case e.Action == nil && e.Lua != "":
		remark("retry: Lua is not run again: its calls are tried again, each as declared")
	case e.Mutates && e.Key == nil && c.retry.Tries != 1:
		remark("retry: a write is tried again only with idempotency")
	default:
		e.Retry = c.retry
	}
	return hide
}

package arazzo

// This file turns workflows into what their bodies read: plain data, in which every expression has been parsed. What it
// does not know fails, with its place.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/expression"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

const (
	// maxSteps bounds the steps of a workflow, mostDone how many a call of it makes.
	maxSteps = 100
	mostDone = 300
	// maxRetries is how often a step may be tried again.
	maxRetries = 10
	// maxPause is the longest pause before that, in seconds.
	maxPause = 60
)

// A reference names an operation of a document, or a workflow of this one.
type reference struct {
	source, id, path, method, workflow string
}

func (r reference) String() string {
	name := r.id
	if name == "" {
		name = strings.ToUpper(r.method) + " " + r.path
	}
	if r.workflow != "" {
		name = "workflow " + r.workflow
	}
	return text.LineBytes(strings.TrimPrefix(r.source+": "+name, ": "), 160)
}

// A step is one of a workflow.
type step struct {
	id           string
	calls        reference
	parameters   []parameter
	body         any
	replacements []any
	rest         map[string]any // criteria, outputs, success, failure
}

// A parameter is a value for a parameter of an operation or an input of a workflow.
type parameter struct {
	name, in, at string
	value        any
}

// A workflow is one of a document.
type workflow struct {
	name    string // its workflowId
	id      string // of its action
	steps   []step
	outputs map[string]any
}

// A compiler reads one workflow.
type compiler struct {
	root      *tree.Node
	documents []string // names of the sourceDescriptions that are OpenAPI documents
	workflows []string // ids of all workflows
	steps     []string // ids of the steps of this one
}

func fault(at, format string, args ...any) error {
	return fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...))
}

// known fails for members that are not among the names; those that begin with x- are not looked at.
func known(n *tree.Node, at string, names ...string) error {
	if !n.Is(tree.Object) {
		return fault(at, "want an object")
	}
	for _, name := range n.Names {
		if !slices.Contains(names, name) && !strings.HasPrefix(name, "x-") {
			return fault(at, "%s is not known: want %s", text.LineBytes(name, 40), strings.Join(names, ", "))
		}
	}
	return nil
}

// idForm is what ids of workflows and steps may be.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

func (c *compiler) workflow(n *tree.Node, at string) (w workflow, err error) {
	if err := known(n, at, "workflowId", "summary", "description", "inputs", "dependsOn", "steps", "successActions",
		"failureActions", "outputs", "parameters"); err != nil {
		return w, err
	}
	w.name = n.Get("workflowId").Str()
	if len(n.Get("dependsOn").Items()) > 0 {
		return w, fault(at+".dependsOn", "not supported: call the workflows as steps")
	}
	items := n.Get("steps").Items()
	if len(items) == 0 || len(items) > maxSteps {
		return w, fault(at+".steps", "want 1 to %d steps, got %d", maxSteps, len(items))
	}
	for i, item := range items {
		id := item.Get("stepId").Str()
		if !idForm.MatchString(id) || slices.Contains(c.steps, id) {
			return w, fault(fmt.Sprintf("%s.steps[%d].stepId", at, i),
				"want an id of letters, digits, _ and - that no other has")
		}
		c.steps = append(c.steps, id)
	}
	for i, item := range items {
		s, err := c.step(item, n, at+".steps."+c.steps[i])
		if err != nil {
			return w, err
		}
		w.steps = append(w.steps, s)
	}
	w.outputs, err = c.outputs(n.Get("outputs"), at+".outputs")
	return w, err
}

func (c *compiler) step(n, whole *tree.Node, at string) (s step, err error) {
	if err := known(n, at, "description", "stepId", "operationId", "operationPath", "workflowId", "parameters",
		"requestBody", "successCriteria", "onSuccess", "onFailure", "outputs"); err != nil {
		return s, err
	}
	s.id, s.rest = n.Get("stepId").Str(), map[string]any{}
	if s.calls, err = c.calls(n, at); err != nil {
		return s, err
	}
	flow := s.calls.workflow != ""
	if s.parameters, err = c.parameters(n.Get("parameters"), whole.Get("parameters"), at, flow); err != nil {
		return s, err
	}
	if body := n.Get("requestBody"); body != nil {
		if s.body, s.replacements, err = c.body(body, at+".requestBody"); err != nil {
			return s, err
		}
	}
	put := func(name string, list []any, e error) {
		if len(list) > 0 {
			s.rest[name] = list
		}
		if err == nil {
			err = e
		}
	}
	criteria, e := c.criteria(n.Get("successCriteria"), at+".successCriteria")
	put("criteria", criteria, e)
	for _, kind := range []struct{ on, of, as, where string }{{"onSuccess", "successActions", "success", "successActions"},
		{"onFailure", "failureActions", "failure", "failureActions"}} {
		list := n.Get(kind.on)
		if list == nil {
			list = whole.Get(kind.of)
		}
		actions, e := c.actions(list, at+"."+kind.on, kind.as == "failure")
		put(kind.as, actions, e)
	}
	outputs, e := c.outputs(n.Get("outputs"), at+".outputs")
	if err == nil {
		err = e
	}
	s.rest["outputs"] = outputs
	return s, err
}

// referred is an operationPath: "{$sourceDescriptions.NAME.url}#/paths/~1pets/get".
var referred = regexp.MustCompile(`^\{\$sourceDescriptions\.([A-Za-z0-9_-]+)\.url\}#/paths/([^/]+)/([a-z]+)$`)

// calls is what a step calls.
func (c *compiler) calls(n *tree.Node, at string) (r reference, err error) {
	id, path, flow := n.Get("operationId").Str(), n.Get("operationPath").Str(), n.Get("workflowId").Str()
	switch {
	case id != "" && path == "" && flow == "":
		if rest, ok := strings.CutPrefix(id, "$sourceDescriptions."); ok {
			r.source, id, _ = strings.Cut(rest, ".")
		}
		r.id = id
	case path != "" && id == "" && flow == "":
		m := referred.FindStringSubmatch(path)
		if m == nil {
			return r, fault(at+".operationPath", "want {$sourceDescriptions.NAME.url}#/paths/~1PATH/METHOD")
		}
		r.source, r.method = m[1], m[3]
		r.path = strings.NewReplacer("~1", "/", "~0", "~", "%7B", "{", "%7D", "}").Replace(m[2])
	case flow != "" && id == "" && path == "":
		if !slices.Contains(c.workflows, flow) {
			return r, fault(at+".workflowId", "no workflow %s in this document", text.LineBytes(flow, 80))
		}
		r.workflow = flow
	default:
		return r, fault(at, "want one of operationId, operationPath and workflowId")
	}
	if r.source != "" && !slices.Contains(c.documents, r.source) {
		return r, fault(at, "no sourceDescription %s of an OpenAPI document", text.LineBytes(r.source, 80))
	}
	return r, nil
}

// reused is an object or what its reference of the kind leads to.
func (c *compiler) reused(n *tree.Node, kind, at string) (*tree.Node, error) {
	ref := n.Get("reference").Str()
	if ref == "" {
		return n, nil
	}
	name, ok := strings.CutPrefix(ref, "$components."+kind+".")
	found := c.root.At("components", kind, name)
	if !ok || found == nil {
		return nil, fault(at, "%s leads to nothing under components.%s", text.LineBytes(ref, 80), kind)
	}
	return found, nil
}

func (c *compiler) parameters(own, shared *tree.Node, at string, flow bool) (all []parameter, err error) {
	for _, of := range []struct {
		list *tree.Node
		at   string
	}{{own, at + ".parameters"}, {shared, at + " (parameters of the workflow)"}} {
		if of.list != nil && !of.list.Is(tree.List) {
			return nil, fault(of.at, "want a list")
		}
		for i, item := range of.list.Items() {
			at := fmt.Sprintf("%s[%d]", of.at, i)
			if err := known(item, at, "name", "in", "value", "reference"); err != nil {
				return nil, err
			}
			n, err := c.reused(item, "parameters", at)
			if err != nil {
				return nil, err
			}
			p := parameter{name: n.Get("name").Str(), in: n.Get("in").Str(), at: at}
			if p.name == "" || p.in == "" && !flow {
				return nil, fault(at, "want a name and, for an operation, in")
			}
			if slices.ContainsFunc(all, func(have parameter) bool { return have.name == p.name && have.in == p.in }) {
				continue // the step's own goes before that of the workflow
			}
			given := n.Get("value")
			if over := item.Get("value"); over != nil {
				given = over
			}
			if given == nil {
				return nil, fault(at, "value is missing")
			}
			if p.value, err = c.value(given, at+".value"); err != nil {
				return nil, err
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// body is the payload of a request and what is replaced in it.
func (c *compiler) body(n *tree.Node, at string) (payload any, replacements []any, err error) {
	if err := known(n, at, "contentType", "payload", "replacements"); err != nil {
		return nil, nil, err
	}
	given := n.Get("payload")
	if given == nil {
		return nil, nil, fault(at, "payload is missing")
	}
	if kind := n.Get("contentType").Str(); given.Is(tree.Text) && (kind == "" || strings.Contains(kind, "json")) {
		if start := strings.TrimSpace(given.Text); strings.HasPrefix(start, "{\"") || strings.HasPrefix(start, "[") ||
			strings.HasPrefix(start, "{\n") {
			parsed, err := tree.Parse([]byte(start))
			if err != nil {
				return nil, nil, fault(at, "payload: it looks like JSON: %v", err)
			}
			given = parsed
		}
	}
	if payload, err = c.value(given, at+".payload"); err != nil {
		return nil, nil, err
	}
	for i, item := range n.Get("replacements").Items() {
		at := fmt.Sprintf("%s.replacements[%d]", at, i)
		if err := known(item, at, "target", "value"); err != nil {
			return nil, nil, err
		}
		e, err := expression.Parse("$response.body#" + item.Get("target").Str())
		if err != nil || len(e.Pointer) == 0 {
			return nil, nil, fault(at, "target: want a JSON Pointer such as /items/0")
		}
		value, err := c.value(item.Get("value"), at+".value")
		if err != nil {
			return nil, nil, err
		}
		replacements = append(replacements, map[string]any{"pointer": list(e.Pointer), "text": item.Get("target").Str(),
			"value": value})
	}
	return payload, replacements, nil
}

// actions reads what is done behind a step that succeeded or failed.
func (c *compiler) actions(n *tree.Node, at string, failure bool) (all []any, err error) {
	kind := map[bool]string{false: "successActions", true: "failureActions"}[failure]
	if n != nil && !n.Is(tree.List) {
		return nil, fault(at, "want a list")
	}
	for i, item := range n.Items() {
		at := fmt.Sprintf("%s[%d]", at, i)
		if item, err = c.reused(item, kind, at); err != nil {
			return nil, err
		}
		if err := known(item, at, "name", "type", "workflowId", "stepId", "retryAfter", "retryLimit",
			"criteria"); err != nil {
			return nil, err
		}
		a := map[string]any{"type": item.Get("type").Str()}
		to, flow := item.Get("stepId").Str(), item.Get("workflowId").Str()
		switch {
		case a["type"] == "end" && to == "" && flow == "":
		case a["type"] == "goto" && flow == "" && slices.Contains(c.steps, to):
			a["step"] = to
		case a["type"] == "goto" && to == "" && slices.Contains(c.workflows, flow):
			a["workflow"] = flow
		case a["type"] == "retry" && failure && to == "" && flow == "":
			limit, _ := item.Get("retryLimit").Plain().(int64)
			if limit < 0 || limit > maxRetries {
				return nil, fault(at+".retryLimit", "want at most %d, got %d", maxRetries, limit)
			}
			after, ok := item.Get("retryAfter").Plain().(float64)
			if n, whole := item.Get("retryAfter").Plain().(int64); whole {
				after, ok = float64(n), true
			}
			if item.Get("retryAfter") != nil && (!ok || after < 0 || after > maxPause) {
				return nil, fault(at+".retryAfter", "want 0 to %d seconds", maxPause)
			}
			a["limit"] = max(limit, 1)
			if after > 0 {
				a["after"] = after
			}
		default:
			return nil, fault(at, "want end, goto with a stepId or workflowId of this document, or, on failure, "+
				"retry without them")
		}
		criteria, err := c.criteria(item.Get("criteria"), at+".criteria")
		if err != nil {
			return nil, err
		}
		if len(criteria) > 0 {
			a["criteria"] = criteria
		}
		all = append(all, a)
	}
	return all, nil
}

func (c *compiler) outputs(n *tree.Node, at string) (map[string]any, error) {
	all := map[string]any{}
	var err error
	n.Each(func(name string, value *tree.Node) {
		e, wrong := c.expression(value.Str())
		if wrong != nil && err == nil {
			err = fault(at+"."+name, "%v", wrong)
		}
		all[name] = map[string]any{"e": e}
	})
	return all, err
}

// value is a value whose texts may be expressions, or have some in braces.
func (c *compiler) value(n *tree.Node, at string) (map[string]any, error) {
	switch {
	case n.Is(tree.Object):
		all := map[string]any{}
		for i, name := range n.Names {
			inner, err := c.value(n.Values[i], at+"."+name)
			if err != nil {
				return nil, err
			}
			all[name] = inner
		}
		return map[string]any{"map": all}, nil
	case n.Is(tree.List):
		all := []any{}
		for i, item := range n.Values {
			inner, err := c.value(item, fmt.Sprintf("%s[%d]", at, i))
			if err != nil {
				return nil, err
			}
			all = append(all, inner)
		}
		return map[string]any{"list": all}, nil
	case !n.Is(tree.Text):
		return map[string]any{"lit": n.Plain()}, nil
	}
	parts, err := expression.Split(n.Text)
	if err != nil {
		return nil, fault(at, "%v", err)
	}
	var all []any
	for _, p := range parts {
		one := map[string]any{"lit": p.Literal}
		if p.Expression != nil {
			e, err := c.expression(p.Expression.Text)
			if err != nil {
				return nil, fault(at, "%v", err)
			}
			one = map[string]any{"e": e}
		}
		all = append(all, one)
	}
	switch len(all) {
	case 0:
		return map[string]any{"lit": ""}, nil
	case 1:
		return all[0].(map[string]any), nil
	}
	return map[string]any{"cat": all}, nil
}

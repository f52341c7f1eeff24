package openapi

// This file calls operations.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/web"
)

// A binding is shared by the actions of one reading. What they call is known at the end of the reading, when bound is
// closed; it is nil if the reading failed.
type binding struct {
	bound chan struct{}
	to    *bound
}

// attach makes the action of an entry.
func (b *binding) attach(e *catalog.Entry) {
	text := e.Recipe
	e.Action = func(ctx context.Context, call catalog.Call) (catalog.Result, error) {
		to, err := b.wait(ctx)
		if err != nil {
			return catalog.Result{}, err
		}
		c, err := to.caller(text)
		if err != nil {
			return catalog.Result{}, err
		}
		return c.run(ctx, call)
	}
}

// wait returns what is called; a call of what has been read so far waits for the rest.
func (b *binding) wait(ctx context.Context) (*bound, error) {
	select {
	case <-b.bound:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if b.to == nil {
		return nil, errors.New("the document could not be read to its end")
	}
	return b.to, nil
}

// caller makes what calls an operation of its recipe.
func (b *bound) caller(text string) (*caller, error) {
	var r recipe
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return nil, fmt.Errorf("its recipe: %w", err)
	}
	if r.Group < 0 || r.Group >= len(b.groups) {
		return nil, errors.New("its recipe is not of this document")
	}
	g := &b.groups[r.Group]
	if g.broken != nil {
		return nil, g.broken
	}
	op := &operation{method: r.Method, path: r.Path, plan: r.Plan}
	op.plan.keys = b.keys
	return &caller{client: b.client, op: op, base: g.base, read: r.Read, auth: g.auth, paging: pagingOf(op)}, nil
}

// A caller calls one operation.
type caller struct {
	client *web.Client
	op     *operation
	base   string
	read   bool
	auth   [][]web.Auth
	paging paging
}

// run does a call.
func (c *caller) run(ctx context.Context, call catalog.Call) (catalog.Result, error) {
	req, err := c.op.request(c.base, call.Args)
	if err != nil {
		return catalog.Result{}, err
	}
	req.Auth, req.JSON = c.auth, c.op.plan.wantJSON
	if call.KeyHeader != "" {
		req.Header.Set(call.KeyHeader, call.Key)
	}
	answer, err := c.client.Do(ctx, req)
	var status *web.StatusError
	if errors.As(err, &status) && status.Status == http.StatusNotFound && c.read && c.op.plan.notFound {
		return catalog.Result{Note: "not found", Status: status.Status}, nil
	}
	if err != nil {
		return catalog.Result{}, err
	}
	result := catalog.Result{Data: answer.Data, Note: answer.Note, Status: answer.Status}
	if c.op.method == "head" {
		headers := map[string]any{}
		for name := range answer.Header {
			headers[strings.ToLower(name)] = answer.Header.Get(name)
		}
		result.Data = headers
	}
	if place := answer.Header.Get("Location"); result.Data == nil && place != "" {
		result.Data = map[string]any{"location": place}
	}
	if c.read {
		result.Next, result.Unsure = c.paging.next(call.Args, answer)
	}
	return result, nil
}

// request makes a request from checked arguments.
func (op *operation) request(base string, args map[string]any) (web.Request, error) {
	r := web.Request{Method: strings.ToUpper(op.method), Header: http.Header{}}
	path, used := op.path, map[string]bool{}
	var query []string
	var cookies []string
	for i := range op.plan.params {
		p := &op.plan.params[i]
		used[p.arg] = true
		v, given := args[p.arg]
		if !given || v == nil && p.in != "path" {
			continue
		}
		if err := op.clash(p, v); err != nil {
			return r, err
		}
		switch p.in {
		case "path":
			text := pathText(p, v)
			if text == "" || text == "." || text == ".." {
				return r, fmt.Errorf("argument %s: want a value that can be part of a path, got %q", p.arg, text)
			}
			path = strings.ReplaceAll(path, "{"+p.name+"}", text)
		case "query":
			query = append(query, queryText(p, v)...)
		case "querystring":
			if p.json {
				query = append(query, escape(jsonText(v), false))
			} else {
				query = append(query, encoded(pairs(p.name, p.style, p.explode, v)))
			}
		case "header":
			text := headerText(p, v)
			if strings.ContainsAny(text, "\r\n\x00") {
				return r, fmt.Errorf("argument %s: a header must be one line", p.arg)
			}
			r.Header.Set(p.name, text)
		case "cookie":
			for _, c := range pairs(p.name, "form", p.explode, v) {
				cookies = append(cookies, escape(c.name, false)+"="+escape(c.value, false))
			}
		}
	}
	if len(cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(cookies, "; "))
	}
	r.Header.Set("Accept", op.plan.accept)
	if op.plan.empty != "" {
		r.Header.Set("Content-Type", op.plan.empty)
	}
	path, own, _ := strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	if own != "" {
		query = append([]string{own}, query...)
	}
	r.URL = base + path
	if len(query) > 0 {
		r.URL += "?" + strings.Join(query, "&")
	}
	if op.plan.body == nil {
		return r, nil
	}
	return r, op.plan.body.write(&r, args, used)
}

func queryText(p *param, v any) []string {
	if p.json {
		return []string{escape(p.name, false) + "=" + escape(jsonText(v), false)}
	}
	list := pairs(p.name, p.style, p.explode, v)
	if len(list) == 0 {
		return nil
	}
	if p.reserved {
		parts := make([]string, len(list))
		for i, one := range list {
			parts[i] = escape(one.name, false) + "=" + escape(one.value, true)
		}
		return parts
	}
	if items, isList := v.([]any); isList && !p.explode && p.style != "deepObject" {
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = escape(scalarText(item), false)
		}
		between := separator(p.style)
		if between != "," {
			between = escape(between, false)
		}
		return []string{escape(p.name, false) + "=" + strings.Join(parts, between)}
	}
	return []string{encoded(list)}
}

func headerText(p *param, v any) string {
	if p.json {
		return jsonText(v)
	}
	return joined(v, p.explode, ",", same)
}

// write adds the body to the request. used are the arguments already sent elsewhere.
func (b *body) write(r *web.Request, args map[string]any, used map[string]bool) error {
	if b.whole != "" {
		v, given := args[b.whole]
		if !given {
			return nil
		}
		return b.send(r, v)
	}
	object := map[string]any{}
	for _, f := range b.fields {
		used[f.arg] = true
		if v, given := args[f.arg]; given {
			object[f.name] = v
		}
	}
	if b.open {
		for _, name := range slices.Sorted(maps.Keys(args)) {
			if !used[name] {
				object[name] = args[name]
			}
		}
	}
	if len(object) == 0 && (b.form != jsonBody || b.optional) {
		return nil
	}
	return b.send(r, object)
}

// send writes a value as the body.
func (b *body) send(r *web.Request, v any) error {
	r.Header.Set("Content-Type", b.mediaType)
	object, isObject := v.(map[string]any)
	if !isObject && b.form == multipartBody {
		// The parts of a list have no names in the document; "file" is what most servers call one.
		list := body{fields: []field{{arg: b.whole, name: "file", file: true, explode: true}}}
		return list.parts(r, map[string]any{"file": v})
	}
	if !isObject && b.form == formBody {
		return fmt.Errorf("argument %s: a form has named fields: give a table of them", b.whole)
	}
	switch b.form {
	case formBody:
		var list []pair
		for _, name := range slices.Sorted(maps.Keys(object)) {
			f := b.field(name)
			if f.style == "" && !scalar(object[name]) {
				list = append(list, pair{name, jsonText(object[name])})
				continue
			}
			written := pairs(name, f.style, f.explode, object[name])
			if err := foreign(f.arg, name, f.style, written, b.named(object)); err != nil {
				return err
			}
			list = append(list, written...)
		}
		r.Body = []byte(encoded(list))
		return nil
	case multipartBody:
		return b.parts(r, object)
	case linesBody:
		items, ok := v.([]any)
		if !ok {
			return fmt.Errorf("argument %s: want a list", b.whole)
		}
		for _, item := range items {
			if b.mediaType == "application/json-seq" {
				r.Body = append(r.Body, 0x1e)
			}
			r.Body = append(append(r.Body, jsonText(item)...), '\n')
		}
		return nil
	case rawBody:
		r.Body = []byte(scalarText(v))
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("the body cannot be written as JSON: %w", err)
	}
	r.Body = text
	return nil
}

// named lists the names with a meaning of their own in a form, and those it already has.
func (b *body) named(object map[string]any) []string {
	names := slices.Collect(maps.Keys(object))
	for _, f := range b.fields {
		names = append(names, f.name)
	}
	return names
}

func (b *body) field(name string) field {
	for _, f := range b.fields {
		if f.name == name {
			return f
		}
	}
	return field{arg: name, name: name, style: "form", explode: true}
}

func scalar(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return false
	}
	return true
}

// boundary separates the parts of a body. It is the same every time, so that the same arguments give the same request.
const boundary = "almanac-part-7f3a9c51e2d84b06"

// parts writes a multipart body.
func (b *body) parts(r *web.Request, object map[string]any) error {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	if err := w.SetBoundary(boundary); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		f := b.field(name)
		values := []any{object[name]}
		if list, ok := object[name].([]any); ok && (f.file || f.style == "form") && f.explode {
			values = list
		}
		for _, v := range values {
			if err := part(w, f, name, v); err != nil {
				return err
			}
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	r.Body = out.Bytes()
	r.Header.Set("Content-Type", w.FormDataContentType())
	return nil
}

var quoteName = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "_", "\n", "_")

func part(w *multipart.Writer, f field, name string, v any) error {
	header := textproto.MIMEHeader{}
	disposition := `form-data; name="` + quoteName.Replace(name) + `"`
	text := scalarText(v)
	if strings.Contains(text, boundary) || strings.Contains(name, boundary) {
		return fmt.Errorf("argument %s: contains the boundary line of the body", f.arg)
	}
	kind := f.contentType
	if f.file {
		disposition += `; filename="` + quoteName.Replace(name) + `"`
		if kind == "" || strings.Contains(kind, "*") {
			kind = "application/octet-stream"
		}
	} else if !scalar(v) && kind == "" {
		kind = "application/json"
	}
	header.Set("Content-Disposition", disposition)
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	p, err := w.CreatePart(header)
	if err == nil {
		_, err = p.Write([]byte(text))
	}
	return err
}

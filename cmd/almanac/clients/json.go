package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonEditor edits JSON with comments and trailing commas.
type jsonEditor struct{}

func (jsonEditor) decode(text string) (map[string]any, error) {
	plain, err := hujson.Standardize([]byte(text))
	if strings.TrimSpace(text) == "" {
		plain, err = []byte("{}"), nil
	}
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	if err := d.Decode(&all); err != nil || all == nil {
		return nil, errors.New("want an object")
	}
	return all, nil
}

// member is the place of a name in an object; below 0 is none.
func member(o *hujson.Object, name string) int {
	return slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool {
		l, ok := m.Name.Value.(hujson.Literal)
		return ok && l.String() == name
	})
}

func (jsonEditor) cut(text, table, name string) (rest, taken string, err error) {
	root, err := hujson.Parse([]byte(text))
	if err != nil {
		return "", "", err
	}
	object, ok := root.Value.(*hujson.Object)
	at := -1
	if ok {
		at = member(object, table)
	}
	if at < 0 {
		return "", "", fmt.Errorf("no %s", table)
	}
	servers, ok := object.Members[at].Value.Value.(*hujson.Object)
	if ok {
		at = member(servers, name)
	}
	if !ok || at < 0 {
		return "", "", fmt.Errorf("no %s.%s", table, name)
	}
	out := servers.Members[at].Value.Clone()
	// What stands on the line of the member before is about that one; what stands above the entry goes with it.
	beside, above, _ := bytes.Cut(servers.Members[at].Name.BeforeExtra, []byte("\n"))
	out.BeforeExtra, out.AfterExtra = nil, nil
	if above = bytes.TrimSpace(above); len(above) > 0 {
		out.BeforeExtra = append(above, '\n')
	}
	trailing := servers.Members[len(servers.Members)-1].Value.AfterExtra != nil
	servers.Members = slices.Delete(servers.Members, at, at+1)
	if next := &servers.AfterExtra; len(bytes.TrimSpace(beside)) > 0 {
		if at < len(servers.Members) {
			next = &servers.Members[at].Name.BeforeExtra
		}
		*next = append(slices.Clone(beside), *next...)
	}
	if n := len(servers.Members); n > 0 {
		last := &servers.Members[n-1].Value
		switch {
		case trailing && last.AfterExtra == nil:
			last.AfterExtra = hujson.Extra{}
		case !trailing:
			servers.AfterExtra = append(last.AfterExtra, servers.AfterExtra...)
			last.AfterExtra = nil
		}
	}
	return string(root.Pack()), string(out.Pack()), nil
}

func (jsonEditor) written(_, _ string, entry any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(entry)
	return strings.TrimSpace(b.String()), err
}

// Each level is indented by two blanks more than the one that holds it, or as the file does.
func (jsonEditor) add(text, table, name, entry string, fresh bool) (string, error) {
	if strings.TrimSpace(text) == "" {
		text = "{}\n"
	}
	root, err := hujson.Parse([]byte(text))
	if err != nil {
		return "", err
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return "", errors.New("want an object")
	}
	step := "  "
	if len(object.Members) > 0 {
		if own := indent(object.Members[0].Name.BeforeExtra); own != "" {
			step = own
		}
	}
	at := member(object, table)
	if at < 0 {
		put(object, table, hujson.Value{Value: &hujson.Object{}}, "", step)
		at = len(object.Members) - 1
	}
	servers, ok := object.Members[at].Value.Value.(*hujson.Object)
	if !ok {
		return "", fmt.Errorf("%s: want an object", table)
	}
	value, err := hujson.Parse([]byte(entry))
	if err != nil {
		return "", err
	}
	if fresh {
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(entry), step+step, step); err != nil {
			return "", err
		}
		if value, err = hujson.Parse(b.Bytes()); err != nil {
			return "", err
		}
	}
	put(servers, name, value, step, step)
	return string(root.Pack()), nil
}

// put adds a member on a line of its own. The object itself is indented by outer.
func put(o *hujson.Object, name string, v hujson.Value, outer, step string) {
	line := "\n" + outer + step
	above := line
	if comment := bytes.TrimSpace(v.BeforeExtra); len(comment) > 0 {
		above += string(comment) + line
	}
	v.BeforeExtra = hujson.Extra(" ")
	if n := len(o.Members); n > 0 && o.Members[n-1].Value.AfterExtra != nil {
		v.AfterExtra = hujson.Extra{}
	}
	o.Members = append(o.Members, hujson.ObjectMember{
		Name: hujson.Value{BeforeExtra: hujson.Extra(above), Value: hujson.String(name)}, Value: v,
	})
	if !bytes.Contains(o.AfterExtra, []byte("\n")) {
		o.AfterExtra = append(o.AfterExtra, "\n"+outer...)
	}
}

// indent is what the last line of a blank text is indented by.
func indent(extra hujson.Extra) string {
	at := bytes.LastIndexByte(extra, '\n')
	if own := string(extra[at+1:]); at >= 0 && strings.TrimSpace(own) == "" {
		return own
	}
	return ""
}

package openaitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// ParseScript reads replies from a txtar archive or, when text begins with "[", from a JSON list of Reply. Each
// section of the archive is a reply or a part of one:
//
//	-- model --             a reply with this text; options: delay=5ms chunk=3 finish=length
//	                        usage=IN,OUT,CACHED,REASONING hang cut nodone nousage whole
//	-- call NAME --         a tool call of the reply in hand, or a reply of its own after any section but model and
//	                        call. The body is the arguments when it begins with "{"; else it is a script, or for a
//	                        NAME that ends in _describe the ids. Options: id=X cuts=3,9 onechunk noid noindex
//	                        zeroindex repeat object
//	-- fault 429 --         a reply that is an HTTP failure; options: retry=2 (the Retry-After header)
//	-- line --              lines that go into the stream of the reply in hand as they stand
//	-- think --             the reasoning of the next reply; options: field=reasoning
//	-- expect --            the next reply is given only when the last message contains this text
//
// Sections named user, tool, answer, note, lua, policy and reset are left to the reader. To put such an archive in
// another one, write its section marks with "==" for "--".
func ParseScript(text []byte) ([]Reply, error) {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		var replies []Reply
		if err := json.Unmarshal(text, &replies); err != nil {
			return nil, fmt.Errorf("script: %w", err)
		}
		return replies, nil
	}
	var p parser
	for _, f := range txtar.Parse([]byte(inner(string(text)))).Files {
		if err := p.section(f.Name, strings.TrimSuffix(string(f.Data), "\n")); err != nil {
			return nil, fmt.Errorf("script: -- %s --: %w", f.Name, err)
		}
	}
	return p.replies, nil
}

// inner turns section marks with "==" into marks with "--".
func inner(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		name, ok := strings.CutPrefix(line, "== ")
		name, end := strings.CutSuffix(name, " ==")
		if ok && end {
			lines[i] = "-- " + name + " --"
		}
	}
	return strings.Join(lines, "\n")
}

type parser struct {
	replies []Reply
	open    bool // the last section was model, call or line
	expect  string
	// reasoning and field are those of the next reply.
	reasoning, field string
}

func (p *parser) section(name, body string) error {
	words := strings.Fields(name)
	if len(words) == 0 {
		return fmt.Errorf("no name")
	}
	switch words[0] {
	case "model":
		p.begin(Reply{Text: body})
		return options(words[1:], p.replies[len(p.replies)-1].option)
	case "call":
		if len(words) < 2 {
			return fmt.Errorf("no tool is named")
		}
		if !p.open {
			p.begin(Reply{})
		}
		c := Call{Name: words[1], Args: callArgs(words[1], body)}
		if err := options(words[2:], c.option); err != nil {
			return err
		}
		reply := &p.replies[len(p.replies)-1]
		reply.Calls = append(reply.Calls, c)
		return nil
	case "line":
		if !p.open {
			p.begin(Reply{})
		}
		reply := &p.replies[len(p.replies)-1]
		reply.Raw = append(reply.Raw, strings.Split(body, "\n")...)
		return nil
	case "fault":
		if len(words) < 2 {
			return fmt.Errorf("no status")
		}
		status, err := strconv.Atoi(words[1])
		if err != nil || http.StatusText(status) == "" {
			return fmt.Errorf("status %q: not one of HTTP", words[1])
		}
		p.begin(Reply{Status: status, Body: body})
		p.open = false
		return options(words[2:], p.replies[len(p.replies)-1].option)
	case "think":
		p.reasoning, p.field, p.open = body, "", false
		return options(words[1:], func(name, value string) error {
			if name != "field" {
				return errors.New("unknown")
			}
			p.field = value
			return nil
		})
	case "expect":
		p.expect, p.open = body, false
		return nil
	case "user", "tool", "answer", "note", "lua", "policy", "reset":
		p.open = false
		return nil
	}
	return fmt.Errorf("unknown section")
}

func (p *parser) begin(r Reply) {
	r.Expect, p.expect = p.expect, ""
	r.Reasoning, r.ReasoningField, p.reasoning, p.field = p.reasoning, p.field, "", ""
	p.replies = append(p.replies, r)
	p.open = true
}

func callArgs(name, body string) string {
	if strings.HasPrefix(strings.TrimSpace(body), "{") {
		return body
	}
	var args any = map[string]string{"script": body}
	if strings.HasSuffix(name, "_describe") {
		args = map[string][]string{"ids": strings.Fields(body)}
	}
	text, _ := json.Marshal(args)
	return string(text)
}

func options(words []string, set func(name, value string) error) error {
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		if err := set(name, value); err != nil {
			return fmt.Errorf("option %s: %w", word, err)
		}
	}
	return nil
}

func (r *Reply) option(name, value string) (err error) {
	switch name {
	case "delay":
		r.Delay, err = time.ParseDuration(value)
	case "chunk":
		r.Chunk, err = strconv.Atoi(value)
	case "finish":
		r.Finish = value
	case "retry":
		r.Header = map[string]string{"Retry-After": value}
	case "hang":
		r.Hang = true
	case "cut":
		r.Cut = true
	case "nodone":
		r.NoDone = true
	case "usage":
		var in, out, cached, reasoning int
		if _, err = fmt.Sscanf(value, "%d,%d,%d,%d", &in, &out, &cached, &reasoning); err == nil {
			r.Usage = map[string]any{"prompt_tokens": in, "completion_tokens": out,
				"prompt_tokens_details":     map[string]any{"cached_tokens": cached},
				"completion_tokens_details": map[string]any{"reasoning_tokens": reasoning}}
		}
	case "nousage":
		r.NoUsage = true
	case "whole":
		r.Whole = true
	default:
		err = fmt.Errorf("unknown")
	}
	return err
}

func (c *Call) option(name, value string) (err error) {
	switch name {
	case "id":
		c.ID = value
	case "cuts":
		for _, text := range strings.Split(value, ",") {
			at, bad := strconv.Atoi(text)
			if bad != nil {
				return bad
			}
			c.Cuts = append(c.Cuts, at)
		}
	case "onechunk":
		c.OneChunk = true
	case "noid":
		c.NoID = true
	case "noindex":
		c.NoIndex = true
	case "zeroindex":
		c.ZeroIndex = true
	case "repeat":
		c.Repeat = true
	case "object":
		c.Object = true
	default:
		err = fmt.Errorf("unknown")
	}
	return err
}

// This file reads a project's configuration file. It comes with a cloned repository, so settings that would loosen the
// user's apply only after the user has approved exactly this text.

package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"almanac/catalog/manifest"
	"almanac/session/policy"
)

// projectConfig is the name of a project's file.
const projectConfig = ".almanac.toml"

// projectFile finds a file of the project: in dir, or within a Git work tree the nearest one up to its root. It is
// empty if there is none.
func projectFile(dir, name string) string {
	root := workTree(dir)
	for at := dir; ; at = filepath.Dir(at) {
		path := filepath.Join(at, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
		if root == "" || at == root {
			return ""
		}
	}
}

// workTree is the root of the Git work tree that dir is in; empty if it is in none.
func workTree(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// loosens lists the keys of the project's file that need approval, in file order: all that are not known to be
// harmless.
func (c *config) loosens() []string {
	var keys []string
	for key, v := range c.project.values {
		if !c.harmless(key, v) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(c.project.values[a].line-c.project.values[b].line, strings.Compare(a, b))
	})
	return keys
}

// strict orders the policies by strictness.
var strict = map[string]int{string(policy.ReadOnly): 0, string(policy.Ask): 1, string(policy.Session): 2}

// harmless reports whether a key of the project's file does not affect what may be done, by whom, or to which server.
func (c *config) harmless(key string, v configValue) bool {
	own, set := c.user.values[key]
	switch key {
	case "model", "context_window", "images", "prefix", "output", "plain", "ascii", "color":
		return true
	case "check_results", "transactional":
		return v.text == "true"
	case "policy":
		was := "ask"
		if set && own.text != "" {
			was = own.text
		}
		return v.text != "" && strict[v.text] <= strict[was]
	case policyFileKey:
		return true // its rules only make the policy stricter
	case "view":
		return !set // there is no other that it could replace
	case "catalog":
		return !slices.ContainsFunc(v.list, func(source string) bool { return !kinds().Harmless(source) })
	}
	if strings.HasPrefix(key, rolesKey) {
		return harmlessRole(key, v)
	}
	if strings.HasPrefix(key, "ui.") {
		return true
	}
	if s, ok := c.setting(key); ok && (strings.HasPrefix(key, "limits.") || key == "lua_time") {
		before := s.flag.Default
		if set {
			before = own.text
		}
		return less(v.text, before)
	}
	return false
}

// less compares two numbers or two durations; for anything else it is false.
func less(a, b string) bool {
	x, errX := time.ParseDuration(a)
	y, errY := time.ParseDuration(b)
	if errX == nil && errY == nil {
		return x > 0 && x <= y
	}
	n, errN := strconv.ParseInt(a, 10, 64)
	m, errM := strconv.ParseInt(b, 10, 64)
	return errN == nil && errM == nil && n > 0 && n <= m
}

// An approval is one line of the file of approvals.
type approval struct {
	Time   time.Time `json:"time"`
	File   string    `json:"file"`
	SHA256 string    `json:"sha256"`
	// No is set where the person has refused.
	No bool `json:"no,omitempty"`
}

func approvalsPath() string { return filepath.Join(xdg.StateHome, "almanac", "approved.jsonl") }

// contentDigest covers the project's file, its path, and the files named as sources.
func contentDigest(f configFile) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%d %s%d %s", len(f.path), f.path, len(f.text), f.text)
	for _, source := range f.values["catalog"].list {
		source = kinds().Beside(filepath.Dir(f.path), source)
		ref, kind := kinds().Find(source)
		path := ref.Rest
		if kind != nil && kind.Prefix == "actions" {
			text := manifest.FolderText(path)
			fmt.Fprintf(sum, "%d %s", len(text), text)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !kinds().Harmless(source) {
			text, err := os.ReadFile(path)
			fmt.Fprintf(sum, "%d %s%v %d %s", len(path), path, err, len(text), text)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// approved reports whether the person has approved the file's current content.
func approved(f configFile) bool {
	yes, _ := approval{File: f.path, SHA256: contentDigest(f)}.recorded()
	return yes
}

// recorded reports whether the person has approved this content of this file, and whether there was an answer at all;
// the last one counts. An unreadable record approves nothing.
func (a approval) recorded() (yes, answered bool) {
	file, err := os.Open(approvalsPath())
	if err != nil {
		return false, false
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var r approval
		if json.Unmarshal(lines.Bytes(), &r) == nil && r.File == a.File && r.SHA256 == a.SHA256 {
			yes, answered = !r.No, true
		}
	}
	return yes, answered
}

// approve records that the person has approved the project's file as it was read.
func (c *config) approve() error {
	if err := (approval{File: c.project.path, SHA256: contentDigest(c.project)}).record(); err != nil {
		return err
	}
	c.unapproved = nil
	return nil
}

// record appends the answer to the file of approvals.
func (a approval) record() error {
	a.Time = time.Now().UTC()
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	path := approvalsPath()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("approvals: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("approvals: %w", err)
	}
	_, err = file.Write(append(line, '\n'))
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("approvals: %w", err)
	}
	return nil
}

// wants lists the keys that need approval, one per line, and each item of a list of several; their values as shown has
// them. Nil: whole, for who approves them.
func (c *config) wants(shown func(key string, values ...string) string) string {
	var b strings.Builder
	if shown == nil {
		shown = func(_ string, values ...string) string { return strings.Join(values, ", ") }
	}
	for _, key := range c.unapproved {
		v := c.project.values[key]
		if len(v.list) < 2 {
			fmt.Fprintf(&b, "  line %d: %s = %s\n", v.line, key, strconv.Quote(shown(key, v.String())))
			continue
		}
		fmt.Fprintf(&b, "  line %d: %s =\n", v.line, key)
		for _, item := range v.list {
			fmt.Fprintf(&b, "    %s\n", strconv.Quote(shown(key, item)))
		}
	}
	return b.String()
}

// An unapprovedError lists the settings of a project's file that need approval.
type unapprovedError struct{ path, wants string }

func (e *unapprovedError) Error() string {
	return fmt.Sprintf("%s: these settings need your approval:\n%s", e.path, strings.TrimRight(e.wants, "\n"))
}

func (e *unapprovedError) Hint() string {
	return "review the file, then approve it with almanac config approve"
}

// askApproval asks the person at the terminal. After a no the file's harmless settings still apply.
func (c *config) askApproval(p *program) error {
	fmt.Fprintf(p.stderr, "%s: these settings need your approval:\n%s", c.project.path, c.wants(nil))
	if p.agrees("Approve them? [y/N] ") {
		return c.approve()
	}
	fmt.Fprintln(p.stderr, "not approved; the rest of the file applies")
	return nil
}

// agrees asks the person at the terminal until the answer is yes or no; an empty one is a no.
func (p *program) agrees(question string) bool { return p.choose(question, "no", "yes") == "yes" }

// choose asks the person at the terminal until the answer is one of the words or the first letter of one; an empty one,
// and the input's end, are the first. What was typed before the question is no answer: it is thrown away, and a line
// that comes too soon to be one is asked about again.
func (p *program) choose(question string, words ...string) string {
	for {
		dropTyped(p.stdin)
		fmt.Fprint(p.stderr, question)
		asked := time.Now()
		line, err := typedLine(p)
		if err == nil && typed(p.stdin) && time.Since(asked) < answerGrace {
			fmt.Fprintln(p.stderr, "that was typed before the question, and does not count")
			continue
		}
		answer := strings.ToLower(strings.TrimSpace(line))
		for _, word := range words {
			if answer == word || answer == word[:1] {
				return word
			}
		}
		if answer == "" || err != nil {
			return words[0]
		}
		fmt.Fprintf(p.stderr, "answer %s\n", strings.Join(words, ", "))
	}
}

// maxTyped bounds a typed line, in bytes.
const maxTyped = 64 << 10

// typedLine reads one line byte by byte, leaving the rest of the input to the terminal. The error is that of the
// input's end.
func typedLine(p *program) (string, error) {
	var line []byte
	one := make([]byte, 1)
	for len(line) < maxTyped {
		n, err := p.stdin.Read(one)
		if err != nil {
			return string(line), err
		}
		if n == 1 && one[0] == '\n' {
			break
		}
		line = append(line, one[:n]...)
	}
	return string(line), nil
}

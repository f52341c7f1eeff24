package main

// This file reads the two sources.

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/search"
)

// A pair is a text and what it describes, as stems.
type pair struct {
	text []string
	// fields are the parts of the thing described, each with its weight.
	fields []field
	// document is the number of its document, from 1; 0 for a gloss.
	document int
}

type field struct {
	weight float32
	stems  []string
}

// all are the stems of both sides.
func (p *pair) all() []string {
	stems := slices.Clone(p.text)
	for _, f := range p.fields {
		stems = append(stems, f.stems...)
	}
	return stems
}

// readGlosses makes a pair of every synset: its gloss with examples, and its words.
func readGlosses(dir string) ([]pair, error) {
	var pairs []pair
	for _, part := range []string{"noun", "verb", "adj", "adv"} {
		file := filepath.Join(dir, "data."+part)
		r, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			if strings.HasPrefix(lines.Text(), "  ") {
				continue // the licence
			}
			p, err := gloss(lines.Text())
			if err != nil {
				return nil, errors.Join(fmt.Errorf("%s:%d: %w", file, n, err), r.Close())
			}
			if len(p.text) >= 2 && len(p.fields[0].stems) > 0 {
				pairs = append(pairs, p)
			}
		}
		if err := errors.Join(lines.Err(), r.Close()); err != nil {
			return nil, err
		}
	}
	return pairs, nil
}

// gloss reads a line of a data file: offset, file, type, words with their lexical numbers, pointers, "|", gloss.
func gloss(line string) (pair, error) {
	head, text, found := strings.Cut(line, "|")
	f := strings.Fields(head)
	if !found || len(f) < 6 {
		return pair{}, errors.New("a synset without a gloss")
	}
	n, err := strconv.ParseInt(f[3], 16, 32)
	if err != nil || len(f) < 5+2*int(n) {
		return pair{}, fmt.Errorf("word count %q", f[3])
	}
	var words []string
	for i := range int(n) {
		word, _, _ := strings.Cut(f[4+2*i], "(")
		words = append(words, search.Stems(word)...)
	}
	return pair{text: search.Stems(text), fields: []field{{1, words}}}, nil
}

// A source is a document that was read.
type source struct{ name, licence string }

// A document is the part of an OpenAPI document that is read.
type document struct {
	Info struct {
		Title    string
		Provider string `json:"x-providerName"`
		License  struct{ Name, URL string }
	}
	Paths map[string]json.RawMessage
}

type operation struct {
	OperationID          string
	Summary, Description string
	Tags                 []string
	Parameters           []struct{ Name string }
}

// readOperations makes a pair of every operation in documents under an open licence, without repeated texts.
func readOperations(dir string) ([]pair, []source, error) {
	var pairs []pair
	var sources []source
	seen := map[string]bool{}
	root := filepath.Join(dir, "api")
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".json") {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var doc document
		if err := json.Unmarshal(text, &doc); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		licence := openLicence(doc.Info.License.Name, doc.Info.License.URL)
		if licence == "" {
			return nil
		}
		before := len(pairs)
		for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
			var methods map[string]json.RawMessage
			if json.Unmarshal(doc.Paths[path], &methods) != nil {
				continue
			}
			for _, method := range [...]string{"get", "put", "post", "delete", "patch"} {
				var op operation
				if raw := methods[method]; raw == nil || json.Unmarshal(raw, &op) != nil {
					continue
				}
				key := op.OperationID + "\n" + op.Summary + "\n" + op.Description
				p := describe(&doc, path, method, &op)
				p.document = len(sources) + 1
				if !seen[key] && len(p.text) >= 2 && len(p.fields[0].stems) > 0 {
					seen[key] = true
					pairs = append(pairs, p)
				}
			}
		}
		if len(pairs) > before {
			name, err := filepath.Rel(root, file)
			sources = append(sources, source{strings.TrimSuffix(filepath.ToSlash(name), ".json"), licence})
			return err
		}
		return nil
	})
	return pairs, sources, err
}

// maxStems is how much of a description is read.
const maxStems = 60

func describe(doc *document, path, method string, op *operation) pair {
	text := search.Stems(op.Summary + ". " + op.Description)
	name := op.OperationID
	if name == "" {
		name = method + " " + path
	}
	var inputs []string
	for _, in := range op.Parameters {
		inputs = append(inputs, search.Stems(in.Name)...)
	}
	return pair{text: text[:min(len(text), maxStems)], fields: []field{
		{2, search.Stems(name)},
		{.3, search.Stems(doc.Info.Provider + " " + doc.Info.Title)},
		{.5, search.Stems(strings.Join(op.Tags, " "))},
		{.3, inputs},
	}}
}

// openLicence is the short name of a licence that allows any use, at most with attribution; "" for every other.
func openLicence(name, url string) string {
	name, url = strings.ToLower(name), strings.ToLower(url)
	words := strings.FieldsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	has := func(word string) bool { return slices.Contains(words, word) }
	switch {
	case strings.Contains(name+url, "-nc") || strings.Contains(name+url, "-nd") || strings.Contains(name+url, "-sa") ||
		has("gpl") || has("nc") || has("nd") || has("sa"):
		return ""
	case has("apache"):
		return "Apache-2.0"
	case has("mit"):
		return "MIT"
	case has("bsd") || has("bsd3"):
		return "BSD"
	case has("cc0") || has("unlicense") || strings.Contains(name, "public domain"):
		return "public domain"
	case strings.Contains(url, "creativecommons.org/licenses/by/"):
		return "CC-BY"
	}
	return ""
}

// writeSources lists the providers of the documents, one line per licence.
func writeSources(file string, sources []source) error {
	providers := map[string][]string{}
	for _, s := range sources {
		provider, _, _ := strings.Cut(s.name, "/")
		providers[s.licence] = append(providers[s.licence], provider)
	}
	var b strings.Builder
	for _, licence := range slices.Sorted(maps.Keys(providers)) {
		fmt.Fprintf(&b, "%s\n", licence)
		slices.Sort(providers[licence])
		for _, provider := range slices.Compact(providers[licence]) {
			fmt.Fprintf(&b, "  %s\n", provider)
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

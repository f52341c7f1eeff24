package main

// This file reads the two sources.

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/search"
	"almanac/catalog/search/spelling"
)

const (
	// A word counts more in an operation than in a gloss: there are fewer.
	operationCount = 5
	leastCount     = 3
	longestStem    = 24
	// mostForms is how many spellings of a stem the encoder reads.
	mostForms = 3
	// The lengths of texts, in bytes.
	shortestText = 6
	longestText  = 250
)

// A word is a stem, how often it was seen, and its commonest forms.
type word struct {
	Stem  string `json:"stem"`
	Count int    `json:"count"`
	Forms []form `json:"forms"`
}

// A form is a word as written.
type form struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
}

// A text is a short text about an operation, and its stems.
type text struct {
	Text  string   `json:"text"`
	Stems []string `json:"stems"`
}

// A corpus is what was read.
type corpus struct {
	forms map[string]map[string]int // stem → word → count
	stems map[string]string         // word → stem, "" for a stop word
	texts []text
	seen  map[string]bool
}

func newCorpus() *corpus {
	return &corpus{forms: map[string]map[string]int{}, stems: map[string]string{}, seen: map[string]bool{}}
}

// count counts the words of a text.
func (c *corpus) count(text string, times int) {
	spelling.EachWord(text, func(b []byte, _ bool) {
		word := string(b)
		stem, ok := c.stems[word]
		if !ok {
			stem = strings.Join(search.Stems(word), "")
			c.stems[word] = stem
		}
		if stem == "" {
			return
		}
		if c.forms[stem] == nil {
			c.forms[stem] = map[string]int{}
		}
		c.forms[stem][word] += times
	})
}

// add keeps a text that is new and not too short.
func (c *corpus) add(about string) {
	about = strings.TrimSpace(strings.ToValidUTF8(about[:min(len(about), longestText)], ""))
	key := strings.ToLower(about)
	if len(about) < shortestText || c.seen[key] {
		return
	}
	c.seen[key] = true
	if stems := search.Stems(about); len(stems) > 0 {
		c.texts = append(c.texts, text{about, stems})
	}
}

// vocabulary is every stem that was seen often enough, in order.
func (c *corpus) vocabulary() []word {
	var words []word
	for _, stem := range slices.Sorted(maps.Keys(c.forms)) {
		w := word{Stem: stem}
		for _, text := range slices.Sorted(maps.Keys(c.forms[stem])) {
			w.Forms = append(w.Forms, form{text, c.forms[stem][text]})
			w.Count += c.forms[stem][text]
		}
		slices.SortStableFunc(w.Forms, func(a, b form) int { return cmp.Compare(b.Count, a.Count) })
		w.Forms = w.Forms[:min(len(w.Forms), mostForms)]
		if w.Count >= leastCount && len(stem) > 1 && len(stem) <= longestStem && (stem[0] < '0' || stem[0] > '9') {
			words = append(words, w)
		}
	}
	return words
}

// readGlosses counts the words of every synset and of its gloss.
func (c *corpus) readGlosses(dir string) error {
	for _, part := range []string{"noun", "verb", "adj", "adv"} {
		file := filepath.Join(dir, "data."+part)
		r, err := os.Open(file)
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			if strings.HasPrefix(lines.Text(), "  ") {
				continue // the licence
			}
			if err := c.gloss(lines.Text()); err != nil {
				return errors.Join(fmt.Errorf("%s:%d: %w", file, n, err), r.Close())
			}
		}
		if err := errors.Join(lines.Err(), r.Close()); err != nil {
			return err
		}
	}
	return nil
}

// gloss reads a line of a data file: offset, file, type, words with their lexical numbers, pointers, "|", gloss.
func (c *corpus) gloss(line string) error {
	head, text, found := strings.Cut(line, "|")
	f := strings.Fields(head)
	if !found || len(f) < 6 {
		return errors.New("a synset without a gloss")
	}
	n, err := strconv.ParseInt(f[3], 16, 32)
	if err != nil || len(f) < 5+2*int(n) {
		return fmt.Errorf("word count %q", f[3])
	}
	c.count(text, 1)
	for i := range int(n) {
		word, _, _ := strings.Cut(f[4+2*i], "(")
		c.count(word, 1)
	}
	return nil
}

// A source is a document that was read.
type source struct{ name, licence string }

// A document is the part of an OpenAPI document that is read.
type document struct {
	Info struct {
		Title   string
		License struct{ Name, URL string }
	}
	Paths map[string]json.RawMessage
}

type operation struct {
	OperationID          string
	Summary, Description string
	Parameters           []struct{ Name string }
}

// readOperations counts the words of every operation in documents under an open licence, without repeated texts, and
// takes three texts of it: its summary, the first sentence of its description, and its name as words.
func (c *corpus) readOperations(dir string) ([]source, error) {
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
		before := len(seen)
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
				if !seen[key] {
					seen[key] = true
					c.describe(&doc, &op)
				}
			}
		}
		if len(seen) > before {
			name, err := filepath.Rel(root, file)
			sources = append(sources, source{strings.TrimSuffix(filepath.ToSlash(name), ".json"), licence})
			return err
		}
		return nil
	})
	return sources, err
}

// describe takes one operation.
func (c *corpus) describe(doc *document, op *operation) {
	for _, text := range []string{op.Summary, op.Description, op.OperationID} {
		c.count(text, operationCount)
	}
	c.count(doc.Info.Title, 1)
	for _, in := range op.Parameters {
		c.count(in.Name, 1)
	}
	c.add(op.Summary)
	plain := regexp.MustCompile(`<[^>]+>`).ReplaceAllString(op.Description, " ")
	c.add(regexp.MustCompile(`[.!?]\s|\n`).Split(strings.TrimSpace(plain), 2)[0])
	var name []string
	spelling.EachWord(op.OperationID, func(word []byte, _ bool) { name = append(name, string(word)) })
	c.add(strings.Join(name, " "))
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

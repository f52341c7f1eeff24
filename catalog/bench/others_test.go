package bench

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"almanac/catalog"
)

// A page is an action as both libraries get it.
type page struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Tags        string `json:"tags"`
	Inputs      string `json:"inputs"`
}

func pageOf(e *catalog.Entry) page {
	var inputs []string
	for _, f := range e.Input.Fields() {
		inputs = append(inputs, f.Name, f.Description)
	}
	words := strings.NewReplacer(".", " ", "_", " ", "-", " ")
	return page{
		Name: words.Replace(e.ID + " " + strings.Join(e.Aliases, " ")), Description: e.Title + " " + e.Description,
		Tags: strings.Join(append(e.Tags, e.Entities...), " "), Inputs: words.Replace(strings.Join(inputs, " ")),
	}
}

// openBleve is an index in memory with the English analyser and a field for each text.
func openBleve(t *testing.T, entries []catalog.Entry) (find, func()) {
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = "en"
	mapping.StoreDynamic, mapping.DocValuesDynamic = false, false
	index, err := bleve.NewMemOnly(mapping)
	if err != nil {
		t.Fatal(err)
	}
	batch := index.NewBatch()
	flush := func() {
		if err := index.Batch(batch); err != nil {
			t.Fatal(err)
		}
		batch.Reset()
	}
	for i := range entries {
		if err := batch.Index(entries[i].ID, pageOf(&entries[i])); err != nil {
			t.Fatal(err)
		}
		if batch.Size() == 5000 {
			flush()
		}
	}
	flush()
	ask := func(query string) int {
		result, err := index.Search(bleve.NewSearchRequestOptions(bleve.NewMatchQuery(query), top, 0, false))
		if err != nil {
			t.Fatal(err)
		}
		return len(result.Hits)
	}
	return ask, func() { index.Close() }
}

// openSQLite is a table in memory with Porter's stemmer, ranked by bm25 over words joined by OR. Its memory is not on
// the heap that the table counts.
func openSQLite(t *testing.T, entries []catalog.Entry) (find, func()) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = db.Exec(`CREATE VIRTUAL TABLE pages USING fts5(id UNINDEXED, name, description, tags, inputs, tokenize = 'porter unicode61')`)
	must(err)
	tx, err := db.Begin()
	must(err)
	insert, err := tx.Prepare(`INSERT INTO pages VALUES (?, ?, ?, ?, ?)`)
	must(err)
	for i := range entries {
		p := pageOf(&entries[i])
		_, err := insert.Exec(entries[i].ID, p.Name, p.Description, p.Tags, p.Inputs)
		must(err)
	}
	must(tx.Commit())
	search, err := db.Prepare(`SELECT id FROM pages WHERE pages MATCH ? ORDER BY bm25(pages) LIMIT ?`)
	must(err)
	ask := func(query string) int {
		rows, err := search.Query(anyOf(query), top)
		must(err)
		defer rows.Close()
		n := 0
		for rows.Next() {
			n++
		}
		must(rows.Err())
		return n
	}
	return ask, func() { db.Close() }
}

// anyOf is a query for any of the words.
func anyOf(query string) string {
	var words []string
	for _, word := range strings.FieldsFunc(query, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}) {
		words = append(words, `"`+word+`"`)
	}
	if len(words) == 0 {
		return `""`
	}
	return strings.Join(words, " OR ")
}

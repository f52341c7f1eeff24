package search

// The feature Context: documents under the paths of documents that were used just before. A query that names paths says
// itself where it is at home: others are not raised then.

const (
	// recentPoints is added to the documents of a path: 0.3 units. withinPoints is added to those of a path below it: 0.1
	// units.
	recentPoints = unit * 3 / 10
	withinPoints = unit / 10
)

// Recent is a path of documents that was used just before, and all its documents, each once.
type Recent struct {
	Name string
	Docs []uint32
	// Within is set for a path below another one of the request.
	Within bool
}

func addContext(ix *Index, q *query, t *tally) {
	var meant Bits
	if len(q.reader.request.Recent) > 0 {
		for _, n := range ix.named(q) {
			docs := ix.documentsOf(n.path)
			if !q.reader.request.Visible.Any(docs) {
				continue
			}
			if meant == nil {
				meant = NewBits(ix.docs)
			}
			meant.SetAll(docs)
		}
	}
	for _, r := range q.reader.request.Recent {
		add := int32(recentPoints)
		if r.Within {
			add = withinPoints
		}
		for _, doc := range r.Docs {
			if t.points[doc] > 0 && (meant == nil || meant.Has(int(doc))) {
				t.points[doc] += add
			}
		}
		t.note(because("(context)", r.Name+" was used just before"))
	}
}

package search

// The feature Context: documents under the paths of documents that were used just before.

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

func addContext(_ *Index, q *query, t *tally) {
	for _, r := range q.reader.request.Recent {
		add := int32(recentPoints)
		if r.Within {
			add = withinPoints
		}
		for _, doc := range r.Docs {
			if t.points[doc] > 0 {
				t.points[doc] += add
			}
		}
		t.note(because("(context)", r.Name+" was used just before"))
	}
}

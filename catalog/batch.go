package catalog

// A Batch is what one reading of a source gave: its entries, in an order that is the same at every reading, and what
// became of all that it held.
type Batch struct {
	Entries []Entry
	// Found counts what the source held: operations, tools, lines. It is len(Entries) + len(Skipped).
	Found int
	// Skipped lists what gave no entry.
	Skipped []Skip
	// Renamed lists entries whose id is not the one that their source suggests, because of a collision or because it
	// cannot be an id. The ID is the new one.
	Renamed []Skip
	// Mended lists entries that are there, but not quite as the source has them: a schema dropped, a text cut.
	Mended []Skip
}

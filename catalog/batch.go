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
	// Overlay is what the source has to say of the entries of all sources; nil when it says nothing.
	Overlay Overlay
}

// An Overlay adds to entries what their own source does not say. It gets the entries of all sources, as values of its
// own whose slices and schemas it must not change, and changes them in place; their ids must stay. It is called again
// whenever one of the sources has been read, and answers alike for like entries.
type Overlay func(entries []Entry) Overlaid

// Overlaid is what an Overlay has to say beside the changed entries.
type Overlaid struct {
	// Hidden maps ids that nobody may see to the reason that a person is told.
	Hidden map[string]string
	// Remarks lists what of the Overlay did not apply: a pattern that matches nothing, a parameter that is not there.
	Remarks []Skip
}

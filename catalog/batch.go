package catalog

// A Batch is the outcome of reading a source once: its entries, in the same order at every reading, and what was
// skipped, renamed or mended.
type Batch struct {
	Entries []Entry
	// Segment is the entries of a source that indexed them while it read, in the place of Entries, each with the name of
	// its source. Else it is nil.
	Segment *Segment
	// Found counts what the source held: operations, tools, lines. It is the number of entries and len(Skipped).
	Found int
	// Skipped lists what was found but became no entry, and why.
	Skipped []Skip
	// Renamed lists entries whose id differs from the one their source suggests, because that one is taken or is not a
	// valid id. The ID is the new one.
	Renamed []Skip
	// Mended lists entries that were altered to be usable: a schema dropped, a text cut.
	Mended []Skip
	// Notes say what a person may want to know though nothing is wrong: who is connected to what.
	Notes []Skip
	// Key is that of what was read, as the source's Key has it; empty where the Batch must not be kept. Kept is what
	// the source needs beside the entries to make them callable again, without secrets.
	Key  string
	Kept []byte
	// Attach gives an entry that comes from what was kept of the Batch, of which Recipe is known, its functions. It must
	// change nothing else, and be safe for concurrent use. Nil where entries have none.
	Attach func(e *Entry)
	// Overlay changes the entries of all sources; nil if the source has none.
	Overlay Overlay
}

// An Overlay adds to entries what their own source does not say. It gets copies of the entries of all sources and
// changes them in place, but not their ids, nor the slices and schemas they point to. It is called again whenever a
// source has been read, and gives the same result for the same entries.
type Overlay func(entries []Entry) Overlaid

// Overlaid is the report of an Overlay beside the changed entries.
type Overlaid struct {
	// Hidden maps ids that nobody may see to the reason shown to the person.
	Hidden map[string]string
	// Remarks lists the parts of the Overlay that did not apply: a pattern without a match, an unknown parameter.
	Remarks []Skip
	// Unusable lists actions of the source itself that are Hidden because something that they need is not there.
	Unusable []Skip
}

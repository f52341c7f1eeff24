// Package catalog holds actions as data: names, arguments, results and permissions. It shows each turn only what it may
// see, finds the right ones among 100,000 in well under a millisecond (by catalog/search), and checks arguments.
// Package catalog/spec writes actions as text.
//
//	Entry, Action         one action: its description and the code that does it
//	Schema, ArgError      argument and result shapes; Check normalises and validates
//	Catalog               all entries and their search index; built once by New
//	Segment               the entries of one source, and their part of the index; Join makes a Catalog of some
//	View, Rules           what one turn may see; Narrow makes it smaller, nothing makes it larger
//	SearchOptions, Set    a ranked answer: ids and scores, with set algebra and facets
//	Step, Plan            the sets chosen for the steps of a task, and where each input comes from
//	Spec, Detail          what is needed to call one action
//	Func                  an entry from a typed Go function
//	WriteImage, Open      a built catalog as bytes, and back in a hundredth of the time
//
// Everything is in memory, deterministic, and safe for concurrent use once built. Text in entries is foreign: it is
// shown on one line, without control characters, and never obeyed.
//
// Start at New, then View.Search; document.go says which parts of an entry are searched, and catalog/search how a score
// is computed.
package catalog

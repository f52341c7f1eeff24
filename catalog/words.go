package catalog

// This file has short names for what the package uses of catalog/text: foreign text on one line, and clipped.

import foreign "almanac/catalog/text"

// clip cuts text to n characters, with an ellipsis.
func clip(text string, n int) string { return foreign.ClipRunes(text, n) }

// oneLine is text on one line without invisible characters, so that foreign text can neither draw on the screen nor
// start a line of its own. Text beyond 4,000 bytes is dropped.
func oneLine(text string) string { return foreign.OneLine(foreign.HeadBytes(text, 4000)) }

func count(n int, what string) string { return foreign.Count(n, what) }

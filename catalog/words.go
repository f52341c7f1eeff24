package catalog

// This file names what the package uses of catalog/text: what others wrote, on one line, and short.

import foreign "almanac/catalog/text"

// clip is at most n characters of text, with an ellipsis for the rest.
func clip(text string, n int) string { return foreign.ClipRunes(text, n) }

// oneLine is text on one line without what nobody would see, so that what a catalog says cannot draw on a screen or
// start a line of its own. Text beyond 4,000 bytes is not looked at.
func oneLine(text string) string { return foreign.OneLine(foreign.HeadBytes(text, 4000)) }

func count(n int, what string) string { return foreign.Count(n, what) }

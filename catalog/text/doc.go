// Package text is text for people and models: what is foreign made harmless, what is long made short, and counts as
// words. It knows no terminal: how wide text is on a screen is known by repl/show.
//
//	Sanitize        text of several lines in which nothing is left that a terminal or a reader would obey
//	SanitizeLine    the same for text that must stay on one line
//	SanitizeSource  the same for a line of source, with its tabs
//	Count, Plural   "1 call", "2 calls"; "line" or "lines"
//	Bytes, Took     "4.0 KiB", "84 ms"
//
// It is pure, imports nothing of ours and may be used by every package.
package text

// Package text is text for people and models: what is foreign made harmless, what is long made short, and counts as
// words. How wide text is on a screen is known by catalog/text/cells.
//
//	Clean, OneLine           text that is taken in, such as a description: what nobody would see, or a terminal obey, goes
//	Sanitize, SanitizeLine   text that is shown: the same characters become visible escapes
//	Unsafe                   which characters those are, and why
//	HeadBytes, ClipBytes     the beginning in so many bytes, with "…" where something was cut
//	ClipRunes                the same in characters
//	FirstSentence            what a list says
//	Count, Plural            "1 call", "2 calls"; "line" or "lines"
//	Bytes, Took              "4.0 KiB", "84 ms"
//
// It is pure, imports nothing of ours and may be used by every package.
package text

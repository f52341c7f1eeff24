// Package text prepares text for people and models: foreign text is made harmless, long text short, and counts become
// words. Widths on a screen are the subject of catalog/text/cells.
//
//	Clean, OneLine           text that is taken in, such as a description: without invisible and control characters
//	Sanitize, SanitizeLine   text that is shown: the same characters become visible escapes
//	Unsafe                   which characters those are, and why
//	HeadBytes, ClipBytes     the beginning in so many bytes, with "…" where something was cut
//	ClipRunes                the same in characters
//	FirstSentence            what a list says
//	Capital                  with a capital in front
//	Count, Plural            "1 call", "2 calls"; "line" or "lines"
//	Bytes, Took              "4.0 KiB", "84 ms"
//	ShellWord                quoted for a shell where it must be
//
// It is pure, imports no other package of the program, and may be used by all of them.
package text

package trace

// This file chains the lines of a log: each ends with a digest of itself and of the digest before it. So whoever reads
// the log finds lines that were changed and places where lines are missing. Nobody is found who writes all the digests
// anew: it shows damage, not forgery.

import (
	"bytes"
	"fmt"
	"strings"

	"almanac/catalog/text"
)

const (
	chainKey    = `,"chain":"`
	chainDigits = 16 // of SHA-256, in hexadecimal
	chainLength = len(chainKey) + chainDigits + len(`"}`)
)

// chained is the line, a JSON object, with its place in the chain after prev, and that place.
func chained(line []byte, prev string) (_ []byte, chain string) {
	chain = digest(append([]byte(prev), line...))[:chainDigits]
	return append(line[:len(line)-1:len(line)-1], chainKey+chain+`"}`...), chain
}

// unchained parts a line from its place in the chain; ok is false where it has none.
func unchained(line []byte) (body []byte, chain string, ok bool) {
	at := len(line) - chainLength
	if at < 1 || !bytes.HasPrefix(line[at:], []byte(chainKey)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return line, "", false
	}
	return append(line[:at:at], '}'), string(line[at+len(chainKey) : len(line)-len(`"}`)]), true
}

// links follows the chain of a log. The zero value is before its first line.
type links struct {
	last string
	any  bool // a line had its place
}

// check tells d of a line that does not follow the one before it.
func (k *links) check(n int, line []byte, d *Damage) {
	body, chain, ok := unchained(line)
	switch {
	case !ok && !k.any:
		return // a log of an earlier version has none
	case !ok:
		d.Broken = append(d.Broken, n)
		return
	case digest(append([]byte(k.last), body...))[:chainDigits] != chain:
		d.Broken = append(d.Broken, n)
	}
	k.last, k.any = chain, true
}

// Damage is what is wrong with the lines of a log. The zero Damage is none.
type Damage struct {
	// Torn counts lines that are no records.
	Torn int
	// Broken are the numbers of lines, from 1, that do not follow the one before: they were changed, or lines are missing.
	Broken []int
}

// Found tells whether there is any.
func (d Damage) Found() bool { return d.Torn > 0 || len(d.Broken) > 0 }

// maxNamed is how many broken lines a text names.
const maxNamed = 5

func (d Damage) String() string {
	var said []string
	if d.Torn > 0 {
		said = append(said, text.Plural(d.Torn, "1 unreadable line", fmt.Sprintf("%d unreadable lines", d.Torn))+" skipped")
	}
	for _, n := range d.Broken[:min(len(d.Broken), maxNamed)] {
		said = append(said, fmt.Sprintf("line %d was changed, or lines before it are missing", n))
	}
	if more := len(d.Broken) - maxNamed; more > 0 {
		said = append(said, fmt.Sprintf("the same in %d more places", more))
	}
	return strings.Join(said, "; ")
}

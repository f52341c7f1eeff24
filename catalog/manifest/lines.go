package manifest

// This file splits a stream into lines and decodes them in parallel.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"

	"almanac/catalog"
)

// batchSize is about how many bytes of lines one worker decodes at a time.
const batchSize = 256 << 10

// A line is a line that is not empty, and what was said of its entry.
type line struct {
	number     int
	start, end int // in the batch's text
	mended     []string
	err        error
}

// A batch is a run of lines.
type batch struct {
	text    []byte
	lines   []line
	entries []catalog.Entry // those of the lines, once they are decoded
	decoded chan struct{}   // closed when the lines are
}

// batches sends the lines of r in order; those of a batch are decoded once its channel is closed. The caller must
// receive until the channel returned is closed: then all its goroutines have ended.
// size is about how many lines there are; zero where that is not known. Calls go to out; nil allows none.
func batches(r io.Reader, size int, out *outside) <-chan *batch {
	workers := runtime.GOMAXPROCS(0)
	work := make(chan *batch, workers)
	texts := make(chan []byte, 2*workers) // those of batches that have been decoded, to be used again
	order := make(chan *batch, 2*workers)
	for range workers {
		go func() {
			d := newDecoder(size)
			d.outside = out
			for b := range work {
				b.decode(d)
				select {
				case texts <- b.text:
				default:
				}
				b.text = nil
				close(b.decoded)
			}
		}()
	}
	go func() {
		defer close(order)
		defer close(work)
		lines := lineReader{r: bufio.NewReaderSize(r, 1<<20)}
		for more := true; more; {
			var b *batch
			var text []byte
			select {
			case text = <-texts:
			default:
				text = make([]byte, 0, batchSize+batchSize/4)
			}
			b, more = lines.batch(text[:0])
			work <- b
			order <- b
		}
	}()
	return order
}

func (b *batch) decode(d *decoder) {
	b.entries = make([]catalog.Entry, len(b.lines))
	for i := range b.lines {
		if l := &b.lines[i]; l.err == nil {
			b.entries[i], l.mended, l.err = d.entry(b.text[l.start:l.end])
		}
	}
}

// batch reads the next run of lines, whose text takes the place of another; more is false at the end.
func (l *lineReader) batch(text []byte) (b *batch, more bool) {
	b = &batch{decoded: make(chan struct{}), text: text}
	for len(b.text) < batchSize {
		text, err := l.next()
		switch {
		case err == io.EOF:
			return b, false
		case errors.Is(err, errLong):
			b.lines = append(b.lines, line{number: l.number, err: err})
			continue
		case err != nil:
			b.lines = append(b.lines, line{number: l.number, err: fmt.Errorf("the file breaks off: %w", err)})
			return b, false
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			b.lines = append(b.lines, line{number: l.number, start: len(b.text), end: len(b.text) + len(text)})
			b.text = append(b.text, text...)
		}
	}
	return b, true
}

var errLong = fmt.Errorf("the line is longer than %d MB", maxLine>>20)

// A lineReader returns lines and counts them.
type lineReader struct {
	r      *bufio.Reader
	number int // of the line handed out last, from 1
	buf    []byte
}

// next returns the next line, valid until the next call; errLong for a skipped line, io.EOF at the end. A last line
// without a newline counts, unless a read error cut it off.
func (l *lineReader) next() ([]byte, error) {
	l.number++
	l.buf = l.buf[:0]
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if err == nil && len(l.buf) == 0 && !long && len(part) <= maxLine && l.number > 1 {
			return part, nil // most lines are in one piece
		}
		if long = long || len(l.buf)+len(part) > maxLine; !long {
			l.buf = append(l.buf, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(l.buf) == 0 && !long:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, err
		case long:
			return nil, errLong
		}
		if l.number == 1 {
			return bytes.TrimPrefix(l.buf, []byte("\ufeff")), nil
		}
		return l.buf, nil
	}
}

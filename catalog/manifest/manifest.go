// Package manifest reads catalogs from files: manifests, which declare actions with their implementation, and lists of
// actions, one JSON object per line.
//
//	Kind       manifests as they are written on a command line; ListKind lists of actions
//	Open       a manifest in YAML or JSON as a source: data, SQL, HTTP, MCP, Lua, and overlays over others' actions
//	ReadFile   entries from FILE.jsonl or FILE.jsonl.gz
//	Load, Key  the same for a source that is read in the background, and what names its content
//	Read       the same from a stream
//	Report     what was left out, cut or mended, with line numbers
//
// A line of a list is
//
//	{"id": "billing.invoice.list", "name": "listInvoices", "namespace": ["billing"], "description": "...",
//	 "tags": [...], "aliases": [...], "operation": "read", "endpoint": "GET /invoices",
//	 "input": {"customer_id": {"type": "string", "description": "...", "required": true}}, "output_fields": [...]}
//
// where only the id is required and input may be a JSON Schema instead. With the http or mcp part of an action of a
// manifest the entry can be called, else found and described. An invalid line costs that line only.
//
// Start at Open for manifests and at Read for lists.
package manifest

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync/atomic"

	"almanac/catalog"
	"almanac/catalog/regular"
	"almanac/catalog/source"
	"almanac/catalog/text"
)

const (
	// maxLine is the longest line that is read, in bytes.
	maxLine = 32 << 20
	// maxToldID is how much of an invalid id is quoted, in bytes.
	maxToldID = 80
	// maxDescription is how much of a description is kept, in bytes.
	maxDescription = 64 << 10
)

// A report says what became of the lines of a file. The Source of each remark is FILE:LINE.
type report struct {
	Loaded int
	// Skipped lines gave no entry.
	Skipped []catalog.Skip
	// Mended entries were altered to be usable: a description was cut, a schema dropped.
	Mended []catalog.Skip
	sum    string // of the file's bytes; empty where they were not all read
}

// ReadFile reads the entries of a file; a file whose name ends in .gz is decompressed. It fails if the file cannot be
// opened or is not gzip at all, and when ctx ends; a file that breaks off later gives the entries before, and a skip.
// Nothing can be called.
func ReadFile(ctx context.Context, file string) ([]catalog.Entry, report, error) {
	var all []catalog.Entry
	report, err := readFile(ctx, file, nil, func(entries []catalog.Entry, _ int) { all = append(all, entries...) })
	return all, report, err
}

// lineSize is about the size of a short line, or of a packed one, in bytes.
const lineSize = 256

// load is ReadFile for a source of that name in the background, whose calls go to out, unless that is nil: the entries
// are indexed while they are read, and it reports how far it has come to progress, which may be nil.
func load(ctx context.Context, file, name string, out *outside, progress func(source.Reading)) (catalog.Batch, error) {
	var batch catalog.Batch
	if out != nil {
		out.forget()
		batch.Attach = out.attach
	}
	b, used := catalog.NewBuilder(mostKept, batch.Attach), map[string]bool{}
	report, err := readFile(ctx, file, out, func(entries []catalog.Entry, percent int) {
		for i := range entries {
			entries[i].Source = name
			if entries[i].Callable() {
				used[entries[i].ID] = true
			}
		}
		b.Add(entries)
		if batch.Found += len(entries); progress != nil {
			progress(source.Reading{Found: batch.Found, Percent: percent, Entries: b.Entries})
		}
	})
	if out != nil {
		out.check(ctx, batch.Found, used)
		batch.Kept = out.kept()
	}
	batch.Key, batch.Segment, batch.Skipped, batch.Mended = report.sum, b.Segment(), report.Skipped, report.Mended
	batch.Found += len(report.Skipped)
	return batch, err
}

// key names the content of a file as load does: a sum over its bytes as they lie there, packed or not. Reading them is
// the only way to be sure; a packed file of 100,000 actions takes some 10 ms.
func key(file string) (string, error) {
	f, err := regular.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// A stopper ends a stream when its context is done, and counts and sums up what was read of it.
type stopper struct {
	ctx  context.Context
	r    io.Reader
	sum  hash.Hash
	read atomic.Int64
}

func (s *stopper) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(b)
	s.sum.Write(b[:n])
	s.read.Add(int64(n))
	return n, err
}

// readFile hands the entries of a file to take, with how much of it has been read then, in percent.
func readFile(ctx context.Context, file string, out *outside, take func(entries []catalog.Entry, percent int)) (
	report, error) {
	f, err := regular.Open(file)
	if err != nil {
		return report{}, err
	}
	defer f.Close()
	bytes, size := &stopper{ctx: ctx, r: f, sum: sha256.New()}, int64(0)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	text := bufio.NewReaderSize(bytes, 64<<10)
	if strings.HasSuffix(file, ".gz") {
		unpacked, err := gzip.NewReader(text)
		if err != nil {
			return report{}, fmt.Errorf("%s: %w", file, err)
		}
		text = bufio.NewReaderSize(unpacked, 1<<20)
	} else if head, _ := text.Peek(2); string(head) == "\x1f\x8b" {
		return report{}, fmt.Errorf("%s: the file is packed with gzip: give it a name that ends in .gz", file)
	}
	if head, _ := text.Peek(2); string(head) == "\xff\xfe" || string(head) == "\xfe\xff" {
		return report{}, fmt.Errorf("%s: the file is in UTF-16: convert it to UTF-8", file)
	}
	said := read(text, file, int(min(size/lineSize, mostKept/2)), out, func(entries []catalog.Entry) {
		take(entries, source.Percent(bytes.read.Load(), size))
	})
	if _, err := io.Copy(io.Discard, bytes); err == nil {
		said.sum = hex.EncodeToString(bytes.sum.Sum(nil))
	}
	return said, ctx.Err()
}

// Read reads entries until r ends. source names it in the report. A read error ends the reading: it is reported as a
// skip of the broken line, and the entries before it are returned. Lines are decoded on all processors; entries and
// remarks are in the order of the lines.
func Read(r io.Reader, source string) ([]catalog.Entry, report) {
	var all []catalog.Entry
	said := read(r, source, 0, nil, func(entries []catalog.Entry) { all = append(all, entries...) })
	return all, said
}

// read hands the entries of r to take, which takes them over. size is about how many there are; zero where that is not
// known.
func read(r io.Reader, source string, size int, out *outside, take func([]catalog.Entry)) report {
	var said report
	seen := make(map[string]int, size)
	for b := range batches(r, size, out) {
		<-b.decoded
		fit := b.entries[:0]
		for i := range b.lines {
			l, e := &b.lines[i], &b.entries[i]
			place := func() string { return fmt.Sprintf("%s:%d", source, l.number) }
			err := l.err
			if first, twice := seen[e.ID]; err == nil && twice {
				err = fmt.Errorf("line %d has this id already", first)
			}
			if err != nil {
				said.Skipped = append(said.Skipped, catalog.Skip{ID: text.HeadBytes(e.ID, maxToldID), Source: place(),
					Reason: err.Error()})
				continue
			}
			for _, reason := range l.mended {
				said.Mended = append(said.Mended, catalog.Skip{ID: e.ID, Source: place(), Reason: reason})
			}
			seen[e.ID] = l.number
			if len(fit) == i {
				fit = fit[:i+1]
			} else {
				fit = append(fit, *e)
			}
		}
		said.Loaded += len(fit)
		take(fit)
	}
	return said
}

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
	"io"
	"slices"
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
}

// ReadFile reads the entries of a file; a file whose name ends in .gz is decompressed. It fails if the file cannot be
// opened or is not gzip at all; a file that breaks off later gives the entries before, and a skip.
func ReadFile(file string) ([]catalog.Entry, report, error) {
	return readFile(context.Background(), file, nil, nil)
}

// lineSize is about the size of a short line, or of a packed one, in bytes.
const lineSize = 256

// Load is ReadFile for a source in the background: it ends with ctx, with an error, and reports how far it has come to
// progress, which may be nil. Nothing can be called.
func Load(ctx context.Context, file string, progress func(source.Reading)) (catalog.Batch, error) {
	return load(ctx, file, nil, progress)
}

// load is Load whose calls go to out, unless that is nil.
func load(ctx context.Context, file string, out *outside, progress func(source.Reading)) (catalog.Batch, error) {
	if out != nil {
		out.forget()
	}
	entries, report, err := readFile(ctx, file, out, progress)
	if err == nil {
		err = ctx.Err()
	}
	b := catalog.Batch{
		Entries: entries, Found: len(entries) + len(report.Skipped), Skipped: report.Skipped, Mended: report.Mended,
	}
	if out != nil {
		out.check(ctx, entries)
		b.Kept, b.Attach = out.kept(), out.attach
	}
	return b, err
}

// key names the content of a file: a sum over its bytes as they lie there, packed or not. Reading them is the only way
// to be sure; a packed file of 100,000 actions takes some 10 ms.
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

// A stopper ends a stream when its context is done, and counts what was read of it.
type stopper struct {
	ctx  context.Context
	r    io.Reader
	read atomic.Int64
}

func (s *stopper) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(b)
	s.read.Add(int64(n))
	return n, err
}

func readFile(ctx context.Context, file string, out *outside, progress func(source.Reading)) (
	[]catalog.Entry, report, error) {
	f, err := regular.Open(file)
	if err != nil {
		return nil, report{}, err
	}
	defer f.Close()
	bytes, size := &stopper{ctx: ctx, r: f}, int64(0)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	text := bufio.NewReaderSize(bytes, 64<<10)
	if strings.HasSuffix(file, ".gz") {
		unpacked, err := gzip.NewReader(text)
		if err != nil {
			return nil, report{}, fmt.Errorf("%s: %w", file, err)
		}
		text = bufio.NewReaderSize(unpacked, 1<<20)
	} else if head, _ := text.Peek(2); string(head) == "\x1f\x8b" {
		return nil, report{}, fmt.Errorf("%s: the file is packed with gzip: give it a name that ends in .gz", file)
	}
	if head, _ := text.Peek(2); string(head) == "\xff\xfe" || string(head) == "\xfe\xff" {
		return nil, report{}, fmt.Errorf("%s: the file is in UTF-16: convert it to UTF-8", file)
	}
	entries, report := read(text, file, int(min(size/lineSize, mostKept/2)), out, func(entries []catalog.Entry) {
		if progress != nil {
			progress(source.Reading{Found: len(entries), Percent: source.Percent(bytes.read.Load(), size), Entries: entries})
		}
	})
	return entries, report, nil
}

// Read reads entries until r ends. source names it in the report. A read error ends the reading: it is reported as a
// skip of the broken line, and the entries before it are returned. Lines are decoded on all processors; entries and
// remarks are in the order of the lines.
func Read(r io.Reader, source string) ([]catalog.Entry, report) { return read(r, source, 0, nil, nil) }

func read(r io.Reader, source string, size int, out *outside, progress func([]catalog.Entry)) (
	[]catalog.Entry, report) {
	var (
		entries []catalog.Entry
		report  report
		seen    = make(map[string]int, size)
	)
	for b := range batches(r, size, out) {
		<-b.decoded
		entries = slices.Grow(entries, len(b.lines))
		for i := range b.lines {
			l := &b.lines[i]
			place := func() string { return fmt.Sprintf("%s:%d", source, l.number) }
			err := l.err
			if first, twice := seen[l.entry.ID]; err == nil && twice {
				err = fmt.Errorf("line %d has this id already", first)
			}
			if err != nil {
				report.Skipped = append(report.Skipped, catalog.Skip{ID: text.HeadBytes(l.entry.ID, maxToldID), Source: place(),
					Reason: err.Error()})
				continue
			}
			for _, reason := range l.mended {
				report.Mended = append(report.Mended, catalog.Skip{ID: l.entry.ID, Source: place(), Reason: reason})
			}
			seen[l.entry.ID] = l.number
			entries = append(entries, l.entry)
		}
		if progress != nil {
			progress(entries)
		}
	}
	report.Loaded = len(entries)
	return entries, report
}

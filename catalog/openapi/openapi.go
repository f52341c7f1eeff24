// Package openapi turns the operations of an OpenAPI document into actions: 3.0 to 3.2 and Swagger 2.0, as JSON or
// YAML.
//
//	Kind      a document as a source
//	API       a document and where it is; Load reads it, its entries call it
//	Options   where the document is, what its server and its credentials are called
//
// A document is foreign data: its texts are cut and cleaned, its requests go to its own servers only, and an operation
// that is not clearly a read counts as a mutation.
//
// Start at New and API.Load.
package openapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/regular"
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/task"
	"almanac/catalog/tree"
	"almanac/catalog/verb"
	"almanac/catalog/web"
)

// options say where a document is and how it is called.
type options struct {
	// Site is where the document is. Its name may be made of the document's title.
	web.Site
	// Variables are values for the variables in the addresses of servers; others have their defaults.
	Variables map[string]string
	// Names are the names to look up the values of a security scheme by, keyed by the scheme's name, in the order of
	// web.Auth. Others use ALMANAC_<NAME>_TOKEN, _USER and _PASSWORD, _KEY, _CLIENT_ID and _CLIENT_SECRET.
	Names map[string][]string
	// Overlays are files with changes to the document.
	Overlays []string
	// MaxBody is that of web.Options.
	MaxBody int64
	// Sleep waits between attempts to get the document; nil waits in real time.
	Sleep func(ctx context.Context, d time.Duration) error
}

// An api is one document. It is safe for concurrent use.
type api struct {
	o     options
	ready web.Ready
	files watched

	mu sync.Mutex
	// lacks is the server that a credential is missing for, where that is the health.
	lacks *url.URL
	text  []byte // of the document, between key and load; nil elsewhere
}

// New returns an API. Nothing is read yet.
func New(o options) *api {
	a := &api{o: o}
	a.o.Source, _ = secret.Place(cmp.Or(o.Source, o.From))
	return a
}

// maxDocument bounds a document in bytes.
const maxDocument = 256 << 20

// parsed is about how much of the work is done when a document has been parsed, in percent.
const parsed = 25

// load reads the document and makes an entry of each operation; progress may be nil. It fails when there is no
// document to be had, and when one that is read again names a server that it did not name before; an operation that
// cannot be used is in the batch's Skipped.
func (a *api) load(ctx context.Context, progress func(source.Reading)) (catalog.Batch, error) {
	d, raw, err := a.document(ctx)
	if err != nil {
		return catalog.Batch{}, err
	}
	if progress != nil {
		progress(source.Reading{Percent: parsed})
	}
	l := loader{d: d, o: a.o, name: a.name(d), progress: progress}
	l.servers = servers{d: d, o: a.o, from: a.address()}
	bind := &binding{bound: make(chan struct{})}
	defer close(bind.bound)
	if err := l.load(ctx, bind); err != nil {
		return catalog.Batch{}, err
	}
	to, ready, err := a.bind(&l.kept)
	if err != nil {
		return catalog.Batch{}, err
	}
	if err := a.take(to, ready, l.kept.Files); err != nil {
		return catalog.Batch{}, fmt.Errorf("the document changed: %w: restart to accept it", err)
	}
	bind.to = to
	l.batch.Notes, l.batch.Mended = ready.notes, append(l.batch.Mended, d.others.told...)
	if !d.others.far { // at a later start one could not tell whether those are the same
		l.batch.Key = a.keyOf(raw)
	}
	return l.batch, nil
}

// key names what load would make of the document as it is now, which the next load takes.
func (a *api) key(ctx context.Context) (string, error) {
	text, err := a.read(ctx)
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text = text
	return a.keyOf(text), nil
}

// taken is the text of the document that key has read, or that of now.
func (a *api) taken(ctx context.Context) ([]byte, error) {
	a.mu.Lock()
	text := a.text
	a.text = nil
	a.mu.Unlock()
	if text != nil {
		return text, nil
	}
	return a.read(ctx)
}

// keyOf stands for a document and all that says how it is read. A document with values in its addresses has none, since
// what is made of it would have them too. What depends on the environment is not kept: see bind.
func (a *api) keyOf(text []byte) string {
	if len(a.o.Written()) > 0 {
		return ""
	}
	places := a.o.Access.Places()
	slices.Sort(places)
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %q %q %q %v\x00", a.o.From, a.o.Source, a.o.Name, a.o.Base, a.o.Variables, a.o.Names,
		places, a.o.Access.Timeout)
	sum.Write(text)
	for _, file := range a.o.Overlays {
		overlay, err := regular.Read(file, maxOverlay)
		if err != nil {
			return ""
		}
		fmt.Fprintf(sum, "overlay %d\x00%s", len(overlay), overlay)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// document reads the document, and returns its text too; what it refers to in others is read when it is needed.
func (a *api) document(ctx context.Context) (*document, []byte, error) {
	raw, err := a.taken(ctx)
	if err != nil {
		return nil, nil, err
	}
	root, err := task.Until(ctx, "the parser", func() (*tree.Node, error) { return tree.Parse(raw) })
	if err != nil {
		return nil, nil, err
	}
	notes, err := overlaid(root, a.o.Overlays)
	if err != nil {
		return nil, nil, err
	}
	d, err := newDocument(root)
	if err == nil && root.Get("paths") == nil {
		err = errors.New("no paths in it: an OpenAPI document declares its operations under paths")
	}
	if err != nil {
		return nil, nil, err
	}
	d.notes, d.others = notes, newOthers(ctx, a.o, raw, a.address(), root)
	return d, raw, nil
}

// Health says why actions cannot be called now: no server, or no credential. Nil before the first Load.
func (a *api) Health() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lacks != nil && a.o.Access.At(a.lacks).LoggedIn() {
		return nil // since it was read
	}
	return a.ready.Health()
}

// far tells that the document is on another machine.
func (a *api) far() bool {
	return strings.HasPrefix(a.o.From, "http://") || strings.HasPrefix(a.o.From, "https://")
}

// own are the files that a person named: the document, unless it is at an address, and overlays.
func (a *api) own() []string {
	files := slices.Clone(a.o.Overlays)
	if !a.far() {
		files = append(files, a.o.From)
	}
	return files
}

// read gets the document's text.
func (a *api) read(ctx context.Context) ([]byte, error) {
	if !a.far() {
		f, err := os.Open(a.o.From)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
		if err == nil && len(text) > maxDocument {
			err = fmt.Errorf("the document is larger than %d MB", maxDocument>>20)
		}
		return text, err
	}
	if _, err := url.Parse(a.o.From); err != nil {
		return nil, errors.New("the document's address is invalid")
	}
	text, err := Fetch(ctx, a.o.From, maxDocument, a.o.Sleep)
	if err != nil {
		return nil, fmt.Errorf("the document: %w", err)
	}
	return text, nil
}

// Fetch reads a document of at most so many bytes at an address, without credentials. sleep waits between attempts; nil
// is the clock.
func Fetch(ctx context.Context, address string, most int64,
	sleep func(ctx context.Context, d time.Duration) error) ([]byte, error) {
	client, err := web.New(web.Options{Origins: []string{address}, MaxBody: most})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return fetched(ctx, client, address, sleep)
}

// fetched is a document at an address.
func fetched(ctx context.Context, client *web.Client, address string,
	sleep func(ctx context.Context, d time.Duration) error) ([]byte, error) {
	var answer web.Answer
	err := catalog.Retry{}.Do(ctx, sleep, func(ctx context.Context) (err error) {
		answer, err = client.Do(ctx, web.Request{
			Method: http.MethodGet, URL: address, Raw: true,
			Header: http.Header{"Accept": {"application/json, application/yaml;q=0.9, */*;q=0.5"}},
		})
		return err
	})
	text, _ := answer.Data.(string)
	return []byte(text), err
}

// name is the first segment of all ids.
func (a *api) name(d *document) string {
	return cmp.Or(a.o.Name, fileName(a.o.From), titleName(d.root.At("info", "title").Str()), "api")
}

// fileName is what a document is called after its file; "" where that says nothing, as openapi.json.
func fileName(file string) string {
	if u, err := url.Parse(file); err == nil && u.Scheme != "" && u.Host != "" {
		file = u.Path
	}
	file = filepath.Base(filepath.ToSlash(file))
	file, _, _ = strings.Cut(file, ".")
	if list := verb.Words(file); len(list) > 0 &&
		!strings.Contains(" openapi swagger api spec apidocs index schema docs document v ", " "+list[0]+" ") &&
		!isVersion(list[0]) {
		return segment(list)
	}
	return ""
}

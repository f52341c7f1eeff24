package openapi

// This file reads the other documents that references of a document point into. They are trusted as the document is, so
// its own neighbours only: for a file those in its folder and below, for an address those of the same origin. The
// configuration may allow further servers.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/text"
	"almanac/catalog/tree"
	"almanac/catalog/web"
)

const (
	// maxOthers is how many other documents are read, and maxOtherBytes how large they may be together.
	maxOthers     = 500
	maxOtherBytes = 64 << 20
	// maxAway is how many documents may stand between the first one and another.
	maxAway = 16
)

// A place is where a document is: an address, or a file relative to the folder of the first one, with slashes.
type place struct {
	address *url.URL // nil for a file
	file    string
}

func (p place) String() string {
	if p.address != nil {
		return p.address.String()
	}
	return p.file
}

// at is the place that a reference in p names, without its fragment.
func (p place) at(ref string) (place, error) {
	u, err := url.Parse(ref)
	if err != nil {
		return place{}, errors.New("not a reference that can be read")
	}
	u.Fragment, u.RawFragment = "", ""
	switch {
	case p.address != nil:
		return place{address: p.address.ResolveReference(u)}, nil
	case u.Scheme == "http" || u.Scheme == "https":
		return place{address: u}, nil
	case u.Scheme != "" || u.Host != "" || u.RawQuery != "" || strings.Contains(u.Path, `\`):
		return place{}, errors.New("neither a file nor an http address")
	case path.IsAbs(u.Path):
		return place{}, errors.New("an absolute path: only files in the document's own folder are read")
	}
	return place{file: path.Join(path.Dir(p.file), u.Path)}, nil
}

// An other is a document that was read, or why it cannot be.
type other struct {
	root *tree.Node
	err  error
}

// others reads the documents that one refers to. It is used by one goroutine.
type others struct {
	ctx   context.Context
	first place
	self  *url.URL // how the first document calls itself; nil if it does not say
	text  []byte   // of the first document
	dir   string   // of the first document; empty for an address
	allow []string // further origins that may be reached
	sleep func(ctx context.Context, d time.Duration) error

	read  map[string]other
	away  map[string]int    // how many documents stand before one
	from  map[string]string // where a reference was found: FILE:LINE
	bytes int64
	files []summed // files in dir that were read, and those that could not be
	far   bool     // one at an address was read, or could not be
	lost  map[string]bool
	told  []catalog.Skip
}

func newOthers(ctx context.Context, o options, text []byte, address *url.URL, root *tree.Node) *others {
	s := &others{ctx: ctx, text: text, allow: o.Access.Allow, sleep: o.Sleep, read: map[string]other{},
		away: map[string]int{}, from: map[string]string{}, lost: map[string]bool{}}
	if s.first = (place{address: address, file: filepath.Base(o.From)}); address == nil {
		s.dir = filepath.Dir(o.From)
	}
	if self, err := url.Parse(root.Get("$self").Str()); err == nil && self.Host != "" {
		s.self = self
	}
	return s
}

// get is the document that a reference of the first one names; fragment is what stands behind it.
func (s *others) get(ref string, first *tree.Node) (root *tree.Node, fragment string, err error) {
	named, fragment, _ := strings.Cut(ref, "#")
	at, err := s.first.at(s.known(named))
	if err != nil {
		return nil, "", err
	}
	key := at.String()
	if key == s.first.String() {
		return first, fragment, nil
	}
	have, ok := s.read[key]
	if !ok {
		have.root, have.err = s.load(at, key)
		s.read[key] = have
	}
	return have.root, fragment, have.err
}

// known is an address below that which the first document calls its own as one of its neighbours.
func (s *others) known(named string) string {
	if s.self == nil {
		return named
	}
	if below, ok := strings.CutPrefix(named, s.self.ResolveReference(&url.URL{Path: "."}).String()); ok {
		if below == path.Base(s.self.Path) {
			return s.first.String()
		}
		return below
	}
	return named
}

func (s *others) load(at place, key string) (*tree.Node, error) {
	away := max(1, s.away[key])
	switch {
	case len(s.read) >= maxOthers:
		return nil, fmt.Errorf("more than %d other documents are not read", maxOthers)
	case away > maxAway:
		return nil, fmt.Errorf("more than %d documents behind one another are not read", maxAway)
	}
	text, err := s.textOf(at)
	if err != nil {
		return nil, err
	}
	if s.bytes += int64(len(text)); s.bytes > maxOtherBytes {
		return nil, fmt.Errorf("other documents are larger than %d MB together", maxOtherBytes>>20)
	}
	root, err := tree.Parse(text)
	if err != nil {
		return nil, err
	}
	s.rewrite(root, at, text, away)
	return root, nil
}

// rewrite makes references in another document those of the first.
func (s *others) rewrite(n *tree.Node, in place, text []byte, away int) {
	absolute := func(ref *tree.Node) {
		named, fragment, has := strings.Cut(ref.Text, "#")
		to, err := in.at(s.known(named))
		if named == "" {
			to, err = in, nil
		}
		if err != nil {
			return // it is told when it is followed
		}
		written := to.String()
		if to.address == nil {
			written = (&url.URL{Path: to.file}).String()
		}
		if key := to.String(); key != in.String() && (s.away[key] == 0 || s.away[key] > away+1) {
			s.away[key] = away + 1
		}
		if has {
			written += "#" + fragment
		}
		if s.from[written] == "" {
			s.from[written] = in.line(text, ref.Text)
		}
		ref.Text = written
	}
	for i, value := range n.Values {
		switch {
		case n.Is(tree.Object) && n.Names[i] == "$ref" && value.Is(tree.Text):
			absolute(value)
		case n.Is(tree.Object) && n.Names[i] == "discriminator":
			value.Get("mapping").Each(func(_ string, ref *tree.Node) {
				if ref.Is(tree.Text) && strings.ContainsAny(ref.Text, "/#.") {
					absolute(ref)
				}
			})
		default:
			s.rewrite(value, in, text, away)
		}
	}
}

// line is where a reference is first written in the text of a document, without what is secret in its address.
func (p place) line(text []byte, ref string) string {
	shown, _ := secret.Address(p.String())
	return fmt.Sprintf("%s:%d", shown, 1+bytes.Count(text[:max(0, bytes.Index(text, []byte(ref)))], []byte{'\n'}))
}

// textOf reads a document.
func (s *others) textOf(at place) ([]byte, error) {
	if at.address == nil {
		return s.fileOf(at.file)
	}
	s.far = true
	var own []string
	if s.first.address != nil {
		own = []string{s.first.address.String()}
	}
	client, err := web.New(web.Options{Origins: own, Access: web.Access{Allow: s.allow}, MaxBody: maxOtherBytes})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	text, err := fetched(s.ctx, client, at.String(), s.sleep)
	var status *web.StatusError
	if err != nil && !errors.As(err, &status) {
		err = fmt.Errorf("%w; allow in [sources.NAME] of the configuration names further servers", err)
	}
	return text, err
}

// fileOf reads a file in the folder of the first document.
func (s *others) fileOf(name string) ([]byte, error) {
	if name == ".." || strings.HasPrefix(name, "../") {
		return nil, errors.New("outside of the document's own folder")
	}
	text, err := neighbour(s.dir, name)
	s.files = append(s.files, summed{name, sumOf(text, err)})
	return text, err
}

// neighbour reads a file in a folder or below it, wherever links lead.
func neighbour(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return nil, plainPath(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, plainPath(err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxOtherBytes+1))
}

// plainPath is an error of a file without its name, which the report has.
func plainPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// lose notes a reference that leads nowhere, once, with its place.
func (s *others) lose(ref string, err error) {
	if s.lost[ref] {
		return
	}
	s.lost[ref] = true
	from := s.from[ref]
	if from == "" {
		from = s.first.line(s.text, ref)
	}
	s.told = append(s.told, catalog.Skip{Source: from,
		Reason: fmt.Sprintf("the reference %s was left open: %v", text.LineBytes(ref, 120), err)})
}

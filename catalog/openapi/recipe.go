package openapi

// This file writes what calls need of a document as text: of each operation in its entry, of the document beside them.
// The actions are made of these texts, also those of a document that was just read, so that it need not be read again
// at the next start. They have no secrets: credentials are names here, and a document whose address has values in it is
// not kept.

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/catalog/web"
)

// A recipe is what a call needs of an operation.
type recipe struct {
	Method, Path string
	ID           string `json:",omitempty"` // the operationId
	Plan         plan
	Read         bool // its entry mutates nothing
	Group        int
}

// A group is what operations have in common: the address of their server as the document has it, what is wrong with
// that, and their credentials.
type group struct {
	Server, Broken string       `json:",omitempty"`
	Auth           [][]web.Auth `json:",omitempty"`
	IDs            []string     // of the entries, in order
}

// A kept is what calls need of a document.
type kept struct {
	Name   string   // the first segment of all ids
	Keys   []string // see plan.keys
	Groups []group
	// Files are further files that the document is made of, with what they hold.
	Files []summed `json:",omitempty"`
	// Logins is set if the document says who gives tokens.
	Logins bool `json:",omitempty"`
	// Notes are those that depend on the document alone.
	Notes []catalog.Skip `json:",omitempty"`
}

// A summed is a file beside a document and a hash of what it holds, empty where it cannot be read.
type summed struct{ Name, Sum string }

func sumOf(text []byte, err error) string {
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// group is the number of the group of an operation, to which it is added.
func (k *kept) group(g group, id string) int {
	at := slices.IndexFunc(k.Groups, func(have group) bool {
		return have.Server == g.Server && have.Broken == g.Broken && slices.EqualFunc(have.Auth, g.Auth,
			func(a, b []web.Auth) bool { return slices.EqualFunc(a, b, web.Auth.Equal) })
	})
	if at < 0 {
		at = len(k.Groups)
		k.Groups = append(k.Groups, g)
	}
	k.Groups[at].IDs = append(k.Groups[at].IDs, id)
	return at
}

// The types below are written as lists of their fields, and their fields are the places where they are read to. A field
// that is added to one is added to its list.

func (p *plan) list() []any {
	return []any{&p.params, &p.body, &p.accept, &p.empty, &p.wantJSON, &p.notFound}
}

func (p *param) list() []any {
	return []any{&p.arg, &p.name, &p.in, &p.style, &p.explode, &p.reserved, &p.json, &p.size, &p.whole}
}

func (b *body) list() []any {
	return []any{&b.mediaType, &b.form, &b.whole, &b.fields, &b.open, &b.optional}
}

func (f *field) list() []any {
	return []any{&f.arg, &f.name, &f.style, &f.explode, &f.contentType, &f.file}
}

// MarshalJSON and UnmarshalJSON write and read lists of fields.

func (p plan) MarshalJSON() ([]byte, error)  { return json.Marshal(p.list()) }
func (p param) MarshalJSON() ([]byte, error) { return json.Marshal(p.list()) }
func (b body) MarshalJSON() ([]byte, error)  { return json.Marshal(b.list()) }
func (f field) MarshalJSON() ([]byte, error) { return json.Marshal(f.list()) }

func (p *plan) UnmarshalJSON(text []byte) error  { return readList(text, p.list()) }
func (p *param) UnmarshalJSON(text []byte) error { return readList(text, p.list()) }
func (b *body) UnmarshalJSON(text []byte) error  { return readList(text, b.list()) }
func (f *field) UnmarshalJSON(text []byte) error { return readList(text, f.list()) }

func readList(text []byte, places []any) error {
	n := len(places)
	if err := json.Unmarshal(text, &places); err != nil {
		return err
	}
	if len(places) != n {
		return errors.New("another number of fields")
	}
	return nil
}

// A bound is a document that calls can be made of.
type bound struct {
	client *web.Client
	keys   map[string]bool
	groups []boundGroup
}

// A boundGroup is a group with the address of its server, or why it has none.
type boundGroup struct {
	base   string
	broken error
	auth   [][]web.Auth
}

// A readiness is what of a document's actions can be called now, and what there is to say of its credentials.
type readiness struct {
	health error
	lacks  *url.URL // the server of the first action that cannot be called, where a credential is missing
	notes  []catalog.Skip
}

// bind finds the servers and the credentials of a document.
func (a *api) bind(k *kept) (*bound, readiness, error) {
	b := &bound{keys: map[string]bool{}}
	for _, key := range k.Keys {
		b.keys[key] = true
	}
	s := servers{o: a.o, from: a.address()}
	var health error
	var lacks *url.URL
	var wanted, blocked []string
	used := map[string]bool{}
	entries := 0
	for _, g := range k.Groups {
		entries += len(g.IDs)
		one := boundGroup{auth: g.Auth}
		one.base, one.broken = s.at(g.Server, g.Broken)
		b.groups = append(b.groups, one)
		var from *url.URL
		if one.broken == nil {
			from, _ = url.Parse(one.base)
		}
		effective := a.o.Access.At(from).Over(g.Auth)
		a.o.Vault.Expect(effective)
		for _, all := range effective {
			for _, auth := range all {
				for _, name := range auth.Names {
					used[name] = true
				}
			}
		}
		reason := one.broken
		if missing := a.o.Vault.Wanted(effective); reason == nil && len(missing) > 0 {
			for _, name := range missing {
				if !slices.Contains(wanted, name) {
					wanted = append(wanted, name)
				}
			}
			reason = errNoCredential
			if health == nil {
				lacks = from
			}
		}
		if reason != nil {
			blocked = append(blocked, g.IDs...)
			if health == nil {
				health = reason
			}
		}
	}
	var err error
	b.client, err = web.New(web.Options{Origins: s.all, Vault: a.o.Vault, Access: a.o.Access, MaxBody: a.o.MaxBody})
	if err != nil {
		return nil, readiness{}, err
	}
	if health == errNoCredential {
		if health = a.o.Access.Failure(a.o.Vault); health == nil {
			health = errors.New("no credential: set it in the environment or the system keyring as " +
				strings.Join(wanted, ", ") + a.orLogin(k))
		}
	}
	slices.Sort(blocked)
	if health != nil && len(blocked) < entries {
		health = &source.PartlyError{Blocked: blocked, All: entries, Err: health}
	}
	return b, readiness{health, lacks, append(a.unused(k.Name, used), k.Notes...)}, nil
}

// orLogin adds that one may log in, where the document says who gives tokens, or have AWS's own keys taken.
func (a *api) orLogin(k *kept) string {
	asks := func(all []web.Auth) bool {
		return slices.ContainsFunc(all, func(one web.Auth) bool { return one.Kind == web.SigV4 })
	}
	if slices.ContainsFunc(k.Groups, func(g group) bool { return slices.ContainsFunc(g.Auth, asks) }) {
		return "; or set auth = {aws = {}} in [sources.NAME], for the keys that AWS's programs use"
	}
	if source := a.o.Access.Login.Source(); source != "" && k.Logins {
		return "; or run almanac login " + source
	}
	return ""
}

// take makes b the document that calls are made of. It fails if b names a server that the one before did not name.
func (a *api) take(b *bound, r readiness, files []summed) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.ready.Take(b.client, r.health); err != nil {
		return err
	}
	a.lacks, a.text = r.lacks, nil
	watch := a.own()
	for _, f := range files {
		watch = append(watch, filepath.Join(filepath.Dir(a.o.From), filepath.FromSlash(f.Name)))
	}
	a.files.set(watch)
	return nil
}

// recall makes ready what calls need of a document that was read at an earlier start.
func (a *api) recall(text []byte) (attach func(*catalog.Entry), notes []catalog.Skip, err error) {
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, nil, err
	}
	for _, f := range k.Files {
		if f.Sum != sumOf(neighbour(filepath.Dir(a.o.From), f.Name)) {
			return nil, nil, errors.New(f.Name + ": it has changed")
		}
	}
	b, ready, err := a.bind(&k)
	if err != nil {
		return nil, nil, err
	}
	if err := a.take(b, ready, k.Files); err != nil {
		return nil, nil, err
	}
	bind := &binding{bound: make(chan struct{}), to: b}
	close(bind.bound)
	return bind.attach, ready.notes, nil
}

// address is where the document is; nil for a file.
func (a *api) address() *url.URL {
	if !a.far() {
		return nil
	}
	u, _ := url.Parse(a.o.From)
	return u
}

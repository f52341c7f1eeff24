package source

// This file maps sources, as written on a command line, to their kinds: a table of kinds, each of which opens its own.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/regular"
	"almanac/catalog/secret"
	"almanac/catalog/web"
)

// A Kind is one way to write a source: openapi:FILE-or-URL, FILE.jsonl.
type Kind struct {
	// Prefix stands before a colon; empty for files that are known by their endings.
	Prefix  string
	Endings []string
	// Alone tells that the Prefix may stand alone, without a colon.
	Alone bool
	// TopKeys are outermost keys of a YAML or JSON file that make it one of this kind, whichever kind has the ending.
	TopKeys []string
	// Forms are how it is written, for help and errors. About says what it is, for completion.
	Forms []string
	About string
	// Beside tells that a file behind the Prefix lies beside the configuration file that names it.
	Beside bool
	// Folder tells that a folder is named, for which the context value workspace stands.
	Folder bool
	// Named is what the ids of a source without a name begin with, as far as the text, or the head of a local file, tells;
	// "" where it does not. Nil: its sources need no telling apart.
	Named func(Ref) string
	// Harmless reports that the file of a project may name the source before anybody has approved it. Nil: never.
	Harmless func(Ref) bool
	// Shown is the source without the values that were written into it. Nil: those of addresses are taken out.
	Shown func(Ref) string
	// Needs are further sources that the source needs, as a person would write them. Nil: it needs none.
	Needs func(Ref, Host) []string
	// Open makes the sources, mostly one. Nothing is read or started before they are loaded. What of a list of sources
	// cannot be used is skipped.
	Open func(Ref, Host) ([]Source, []catalog.Skip, error)
}

// A Ref is a source as a person wrote it: NAME=SPEC.
type Ref struct {
	// Name is what the person calls it; may be empty.
	Name string
	// Spec is what stands behind the name, and Rest what of it stands behind the prefix of its kind.
	Spec, Rest string
}

// As is how messages call the source, and Source.Name: a spec of its kind, with the name in front where it has one.
func (r Ref) As(spec string) string {
	if r.Name == "" {
		return spec
	}
	return r.Name + "=" + spec
}

// A Host is what kinds open sources with.
type Host struct {
	// Data is the folder of the program's own files.
	Data string
	// Version is that of the program.
	Version string
	// Base returns the address of the server of the source called name, in place of those that its document names; "" has
	// none.
	Base func(name string) string
	// Trusts reports whether the person trusts what the source called name says of its actions; nil trusts none.
	Trusts func(name string) bool
	// Roots returns the folders that the source called name is told to work on; nil, and none, tell of none.
	Roots func(name string) []string
	// Protocol returns the version of the protocol that is spoken first with the server of the source called name, for
	// kinds that have several; nil, and "", leave it to the kind.
	Protocol func(name string) string
	// Access is what the configuration says of the requests of the source called name; nil says nothing. keys are those
	// of its table that the kind has a use for, as the configuration calls them: others are told to the person.
	Access func(name string, keys ...string) web.Access
	// Overlays are files that change the document of the source called name; nil has none.
	Overlays func(name string) []string
	// Getenv looks up a variable of the environment.
	Getenv func(string) string
}

// Requests is what a source makes its requests with: a vault over the environment and the keyring, and Access.
func (h Host) Requests(name string, keys ...string) (*web.Vault, web.Access) {
	v, access := web.NewVault(h.Getenv, web.Keyring), web.Access{}
	if h.Access != nil {
		access = h.Access(name, keys...)
	}
	v.From(access.Secrets)
	v.Expect(access.Over(nil))
	return v, access
}

// Site is where the source is, which goes by prefix and is called name if the person has not named it, and what its
// requests are made with. more are the keys of its table that its kind has a use for, beside those that all have.
func (h Host) Site(r Ref, prefix, name string, more ...string) web.Site {
	source, _ := secret.Place(r.As(prefix + ":" + r.Rest))
	name = cmp.Or(r.Name, name)
	s := web.Site{From: r.Rest, Source: source, Name: r.Name, Base: h.Base(name)}
	s.Vault, s.Access = h.Requests(name, append(more, "auth", "base", "ca", "cert", "headers", "key", "timeout")...)
	return s
}

// Kinds are all that a program knows.
type Kinds []Kind

// Forms are the ways to write a source.
func (ks Kinds) Forms() []string {
	var all []string
	for _, k := range ks {
		all = append(all, k.Forms...)
	}
	return all
}

// Split parts NAME=SPEC; name is empty, and spec is all, where no name is in front.
func Split(text string) (name, spec string) {
	name, spec, ok := strings.Cut(text, "=")
	if !ok || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return "", text
	}
	return name, spec
}

// Find tells the kind of a text by its look; nil when it is of none.
func (ks Kinds) Find(text string) (Ref, *Kind) {
	name, spec := Split(text)
	prefix, rest, _ := strings.Cut(spec, ":")
	for i, k := range ks {
		if k.Prefix == prefix && prefix != "" && (rest != "" || k.Alone) {
			return Ref{name, spec, rest}, &ks[i]
		}
	}
	for i, k := range ks {
		if slices.ContainsFunc(k.Endings, func(ending string) bool { return strings.HasSuffix(spec, ending) }) {
			return Ref{name, spec, spec}, &ks[i]
		}
	}
	return Ref{name, spec, spec}, nil
}

// Check is an error for a text that is of no kind. It opens nothing.
func (ks Kinds) Check(text string) error {
	if ref, k := ks.Find(text); k == nil {
		return fmt.Errorf("catalog %s: %s", ks.Shown(text), ks.unknown(ref.Spec))
	}
	return nil
}

// Open makes the sources of a text. left lists what of a file of sources cannot be used.
func (ks Kinds) Open(text string, h Host) (all []Source, left *Status, err error) {
	if err := ks.Check(text); err != nil {
		return nil, nil, err
	}
	ref, k := ks.Find(text)
	if k.Prefix == "" && k.TopKeys != nil {
		k, err = ks.inside(ref.Spec, k)
	}
	var skipped []catalog.Skip
	if err == nil {
		all, skipped, err = k.Open(ref, h)
	}
	if len(skipped) > 0 {
		left = &Status{Name: k.Prefix + ":" + ref.Rest, State: Ready, Found: len(skipped), Skipped: skipped}
	}
	if err != nil {
		return nil, left, fmt.Errorf("catalog %s: %w", ks.Shown(text), err)
	}
	return all, left, nil
}

// unknown says what is wrong with a source of no kind: nothing stands behind its prefix, or nothing is known of it.
func (ks Kinds) unknown(spec string) string {
	forms, wrong := ks.Forms(), "unknown kind of source"
	for _, k := range ks {
		if k.Prefix != "" && spec == k.Prefix+":" {
			forms, wrong = k.Forms, "nothing behind the colon"
		}
	}
	if n := len(forms) - 1; n > 0 {
		forms = []string{strings.Join(forms[:n], ", ") + " or " + forms[n]}
	}
	return wrong + ": use " + forms[0]
}

// fileHead is how much of a file is looked at to see what it is, in bytes.
const fileHead = 1 << 20

// inside tells the kind of a file by its outermost keys. A file that cannot be read stays what its ending says; its
// source says why.
func (ks Kinds) inside(file string, byEnding *Kind) (*Kind, error) {
	f, err := regular.Open(file)
	if err != nil {
		return byEnding, nil
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, fileHead))
	if err != nil {
		return byEnding, nil
	}
	var keys []string
	for _, k := range ks {
		keys = append(keys, k.TopKeys...)
	}
	key := TopKey(head, keys...)
	if i := slices.IndexFunc(ks, func(k Kind) bool { return slices.Contains(k.TopKeys, key) }); i >= 0 {
		return &ks[i], nil
	}
	return nil, errors.New("none of the keys " + strings.Join(keys, ", ") + " is at its top level")
}

// Shown is what names a source without the values in it.
func (ks Kinds) Shown(text string) string {
	if ref, k := ks.Find(text); k != nil && k.Shown != nil {
		return k.Shown(ref)
	}
	shown, _ := secret.Address(text)
	return shown
}

// Harmless reports whether the file of a project may name a source before anybody has approved it.
func (ks Kinds) Harmless(text string) bool {
	ref, k := ks.Find(text)
	return k != nil && k.Harmless != nil && k.Harmless(ref)
}

// Beside is the text with the file that it names, if it names one, in the folder dir.
func (ks Kinds) Beside(dir, text string) string {
	ref, k := ks.Find(text)
	file := ref.Rest
	if k != nil && k.Prefix != "" && !k.Beside || file == ref.Spec && strings.Contains(file, ":") ||
		filepath.Ext(file) == "" || strings.Contains(file, "://") || strings.Contains(file, " ") || filepath.IsAbs(file) {
		return text
	}
	return strings.TrimSuffix(text, file) + filepath.Join(dir, file)
}

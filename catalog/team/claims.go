package team

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog/text"
)

// This file is claims: who works on which lines of which file, or on anything that has a name. There is a record for
// each file or name, with all claims on it, changed only where nobody else has changed it in the meantime.

// A Claim is a part of a file, or a named thing, that a session has to itself. Its texts are data, whoever wrote them.
type Claim struct {
	// Path is a file with slashes, as claimedPath writes it. First and Last are its lines; without Last all
	// from First on, without both all.
	Path  string `json:"path,omitempty"`
	First int    `json:"first,omitempty"`
	Last  int    `json:"last,omitempty"`
	// Repository is the one that a relative path is in, as Options has it; empty where that is not known.
	Repository string `json:"repository,omitempty"`
	// Name is what is claimed where it is no file.
	Name string `json:"name,omitempty"`
	By   string `json:"by"`
	// What is what for, in a few words; may be empty.
	What  string    `json:"what,omitempty"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	// Renewed says that Until moves on while the session lives.
	Renewed bool `json:"renewed"`
}

// region is what the claim is of, in words.
func (c *Claim) region() string {
	switch {
	case c.Name != "":
		return c.Name
	case c.First == 0:
		return c.Path
	case c.First == c.Last:
		return fmt.Sprintf("line %d of %s", c.First, c.Path)
	case c.Last == 0:
		return fmt.Sprintf("lines %d and on of %s", c.First, c.Path)
	}
	return fmt.Sprintf("lines %d-%d of %s", c.First, c.Last, c.Path)
}

// apart says whether two claims of one record are of files in different repositories. Where one is not known they are
// not: programs of before have none.
func (c *Claim) apart(o *Claim) bool {
	return c.Repository != o.Repository && c.Repository != "" && o.Repository != ""
}

// overlaps says whether two claims of one record have a part in common.
func (c *Claim) overlaps(o *Claim) bool {
	return !c.apart(o) && (c.Last == 0 || o.First <= c.Last) && (o.Last == 0 || c.First <= o.Last)
}

// A stake is a Claim as it is kept.
type stake struct {
	Claim
	Instance string // of the session
}

// Bounds of claims.
const (
	maxPath    = 1000
	maxStakes  = 100 // on one file
	maxClaim   = 24 * time.Hour
	claimBytes = 16 << 20
)

// A book is the claims of a team as one session sees them.
type book struct {
	t      *Team
	leases *leases
}

func (b *book) records(ctx context.Context) (jetstream.KeyValue, error) {
	return b.t.bucket(ctx, "claims", jetstream.KeyValueConfig{
		TTL: maxClaim + time.Hour, MaxBytes: claimBytes, MaxValueSize: maxItem,
	})
}

// key is where the claims on the file or name of c are kept.
func (c *Claim) key() string {
	sum := sha256.Sum256([]byte(c.Path + "\x00" + c.Name))
	return strings.ToLower(strings.TrimRight(base32.StdEncoding.EncodeToString(sum[:20]), "="))
}

// check cleans and bounds a claim that is to be made.
func (b *book) check(c *Claim) error {
	c.Path, c.Name = text.OneLine(b.t.redact(c.Path)), text.OneLine(b.t.redact(c.Name))
	c.What = text.LineBytes(b.t.redact(c.What), maxDoing)
	switch {
	case (c.Path == "") == (c.Name == ""):
		return errors.New("claim: want either path, a file, or name, anything else")
	case len(c.Path) > maxPath || len(c.Name) > maxPath:
		return fmt.Errorf("claim: want at most %d bytes of path or name", maxPath)
	case c.Name != "" && (c.First != 0 || c.Last != 0):
		return errors.New("claim: a name has no lines: leave out first and last")
	case c.Name != "":
		return nil
	}
	if c.Path = claimedPath(c.Path, b.t.options.Dir, b.t.options.Root); filepath.IsLocal(filepath.FromSlash(c.Path)) {
		c.Repository = text.LineBytes(b.t.redact(b.t.options.Repository), maxDoing)
	}
	if c.First < 0 || c.Last != 0 && c.Last < max(c.First, 1) {
		return fmt.Errorf("lines %d to %d: want the first line, from 1 on, and a last one that is not before it", c.First, c.Last)
	}
	return nil
}

// read fetches the claims on what c is of; revision is 0 if there was never any.
func (b *book) read(ctx context.Context, key string) (all []stake, revision uint64, err error) {
	kv, err := b.records(ctx)
	if err != nil {
		return nil, 0, err
	}
	entry, err := kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	return b.running(entry.Value()), entry.Revision(), nil
}

// running reads a record, which may be anything, and leaves out what has ended.
func (b *book) running(raw []byte) (all []stake) {
	if len(raw) > maxItem || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	now := b.t.now()
	all = slices.DeleteFunc(all, func(s stake) bool { return now.After(s.Until) || CheckName(s.By) != nil })
	for i := range all {
		c := &all[i].Claim
		c.Path, c.Name = text.LineBytes(c.Path, maxPath), text.LineBytes(c.Name, maxPath)
		c.What, c.Repository = text.LineBytes(c.What, maxDoing), text.LineBytes(c.Repository, maxDoing)
	}
	return all
}

// change changes the claims on what a key stands for; see changed.
func (b *book) change(ctx context.Context, key string, f func(*[]stake) error) error {
	_, err := changed(ctx, b.t, place[[]stake]{b.records, b.read}, key, f)
	return err
}

// A conflictError says that another session has what was to be claimed.
type conflictError struct {
	want, has Claim
	when      string
}

func (e *conflictError) Error() string {
	what := ""
	if e.has.What != "" {
		what = fmt.Sprintf(" (%s)", e.has.What)
	}
	return fmt.Sprintf("%s: %s has %s%s, %s: work on something else meanwhile, or write to %[2]s with peer.message",
		e.want.region(), e.has.By, e.has.region(), what, e.when)
}

// conflict is why the session cannot have c; nil if it can.
func (b *book) conflict(c *Claim, all []stake) error {
	for i := range all {
		if s := &all[i]; s.By != b.t.Agent() && c.overlaps(&s.Claim) {
			when := "since " + b.t.moment(s.Since) + ", until " + b.t.moment(s.Until)
			if s.Renewed {
				when += " or longer"
			}
			return &conflictError{want: *c, has: s.Claim, when: when}
		}
	}
	return nil
}

// claim makes a claim for a time, or for as long as the session lives. c is checked.
func (b *book) claim(ctx context.Context, c Claim, fixed time.Duration) (Claim, error) {
	now := b.t.now().UTC()
	c.By, c.Since, c.Renewed = b.t.Agent(), now, fixed == 0
	c.Until = now.Add(cmp.Or(fixed, b.t.leaseTime))
	key := c.key()
	err := b.change(ctx, key, func(all *[]stake) error {
		if err := b.conflict(&c, *all); err != nil {
			return err
		}
		*all = slices.DeleteFunc(*all, func(s stake) bool {
			return s.By == c.By && s.First == c.First && s.Last == c.Last && !c.apart(&s.Claim)
		})
		if n := len(*all); n >= maxStakes {
			return fmt.Errorf("%s: there are %d claims on it: claim the whole file, or wait", c.region(), n)
		}
		*all = append(*all, stake{c, b.t.instance})
		return nil
	})
	if err == nil && c.Renewed {
		b.leases.claim(key, c.Until)
	}
	return c, err
}

// renew keeps the session's claims of a record for another lease; lost if there are none.
func (b *book) renew(ctx context.Context, key string, until time.Time) (lost bool, err error) {
	err = b.change(ctx, key, func(all *[]stake) error {
		lost = true
		for i := range *all {
			if s := &(*all)[i]; s.Instance == b.t.instance && s.Renewed {
				s.Until, lost = until, false
			}
		}
		if lost {
			return errSame
		}
		return nil
	})
	return lost, err
}

// own are the agent's claims on what c is of, and rest the others.
func (b *book) own(c *Claim, all []stake) (own []Claim, rest []stake) {
	for _, s := range all {
		if s.By == b.t.Agent() && !c.apart(&s.Claim) && (c.First == 0 || c.First == s.First && c.Last == s.Last) {
			own = append(own, s.Claim)
		} else {
			rest = append(rest, s)
		}
	}
	return own, rest
}

// release ends the session's claims on what c is of: one region of a file, or all of them if it names no lines.
func (b *book) release(ctx context.Context, c Claim) (released []Claim, err error) {
	err = b.change(ctx, c.key(), func(all *[]stake) error {
		if released, *all = b.own(&c, *all); len(released) == 0 {
			return errSame
		}
		return nil
	})
	return released, err
}

// end ends what is renewed of a record, because the session leaves.
func (b *book) end(ctx context.Context, key string) error {
	return b.change(ctx, key, func(all *[]stake) error {
		*all = slices.DeleteFunc(*all, func(s stake) bool { return s.Instance == b.t.instance && s.Renewed })
		return nil
	})
}

// Claims are what the sessions of the team have claimed, by file, line and name.
func (t *Team) Claims(ctx context.Context) (all []Claim, err error) {
	kv, err := t.book.records(ctx)
	if err != nil {
		return nil, err
	}
	err = t.try(ctx, func(ctx context.Context) error {
		all = nil
		return eachValue(ctx, kv, []string{">"}, func(entry jetstream.KeyValueEntry) {
			for _, s := range t.book.running(entry.Value()) {
				all = append(all, s.Claim)
			}
		})
	})
	slices.SortFunc(all, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Repository, b.Repository),
			cmp.Compare(a.First, b.First), cmp.Compare(a.Name, b.Name))
	})
	return all, err
}

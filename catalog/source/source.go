// Package source manages the sources of a catalog: it reads them concurrently, reports their health and skipped
// entries, and hides changed actions until somebody accepts them.
//
//	Source   a place that actions come from
//	Kinds    the kinds of sources on a command line, and what opens each
//	Loader   reads sources in the background and makes one catalog of them
//	Status   the health of one source
//	ledger   the accepted actions of a source, in a file
//	state    an action as accepted, and what has changed since
//	content  what one reading of a source gave, as a segment of the catalog
//	cache    contents and built catalogs in files, for the next start
//
// Start at Start.
package source

import (
	"context"
	"fmt"
	"time"

	"almanac/catalog"
	"almanac/catalog/web/login"
)

// A Source is a place where actions come from. Its functions may be called from several goroutines.
type Source struct {
	// Name is what the person calls it: "openapi:petstore.yaml", without values that must not be shown. Names are unique
	// in a Loader, and what was accepted is kept under them.
	Name string
	// Own tells that the program itself wrote the actions: nothing of it has to be accepted.
	Own bool
	// Overlays tells that it may have something to say of the actions of all sources, and hide some. Nothing is shown
	// before it has been read.
	Overlays bool
	// Rule is what one of its overlays is called: "reads pattern"; empty stands for an overlay.
	Rule string
	// Optional tells that it need not hold anything: while it holds nothing it is not told of.
	Optional bool
	// Reserves are namespaces that no other source may have actions in, wherever it was named and whenever it is read.
	Reserves []string
	// Load reads all of it; it is called again to refresh. It may tell how far it has come.
	Load func(ctx context.Context, progress func(Reading)) (catalog.Batch, error)
	// Key names what Load would give without making it: as long as the key is the same, so is the Batch, which has it as
	// its Key. What Key has read Load need not read again. Empty, or nil: only Load can tell; see Options.Cache.
	Key func(ctx context.Context) (string, error)
	// Far tells that Key asks another machine, so that it is asked beside other sources and not before them.
	Far bool
	// Recall takes the place of Load where the cache has the Batch: it gets its Kept and returns its Attach, and its
	// Notes, which may depend on more than the Key does. An error has the source read. Nil for a source whose entries have
	// no functions.
	Recall func(kept []byte) (attach func(*catalog.Entry), notes []catalog.Skip, err error)
	// Watch calls changed whenever Load would give something else, and returns when ctx is done. Nil: it never changes
	// by itself.
	Watch func(ctx context.Context, changed func())
	// Health says why its actions cannot be called now; a *PartlyError where some of them can. Nil: they always can.
	Health func() error
	// Secrets are values that must never be shown. Nil: it has none.
	Secrets func() []string
	// Login is how one logs in to its server; nil: there is no way.
	Login *login.Way
	// Close ends what the source holds open. Nil: nothing.
	Close func() error
}

// A Reading is how far a Load has come.
type Reading struct {
	// Found counts what was found so far.
	Found int
	// Percent is how much of the source has been read; 0 where the source cannot tell.
	Percent int
	// Entries gives those so far, some of what Load will return; nil where a part is of no use. It is called before
	// progress returns, at most once. They must not be changed afterwards, and can be called.
	Entries func() []catalog.Entry
}

// Percent is the share of done in all, below 100 because the reading has not ended; 0 where all is not known.
func Percent(done, all int64) int {
	if all <= 0 {
		return 0
	}
	return int(min(100*done/all, 99))
}

// A State says how far a source is.
type State string

// The states.
const (
	Loading State = "loading"
	Ready   State = "ready"
	Failed  State = "failed"
)

// A Status is how one source is doing.
type Status struct {
	Name  string
	State State
	// Found counts what was found so far while it is loading, and all that it held afterwards. Percent is how much of it
	// has been read, while that is known.
	Found, Percent int
	// Loaded counts the entries that the catalog has of it, with those that wait to be accepted.
	Loaded int
	// Empty is true when it was read and declares nothing: no action, and no overlay of others' actions.
	Empty bool
	// Skipped, Renamed and Mended say what became of the rest; see catalog.Batch. Ids that another source has already,
	// or reserves, are among the Skipped.
	Skipped, Renamed, Mended []catalog.Skip
	// Notes say what there is to know though nothing is wrong; see catalog.Batch.
	Notes []catalog.Skip
	// Overlay lists what of the source's overlays did not apply, Rule what one of them is called; see Source.
	Overlay []catalog.Skip
	Rule    string `json:"-"`
	// Unusable lists its actions that are hidden because something that they need is not there, and what.
	Unusable []catalog.Skip
	// Uncompensated lists its actions whose compensation cannot be called.
	Uncompensated []catalog.Skip
	// Stale lists actions that use others which have changed since; see catalog.View.Stale.
	Stale []catalog.Skip `json:"-"`
	// Change compares with what was accepted. Added and Changed actions are hidden until Accept.
	Change Change
	// Damaged tells that the cache had it and could not be read, so that it was read anew.
	Damaged bool `json:"-"`
	// Took is how long the last reading took.
	Took time.Duration
	// Err says why the last reading failed. What an earlier one gave stays.
	Err error
	// Health says why its actions cannot be called now; nil when they can.
	Health error
}

// A PartlyError is a Health of a source of which some actions can be called and some cannot.
type PartlyError struct {
	// Blocked are the ids of those that cannot, of All.
	Blocked []string
	All     int
	// Err says why the first of them cannot.
	Err error
}

func (e *PartlyError) Error() string {
	return fmt.Sprintf("%d of %d actions unavailable: %v", len(e.Blocked), e.All, e.Err)
}

// Unwrap is the reason.
func (e *PartlyError) Unwrap() error { return e.Err }

// A Warning is a Health of a source whose actions can be called all the same.
type Warning struct{ error }

// NewWarning is a Warning of err, and nil without one.
func NewWarning(err error) error {
	if err == nil {
		return nil
	}
	return &Warning{err}
}

// A Change lists ids, in order.
type Change struct {
	Added   []string `json:"added,omitempty"`
	Changed []string `json:"changed,omitempty"`
	Removed []string `json:"removed,omitempty"`
	// What tells by id, in a line, what an added action is and what is other with a changed one.
	What map[string]string `json:"what,omitempty"`
}

// empty reports whether nothing changed.
func (c Change) empty() bool { return len(c.Added)+len(c.Changed)+len(c.Removed) == 0 }

// Waiting counts the actions that have to be accepted.
func (c Change) Waiting() int { return len(c.Added) + len(c.Changed) }

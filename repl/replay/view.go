package replay

import (
	"context"
	"errors"
	"maps"
	"slices"

	"almanac/catalog"
	"almanac/repl/transcript"
	"almanac/session/trace"
)

// viewOf is the view with an entry for each action that the log has called and the view does not have: it takes any
// arguments, and answers nothing but what the log has. These are gone.
func viewOf(view *catalog.View, runs []transcript.Run) (whole *catalog.View, gone []string, err error) {
	missing := map[string]catalog.Entry{}
	for _, run := range runs {
		for _, c := range run.Calls {
			if _, err := view.Resolve(c.ID); err == nil || c.Verdict == trace.Rejected {
				continue
			}
			missing[c.ID] = catalog.Entry{
				ID: c.ID, Input: catalog.MustSchema(`{"type":"object"}`), Mutates: c.Mutates, Risk: c.Risk,
				Action: func(context.Context, catalog.Call) (catalog.Result, error) {
					return catalog.Result{}, errors.New("the catalog does not have it any more")
				},
			}
		}
	}
	if len(missing) == 0 {
		return view, nil, nil
	}
	gone = slices.Sorted(maps.Keys(missing))
	for e := range view.Entries() {
		missing[e.ID] = *e
	}
	all, _ := catalog.New(slices.Collect(maps.Values(missing)), catalog.Options{})
	whole, err = all.View().Narrow(catalog.Rules{Actor: view.Actor(), Tenant: view.Tenant()})
	return whole, gone, err
}

package arazzo

// This file finds the operations of workflows among the entries of all sources, and writes the bodies.

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/openapi"
	"almanac/catalog/source"
	"almanac/catalog/text"
)

// A resolver writes the bodies of the workflows of one document.
type resolver struct {
	flows     *flows
	documents []described
	ids       map[string]string // of actions, by workflowId
	byID      map[string]workflow
}

// An operation is an entry with what it was made of.
type operation struct {
	entry *catalog.Entry
	openapi.Operation
}

// An index has the operations by the names of their sourceDescriptions.
type index map[string][]operation

// overlay gives the entries of the workflows their bodies, and hides those whose operations are not there.
func (r *resolver) overlay(entries []catalog.Entry) catalog.Overlaid {
	out := catalog.Overlaid{Hidden: map[string]string{}}
	ops, own := r.index(entries), map[string]*catalog.Entry{}
	for i := range entries {
		if e := &entries[i]; e.Source == r.flows.source && r.byID[e.ID].name != "" {
			own[e.ID] = e
		}
	}
	calls := map[string][]called{}
	for again := true; again; { // a workflow whose workflow is not there is not there
		again = false
		for _, id := range slices.Sorted(maps.Keys(own)) {
			made, err := r.calls(r.byID[id], ops, own)
			if err != nil {
				out.Hidden[id], again = err.Error(), true
				out.Unusable = append(out.Unusable, catalog.Skip{ID: id, Source: r.flows.source, Reason: err.Error()})
				delete(own, id)
				continue
			}
			calls[id] = made
		}
	}
	for _, e := range own {
		e.Mutates, e.Risk, e.Operation = false, catalog.Low, catalog.Read
	}
	for again := true; again; { // a workflow does what those that it calls do
		again = false
		for id, e := range own {
			for _, c := range calls[id] {
				if c.entry.Mutates && !e.Mutates || rank(catalog.RiskOf(c.entry)) > rank(e.Risk) {
					e.Mutates, again = e.Mutates || c.entry.Mutates, true
					if rank(catalog.RiskOf(c.entry)) > rank(e.Risk) {
						e.Risk = catalog.RiskOf(c.entry)
					}
				}
			}
		}
	}
	for id, e := range own {
		if e.Mutates {
			e.Operation = catalog.Update
		}
		data, flows := r.byID[id].data(calls[id]), map[string]any{}
		for name, id := range r.ids {
			flows[name] = id
		}
		data["flows"] = flows
		e.Lua = "local W = " + lua.Literal(data, lua.Options{}) + "\n" + runtime
	}
	return out
}

func rank(r catalog.Risk) int {
	return slices.Index([]catalog.Risk{catalog.Low, catalog.Medium, catalog.High}, r)
}

// index finds the entries of the documents, which any source may have opened. Of several sources of one document the
// first counts.
func (r *resolver) index(entries []catalog.Entry) index {
	from := map[string]string{} // the source of each document, by its address
	all := index{}
	for _, d := range r.documents {
		address := d.address
		if !strings.Contains(address, "://") {
			if whole, err := filepath.Abs(address); err == nil {
				address = whole
			}
		} else {
			address = source.Address(address)
		}
		for i := range entries {
			e := &entries[i]
			if first, known := from[address]; known && first != e.Source || !known && source.Address(e.Source) != address {
				continue
			}
			if op, ok := openapi.OperationOf(e); ok {
				from[address] = e.Source
				all[d.name] = append(all[d.name], operation{e, op})
			}
		}
	}
	return all
}

// calls are the actions and the arguments of a workflow's steps.
func (r *resolver) calls(w workflow, ops index, own map[string]*catalog.Entry) (all []called, err error) {
	for _, s := range w.steps {
		at := "workflows." + w.name + ".steps." + s.id
		if s.calls.workflow != "" {
			e := own[r.ids[s.calls.workflow]]
			if e == nil {
				return nil, fault(at, "%s cannot be used", s.calls)
			}
			c := called{id: e.ID, entry: e}
			for _, p := range s.parameters {
				c.arguments = append(c.arguments, p.name)
			}
			if s.body != nil {
				return nil, fault(at, "a workflow takes no requestBody")
			}
			all = append(all, c)
			continue
		}
		op, err := ops.find(s.calls)
		if err != nil {
			return nil, fault(at, "%v", err)
		}
		c := called{id: op.entry.ID, entry: op.entry, operation: op.Operation}
		for _, p := range s.parameters {
			argument, ok := op.Argument(p.name, p.in)
			if !ok {
				return nil, fault(p.at, "%s has no parameter %s in %s", op.entry.ID, text.LineBytes(p.name, 60),
					text.LineBytes(p.in, 20))
			}
			c.arguments = append(c.arguments, argument)
		}
		if _, _, _, ok := op.Body(); s.body != nil && !ok {
			return nil, fault(at+".requestBody", "%s takes no body", op.entry.ID)
		}
		all = append(all, c)
	}
	return all, nil
}

// find is the one operation that a reference means.
func (ops index) find(r reference) (operation, error) {
	var found []operation
	for name, all := range ops {
		for _, op := range all {
			if (r.source == "" || r.source == name) && (r.id != "" && op.ID == r.id ||
				r.id == "" && op.Method == r.method && op.Path == r.path) {
				found = append(found, op)
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return operation{}, fmt.Errorf("%d documents have the operation %s: write $sourceDescriptions.NAME.%s", len(found), r,
			text.LineBytes(r.id, 60))
	case len(ops) == 0:
		return operation{}, fmt.Errorf("no operation %s: none of its documents has been read", r)
	}
	return operation{}, fmt.Errorf("no operation %s in its documents", r)
}

package catalog

// This file raises the scores of actions that stand near others which were just used.

import (
	"slices"
	"strings"

	"almanac/catalog/search"
)

// MaxRecent is how many ids WithRecent takes.
const MaxRecent = 8

// WithRecent is the same view whose searches raise the actions of providers and namespaces that were just used: those
// of the last MaxRecent of ids, latest last. The provider of an id is its first segment, the namespace all before its
// last. A namespace that several ids share counts once. Only what matches is raised, by a fixed score, so that nothing
// is found by this alone; unknown and hidden ids are ignored, and what is hidden is not revealed. Nil switches it off,
// as in a new view.
func (v *View) WithRecent(ids []string) *View {
	var recent []search.Recent
	paths := v.cat.index.Keys(namespaceKind)
	add := func(path string, within bool) bool {
		for _, r := range recent {
			if r.Name == path || within && r.Within && strings.HasPrefix(path, r.Name+".") {
				return true // an action is raised once for its provider, and once for its namespace
			}
		}
		docs := paths.Get(path)
		if len(docs) > 0 {
			recent = slices.DeleteFunc(recent, func(r search.Recent) bool {
				return within && r.Within && strings.HasPrefix(r.Name, path+".")
			})
			recent = append(recent, search.Recent{Name: path, Docs: docs, Within: within})
		}
		return len(docs) > 0
	}
	for _, id := range ids[max(0, len(ids)-MaxRecent):] {
		if v.doc(id) < 0 {
			continue
		}
		segments := strings.Split(strings.ToLower(id), ".")
		add(segments[0], false)
		for n := len(segments) - 1; n > 1 && !add(strings.Join(segments[:n], "."), true); n-- {
		}
	}
	if len(recent) == 0 && len(v.recent) == 0 {
		return v
	}
	return &View{cat: v.cat, visible: v.visible, count: v.count, actor: v.actor, tenant: v.tenant, parent: v.parent,
		rules: v.rules, loading: v.loading, recent: recent, given: v.given}
}

// request is a search request for what the view sees.
func (v *View) request(text string) search.Request {
	return search.Request{Text: text, Visible: v.visible, Recent: v.recent}
}

package ui

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"almanac/catalog/text"
	"almanac/repl/show"
)

// This file searches the value tree where it is not open yet: beside the loop, bounded, and without running anything.
// What is found is opened on the way to it.

// A seeking is the last search of a value tree.
type seeking struct {
	found show.Finding
	text  string // what was searched for; empty before a search
	at    int    // the hit that is shown
	// going is true while what leads to the hit is being fetched.
	going bool
}

// look searches the whole value for the text that was typed.
func (p *valuePane) look() tea.Cmd {
	ctx, shell, path, wanted := p.m.ctx, p.m.shell, p.root.path, p.search
	p.m.notice = "searching for " + text.SanitizeLine(wanted) + p.m.theme.glyphs.more
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, lookTime)
		defer cancel()
		found, err := shell.Find(ctx, path, wanted)
		return paneMsg(func() tea.Cmd {
			if wanted != p.search {
				return nil
			}
			return p.found(found, err)
		})
	}
}

// found goes to the hit that is chosen already, or else to the first.
func (p *valuePane) found(f show.Finding, err error) tea.Cmd {
	p.m.notice = ""
	if err != nil {
		p.m.notice = text.SanitizeLine(err.Error())
		return nil
	}
	p.seek = seeking{found: f, text: p.search}
	if len(f.Hits) == 0 {
		p.m.notice = fmt.Sprintf("no matches for %s: searched %s%s", text.SanitizeLine(p.search), entries(f.Looked), p.rest())
		return nil
	}
	if all := p.visible(); p.list.at < len(all) && !all[p.list.at].rest {
		at := slices.IndexFunc(f.Hits, func(h show.Spot) bool { return slices.Equal(h.Path, all[p.list.at].path) })
		p.seek.at = max(at, 0)
	}
	p.seek.going = true
	return p.reveal()
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return grouped(n) + " entries"
}

// rest says what a search did not look at.
func (p *valuePane) rest() string {
	if rest := p.seek.found.Rest(); rest != "" {
		return "; " + rest
	}
	return ""
}

// next goes to the next hit, and from the last to the first.
func (p *valuePane) next() tea.Cmd {
	s := &p.seek
	switch {
	case p.search == "":
		return nil
	case s.text != p.search:
		return p.look()
	case len(s.found.Hits) == 0:
		return p.found(s.found, nil)
	}
	s.at, s.going = (s.at+1)%len(s.found.Hits), true
	return p.reveal()
}

// reveal opens what leads to the hit, and chooses it. What is not there yet is fetched, and then it goes on.
func (p *valuePane) reveal() tea.Cmd {
	s := &p.seek
	if !s.going || s.at >= len(s.found.Hits) {
		return nil
	}
	hit, b := s.found.Hits[s.at], p.root
	before := len(hit.Path) - len(hit.At)
	for i, at := range hit.At {
		if at >= len(b.below) {
			if b.loaded && len(b.below) >= b.node.Size {
				return p.gone()
			}
			return p.fetch(b)
		}
		c := b.below[at]
		if c.node.Step != hit.Path[before+i] {
			return p.gone()
		}
		if i < len(hit.At)-1 {
			c.open = true
		}
		b = c
	}
	s.going = false
	if at := slices.Index(p.visible(), b); at >= 0 {
		p.list.at = at
	} else {
		p.filter = "" // it left the row out
		p.list.at = max(slices.Index(p.visible(), b), 0)
	}
	p.m.notice = fmt.Sprintf("%d of %d%s", s.at+1, len(s.found.Hits), p.rest())
	return nil
}

// gone tells that what was found is not where it was.
func (p *valuePane) gone() tea.Cmd {
	p.seek = seeking{}
	p.m.notice = "the value has changed: r to reload"
	return nil
}

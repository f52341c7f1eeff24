package source

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
)

// Line is the status in one line: "openapi:petstore.yaml: 19 actions, 1 renamed, 2 skipped (0.1 s)". What its source
// says in it cannot break the line.
func (s Status) Line() string { return text.SanitizeLine(s.line()) }

func (s Status) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", s.Name)
	switch {
	case s.State == Loading:
		b.WriteString("loading")
		if s.Percent > 0 {
			fmt.Fprintf(&b, ", %d %%", s.Percent)
		}
		if s.Found > 0 {
			fmt.Fprintf(&b, ", %s so far", text.Count(s.Found, "action"))
		}
	case s.State == Failed && s.Health != nil && strings.HasPrefix(s.Health.Error(), s.Err.Error()):
		// The same, as it is by now.
		fmt.Fprintf(&b, "failed: %v", s.Health)
		if s.Loaded > 0 {
			fmt.Fprintf(&b, "; keeping the previous %s", text.Count(s.Loaded, "action"))
		}
		return b.String()
	case s.State == Failed && s.Loaded > 0:
		fmt.Fprintf(&b, "failed: %v; keeping the previous %s", s.Err, text.Count(s.Loaded, "action"))
	case s.State == Failed:
		fmt.Fprintf(&b, "failed: %v", s.Err)
	case s.Empty:
		fmt.Fprintf(&b, "%s (%s)", s.Remarks(), text.Took(s.Took))
	default:
		b.WriteString(text.Count(s.Loaded, "action"))
		if remarks := s.Remarks(); remarks != "" {
			b.WriteString(", " + remarks)
		}
		fmt.Fprintf(&b, " (%s)", text.Took(s.Took))
	}
	var warning *Warning
	if partly := s.partly(); partly != nil {
		fmt.Fprintf(&b, "; %v", partly)
	} else if errors.As(s.Health, &warning) {
		fmt.Fprintf(&b, "; warning: %v", warning)
	} else if s.Health != nil {
		fmt.Fprintf(&b, "; unavailable: %v", s.Health)
	}
	return b.String()
}

// withoutEffect is said of a rule that matches nothing, or what it may not change.
const withoutEffect = "without effect"

// Remarks counts what a person may want to look at: "1 renamed, 2 skipped"; empty where there is nothing.
func (s Status) Remarks() string {
	if s.Empty {
		return "it declares no actions; add some, or remove the source"
	}
	var parts []string
	rule, without := "overlay", "unmatched"
	if s.Rule != "" {
		rule, without = s.Rule, withoutEffect
	}
	for _, part := range []struct {
		n          int
		noun, what string
	}{{len(s.Renamed), "", "renamed"}, {len(s.Mended), "", "mended"}, {len(s.Skipped), "", "skipped"},
		{len(s.Unusable), "", "unusable"},
		{len(s.Overlay), rule, without}, {len(s.Uncompensated), "compensation", "wrong"},
		{len(s.Stale), "", "to test again"}, {s.Change.Waiting(), "", "awaiting acceptance"}} {
		count := strconv.Itoa(part.n)
		if part.noun != "" {
			count = text.Count(part.n, part.noun)
		}
		if part.n > 0 {
			parts = append(parts, count+" "+part.what)
		}
	}
	return strings.Join(parts, ", ")
}

// WriteReport writes what became of all that the source holds: its line, then what was skipped, renamed, mended and
// changed, at most some of each; zero means all.
func (s Status) WriteReport(w io.Writer, some int) error {
	var b strings.Builder
	b.WriteString(s.Line() + "\n")
	if s.State == Ready {
		fmt.Fprintf(&b, "  found %d = loaded %d + skipped %d\n", s.Found, s.Loaded, len(s.Skipped))
	}
	overlay := "overlay"
	if s.Rule != "" {
		overlay = withoutEffect
	}
	for _, part := range []struct {
		what  string
		skips []catalog.Skip
	}{{"skipped", s.Skipped}, {"renamed", s.Renamed}, {"mended", s.Mended}, {"unusable", s.Unusable},
		{overlay, s.Overlay},
		{"compensation", s.Uncompensated}, {"to test again", s.Stale}, {"note", s.Notes}} {
		for i, k := range part.skips {
			if some > 0 && i == some {
				fmt.Fprintf(&b, "  and %d more %s\n", len(part.skips)-i, part.what)
				break
			}
			fmt.Fprintf(&b, "  %s: %s\n", part.what, text.SanitizeLine(place(k)))
		}
	}
	if s.Damaged {
		b.WriteString("  note: its cached copy was damaged; it was read anew, and a new copy is kept\n")
	}
	if partly := s.partly(); partly != nil {
		list(&b, "unavailable", partly.Blocked, some, nil)
		fmt.Fprintf(&b, "  the other %d are available\n", partly.All-len(partly.Blocked))
	}
	s.Change.write(&b, some)
	if n := s.Change.Waiting(); n > 0 {
		fmt.Fprintf(&b, "  %s hidden until accepted: /sources accept %s, or almanac doctor --accept %s\n",
			text.Count(n, "action"), text.SanitizeLine(s.short()), text.SanitizeLine(s.short()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteChange writes each id that is new, changed or gone on a line of its own with what there is to tell, at most some
// of each; zero means all.
func (c Change) WriteChange(w io.Writer, some int) error {
	var b strings.Builder
	c.write(&b, some)
	_, err := io.WriteString(w, b.String())
	return err
}

func (c Change) write(b *strings.Builder, some int) {
	for _, part := range []struct {
		what string
		ids  []string
	}{{"new", c.Added}, {"changed", c.Changed}, {"gone", c.Removed}} {
		list(b, part.what, part.ids, some, c.What)
	}
}

// list writes ids, each on a line of its own, with what there is to tell of them.
func list(b *strings.Builder, what string, ids []string, some int, about map[string]string) {
	for i, id := range ids {
		if some > 0 && i == some {
			fmt.Fprintf(b, "  and %d more %s\n", len(ids)-i, what)
			break
		}
		said := id
		if about[id] != "" {
			said += ": " + about[id]
		}
		fmt.Fprintf(b, "  %s: %s\n", what, text.SanitizeLine(said))
	}
}

// Unavailable tells that none of its actions can be called now.
func (s Status) Unavailable() bool { return s.Health != nil && s.partly() == nil }

// partly is the health of a source of which a part can be called; nil where it is another or none.
func (s Status) partly() *PartlyError {
	var partly *PartlyError
	errors.As(s.Health, &partly)
	return partly
}

// short is how a person may call the source: the name in front of NAME=SOURCE, or all of it.
func (s Status) short() string {
	if as, _ := Split(s.Name); as != "" {
		return as
	}
	return s.Name
}

// place names the thing a skip is about: where it is in its source, its id, and why.
func place(k catalog.Skip) string {
	parts := make([]string, 0, 3)
	if k.Source != "" {
		parts = append(parts, k.Source)
	}
	if k.ID != "" {
		parts = append(parts, k.ID)
	}
	return strings.Join(append(parts, k.Reason), ": ")
}

// Status tells of every source, in the order they were named; not of an optional one that holds nothing.
func (l *Loader) Status() []Status {
	l.mu.Lock()
	all := make([]Status, 0, len(l.sources))
	var health []func() error
	for _, s := range l.sources {
		status := s.status
		if s.silent() {
			continue
		}
		health = append(health, s.Health)
		status.Stale = l.stale(s)
		status.Skipped = slices.Clone(status.Skipped)
		if l.Loading() {
			status.Overlay, status.Unusable, status.Uncompensated = nil, nil, nil // what they name may come yet
		}
		all = append(all, status)
	}
	l.mu.Unlock()
	for i, why := range health {
		if why != nil {
			all[i].Health = why()
		}
	}
	return all
}

// silent tells of a source that nobody is told of: it need not hold anything, and does not. The caller holds mu.
func (s *loading) silent() bool { return s.Optional && s.status.Found == 0 && s.status.Err == nil }

// stale lists the actions of a source that use others which have changed since, as far as the view has them.
func (l *Loader) stale(s *loading) (all []catalog.Skip) {
	if s.content == nil {
		return nil
	}
	for i := range s.content.uses {
		e := &s.content.uses[i]
		for _, line := range l.view.Stale(e) {
			all = append(all, catalog.Skip{ID: e.ID, Reason: "uses " + line})
		}
	}
	return all
}

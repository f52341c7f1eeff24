// This file is the way out of a session. Everything that a Lua machine or an action returns, prints, raises, asks or
// records is redacted here once, before a person, a model or a file gets it. Arguments from a script to an action are
// not: a script may pass on what it cannot show.

package session

import (
	"reflect"
	"slices"
	"strings"

	"almanac/catalog/secret"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// leaves is v without secrets. What is in v may be shared and is not changed.
func leaves[T any](w *world, v T) T { return secret.Clean(w.redactor.filter.Now(), v) }

// Clean is v without the session's secrets of now, for whoever shows what comes from elsewhere: the log of an earlier
// session, the texts of a catalog.
func Clean[T any](s *Session, v T) T { return leaves(s.world, v) }

// recorded is a record that may be kept. Its whole result was made for a script and has no secrets.
func recorded(w *world, r trace.Record) trace.Record {
	whole, values := r.Whole, r.Values
	r.Whole, r.Values = nil, nil
	r = leaves(w, r)
	r.Whole, r.Values = whole, values
	return r
}

// withheld are the names of arguments that are not as they are shown, sorted.
func withheld(args, shown map[string]any) []string {
	var names []string
	for name, v := range args {
		if was, ok := shown[name]; !ok || !reflect.DeepEqual(v, was) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// unshown puts the true values back into arguments that a person has edited: those that are still as they were shown.
func unshown(edited, shown, args map[string]any) map[string]any {
	if edited == nil {
		return nil
	}
	whole, _ := restored(edited, shown, args).(map[string]any)
	return whole
}

// unshownBounds puts the true values back into bounds that are of arguments as they were shown.
func unshownBounds(bounds []policy.Bound, shown, args map[string]any) []policy.Bound {
	bounds = slices.Clone(bounds)
	for i, b := range bounds {
		bounds[i].Value = restored(b.Value, shown[b.Arg], args[b.Arg])
	}
	return bounds
}

func restored(edited, shown, arg any) any {
	if reflect.DeepEqual(edited, shown) {
		return arg
	}
	switch edited := edited.(type) {
	case map[string]any:
		was, _ := shown.(map[string]any)
		had, _ := arg.(map[string]any)
		whole := make(map[string]any, len(edited))
		for name, v := range edited {
			if old, there := had[name]; there {
				v = restored(v, was[name], old)
			}
			whole[name] = v
		}
		return whole
	case []any:
		was, _ := shown.([]any)
		had, _ := arg.([]any)
		if len(was) != len(edited) || len(had) != len(edited) {
			return edited
		}
		whole := make([]any, len(edited))
		for i, v := range edited {
			whole[i] = restored(v, was[i], had[i])
		}
		return whole
	}
	return edited
}

// A printing is what a run has printed to one stream.
type printing struct {
	stream *secret.Stream
	shown  strings.Builder
}

// write takes printed text as it comes.
func (r *run) write(stream vm.Stream, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.output[stream]
	if p == nil {
		p = &printing{stream: r.session.world.redactor.filter.Stream()}
		r.output[stream] = p
	}
	r.show(stream, p, p.stream.Write(text))
}

// endOutput shows what was held back because it might have been the beginning of a secret.
func (r *run) endOutput() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, stream := range []vm.Stream{vm.Stdout, vm.Stderr, vm.Logs} {
		if p := r.output[stream]; p != nil {
			r.show(stream, p, p.stream.End())
		}
	}
}

// show logs printed text, keeps it for the outcome, and passes it on. What is not in the log is not shown. r.mu is
// held.
func (r *run) show(stream vm.Stream, p *printing, text string) {
	if text == "" {
		return
	}
	p.shown.WriteString(text)
	if r.before != "" {
		return // it comes again
	}
	w := r.session.world
	if r.unlogged == nil {
		r.unlogged = w.record(r.of(trace.Record{
			Kind: trace.KindOutput, Author: string(r.script.Author), Stream: string(stream), Text: text,
		}))
	}
	if w.options.Write != nil && r.unlogged == nil {
		w.options.Write(stream, text)
	}
}

// printed is all text of the stream.
func (r *run) printed(stream vm.Stream) string {
	p := r.output[stream]
	if p == nil {
		return ""
	}
	return p.shown.String()
}

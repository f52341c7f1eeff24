package catalog

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"

	"almanac/catalog/spec"
)

// This file writes and reads how an entry's calls are conducted: attempts, idempotency key, hooks, and whether its
// recipe counts. Most entries have none of these.

// conduct writes what changes what a call does, for a fingerprint; nothing where there is nothing.
func (e *Entry) conduct(w io.Writer) {
	if e.Key != nil {
		fmt.Fprintf(w, "key %s\x00%s\x00", e.Key.Argument, e.Key.Header)
	}
	if e.Hooks == nil {
		return
	}
	for i, list := range e.Hooks.all() {
		for _, hook := range *list {
			fmt.Fprintf(w, "hook %d\x00%s\x00", i, cmp.Or(hook.Lua, hook.Name)) // the name of one in Lua has its line
		}
	}
}

// conducted says in lines what is declared of attempts, the idempotency key, hooks and effects; nil where nothing is.
func (e *Entry) conducted() (lines []string) {
	if r := e.Retry; r != nil {
		tries := cmp.Or(r.Tries, defaultTries)
		line := fmt.Sprintf("attempts: at most %d, first pause %v, longest %v", tries, cmp.Or(r.Wait, defaultWait),
			cmp.Or(r.Most, defaultMostPause))
		if tries == 1 {
			line = "attempts: 1"
		}
		lines = append(lines, line)
	}
	if k := e.Key; k != nil && k.Argument != "" {
		lines = append(lines, "idempotency key: in the argument "+k.Argument)
	} else if k != nil {
		lines = append(lines, "idempotency key: in the header "+k.Header)
	}
	if e.Hooks != nil {
		var names []string
		for _, list := range e.Hooks.all() {
			for _, hook := range *list {
				names = append(names, hook.Name)
			}
		}
		lines = append(lines, "hooks: "+strings.Join(names, ", "))
	}
	if len(e.Effects) > 0 {
		var titles []string
		for _, effect := range e.Effects {
			titles = append(titles, effect.Title())
		}
		lines = append(lines, spec.EffectsLabel+strings.Join(titles, ", "))
	}
	return lines
}

// What appendConduct writes, as bits of its first number.
const (
	hasRetry = 1 << iota
	hasKey
	sendsKey
	hasHooks
	sendsEffects
	sealed
)

func appendConduct(b []byte, e *Entry) []byte {
	has := 0
	for i, set := range []bool{e.Retry != nil, e.Key != nil, e.SendsKey, e.Hooks != nil, e.SendsEffects, e.Sealed} {
		if set {
			has |= 1 << i
		}
	}
	b = binary.AppendUvarint(b, uint64(has))
	if e.Retry != nil {
		b = binary.AppendUvarint(b, uint64(e.Retry.Tries))
		b = binary.AppendVarint(binary.AppendVarint(b, int64(e.Retry.Wait)), int64(e.Retry.Most))
	}
	if e.Key != nil {
		b = appendText(appendText(b, e.Key.Argument), e.Key.Header)
	}
	if e.Hooks != nil {
		for _, list := range e.Hooks.all() {
			b = binary.AppendUvarint(b, uint64(len(*list)))
			for _, hook := range *list {
				b = appendText(appendText(b, hook.Name), hook.Lua)
			}
		}
	}
	return b
}

// conduct reads what appendConduct wrote. Hooks come without their functions.
func (r *entryReader) conduct(e *Entry) {
	has := r.number()
	if has&hasRetry != 0 {
		e.Retry = &Retry{Tries: r.number(), Wait: time.Duration(r.signed()), Most: time.Duration(r.signed())}
	}
	if has&hasKey != 0 {
		e.Key = &Key{Argument: r.text(), Header: r.text()}
	}
	e.SendsKey, e.SendsEffects, e.Sealed = has&sendsKey != 0, has&sendsEffects != 0, has&sealed != 0
	if has&hasHooks != 0 {
		e.Hooks = &Hooks{}
		for _, list := range e.Hooks.all() {
			*list = make([]Hook, r.count())
			for i := range *list {
				(*list)[i] = Hook{Name: r.text(), Lua: r.text()}
			}
		}
	}
}

package session

// This file gives a value that was passed without a name the one that it stands for: fs.list_dir("docs").

import (
	"almanac/catalog"
	"almanac/session/kernel"
	"almanac/session/vm"
)

// lone is the only argument of a call that has no name; ok is false where they have names.
func lone(args map[string]any) (value any, ok bool) {
	value, ok = args[vm.Alone]
	return value, ok && len(args) == 1
}

// named gives the lone argument its name, before anything looks at it. Where it has none checkAlone refuses it.
func named(view *catalog.View, req *kernel.CallRequest) {
	value, ok := lone(req.Args)
	if !ok {
		return
	}
	if entry, err := view.Resolve(req.ID); err == nil {
		if args, err := entry.Named(value); err == nil {
			req.Args = args
		}
	}
}

// checkAlone says why a value cannot be passed without a name.
func checkAlone(entry *catalog.Entry, args map[string]any) error {
	value, ok := lone(args)
	if !ok {
		return nil
	}
	_, err := entry.Named(value)
	return err
}

// alone are the arguments that a lone value may have been in the recorded calls of an action whose schema does not name
// it: it is gone.
func (p *player) alone(id string, args map[string]any) []map[string]any {
	value, ok := lone(args)
	if !ok {
		return nil
	}
	var all []map[string]any
	for i := range p.Calls {
		for name := range p.Calls[i].Args {
			if p.Calls[i].ID == id {
				all = append(all, map[string]any{name: value})
			}
		}
	}
	return all
}

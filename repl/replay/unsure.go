package replay

import (
	"fmt"
	"slices"

	"almanac/repl/transcript"
	"almanac/session/syntax"
	"almanac/session/trace"
)

// unsure are the globals that a replay may not have as they were, since what had set them differs or could not be run
// again. What a script comes to that uses one says nothing of the script itself.
type unsure struct {
	// of is the script that had set a global, as "[3]"; reads are the globals that what set it reads.
	of    map[string]string
	reads map[string][]string
}

// note takes in a run; bad tells that it came to something else or was not run.
func (u *unsure) note(r transcript.Run, bad bool) {
	if r.Ended == nil || r.Mode != trace.ModeRun {
		return
	}
	if u.of == nil {
		*u = unsure{map[string]string{}, map[string][]string{}}
	}
	names := reads(r.Source)
	for _, name := range r.Ended.Changed {
		u.reads[name] = names
		if delete(u.of, name); bad {
			u.of[name] = fmt.Sprintf("[%d]", r.Cell)
		}
	}
}

// used says which of them a script uses, itself or by what it uses; empty for none.
func (u *unsure) used(source string) string {
	names := append(reads(source), syntax.Names(source).Writes...)
	for i := 0; i < len(names); i++ {
		if from, bad := u.of[names[i]]; bad {
			return fmt.Sprintf("it uses %s of %s, which is not what it was", names[i], from)
		}
		for _, name := range u.reads[names[i]] {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return ""
}

func reads(source string) []string {
	if syntax.IsExpression(source) {
		source = "return " + source
	}
	return syntax.Names(source).Reads
}

package source

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/text"
)

// Whatever a source says of itself stays on its own line, and moves no cursor: every text of a status is hostile.
func TestReportsAreHarmless(t *testing.T) {
	const hostile = "a.\x1b[31mred\nok      version: forged\r\u202e\u009b"
	skips := []catalog.Skip{{ID: hostile, Source: hostile, Reason: hostile}}
	failed := errors.New(hostile)
	errs := []error{failed, NewWarning(failed), &PartlyError{All: 2, Blocked: []string{hostile}, Err: failed}, nil}
	all := []Status{{Name: hostile, State: Loading}}
	for _, err := range errs {
		for _, state := range []State{Ready, Failed} {
			s := Status{Name: hostile, State: state, Found: 2, Loaded: 1, Health: err}
			if state == Failed {
				s.Err = failed
			}
			v := reflect.ValueOf(&s).Elem()
			for i := range v.NumField() {
				if v.Field(i).Type() == reflect.TypeOf(skips) {
					v.Field(i).Set(reflect.ValueOf(skips))
				}
			}
			s.Change = Change{Added: []string{hostile}, Changed: []string{hostile}, Removed: []string{hostile},
				What: map[string]string{hostile: hostile}}
			all = append(all, s)
		}
	}
	for _, s := range all {
		var b strings.Builder
		if err := errors.Join(s.WriteReport(&b, 0), s.Change.WriteChange(&b, 0)); err != nil {
			t.Fatal(err)
		}
		b.WriteString(s.Line() + "\n")
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if strings.ContainsFunc(line, text.Unsafe) || strings.HasPrefix(line, "ok ") {
				t.Errorf("%v: %q", s.State, line)
			}
		}
	}
}

package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		about string
		want  []string
	}{
		{"Refund an invoice. Refuses more than was paid. Cannot be undone.", []string{"Cannot be undone."}},
		{"Delete a repository. Deleting one is irreversible! Needs admin rights.", []string{"Deleting one is irreversible!"}},
		{"Terminates the instances.\n\n**Warning**: all data on the local disks is gone\n\nSee also: stop.",
			[]string{"**Warning**: all data on the local disks is gone"}},
		{"Removes a user, who can't be restored afterwards, and mails the owner.",
			[]string{"Removes a user, who can't be restored afterwards, and mails the owner."}},
		{"Pay out. The money cannot be called back. You cannot\nrevert it.",
			[]string{"The money cannot be called back.", "You cannot revert it."}},
		{"Purges the cache.", []string{"Purges the cache."}},
		{"Rename a ticket. The old name is kept.", nil},
		{"", nil},
		{"Send an invoice. A draft cannot be sent twice.", nil},
	} {
		e := &Entry{ID: "a.b", Description: c.about, Mutates: true}
		if diff := cmp.Diff(c.want, Warnings(e)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.about, diff)
		}
	}
	if got := Warnings(&Entry{Description: "Read what cannot be undone."}); got != nil {
		t.Errorf("a read of low risk warns: %q", got)
	}
	if got := Warnings(&Entry{Mutates: true, Description: strings.Repeat("Cannot be undone. ", 5000)}); len(got) != 1 {
		t.Errorf("one warning is there %d times", len(got))
	}
}

// A person reads all warnings whole; a specification, which has a size, says how many it leaves out.
func TestManyWarnings(t *testing.T) {
	e := &Entry{Mutates: true}
	for i := range 100 {
		e.Description += fmt.Sprintf("Table %d is lost%s. ", i, strings.Repeat(" for ever", i))
	}
	all := Warnings(e)
	if len(all) != 100 || all[99] != "Table 99 is lost"+strings.Repeat(" for ever", 99)+"." {
		t.Errorf("a person gets %d warnings: %q", len(all), all)
	}
	brief := briefWarnings(e)
	if len(brief) != maxWarnings+1 || brief[maxWarnings] != "And 92 more warnings: see the full description." {
		t.Errorf("a specification has %d, last %q", len(brief), brief[len(brief)-1])
	}
}

// No short form of a spec loses a warning.
func TestSpecsKeepWarnings(t *testing.T) {
	c, report := New([]Entry{{
		ID: "shop.refund", Mutates: true, Risk: High,
		Description: "Refund an order: " + strings.Repeat("it is a long story ", 60) +
			". Refuses more than was paid. Cannot be undone.",
	}}, Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	for _, detail := range []Detail{Brief, Full, LuaLS, JSON} {
		spec, err := c.View().Describe("shop.refund", detail)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(spec.Text, "Cannot be undone."); n != 1 {
			t.Errorf("%s: the warning is there %d times:\n%s", detail, n, spec.Text)
		}
	}
}

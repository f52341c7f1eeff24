package repl

import (
	"strings"
	"testing"

	"almanac/catalog/text/cells"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/policy"
)

// Help has to fit a terminal of 80 by 24 with the prompt below it.
func TestHelpFits(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	lines := strings.Split(sh.helpText(""), "\n")
	if len(lines) > 22 {
		t.Errorf("%d lines, want at most 22", len(lines))
	}
	for _, l := range lines {
		if cells.Width(l) > 80 {
			t.Errorf("%d columns: %s", cells.Width(l), l)
		}
	}
}

// Every command has a row in the help, and its usage is what it answers to nonsense.
func TestCommandTable(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	seen := map[string]bool{}
	for _, c := range sh.commands {
		for _, name := range append([]string{c.name}, c.aliases...) {
			if seen[name] {
				t.Errorf("/%s is there twice", name)
			}
			seen[name] = true
		}
		if c.brief == "" || c.group == "" || c.run == nil {
			t.Errorf("/%s: a field is missing", c.name)
		}
		if len(sh.Help(c.usage())) == 0 {
			t.Errorf("/%s: help does not find it", c.name)
		}
	}
	for _, name := range strings.Fields("help lua preview catalog describe execute query vars trace expand view model policy why limits status new clear quit exit reset ?") {
		in := input.Parse("/"+name+" reset", input.LuaMode)
		if _, _, ok := sh.command(in); !ok {
			t.Errorf("/%s is missing", name)
		}
	}
}

func TestStatusLine(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	typed(t.Context(), sh, `x = crm.customer.get{id = "1"}`, nil)
	st := sh.StatusLine()
	if st.Policy != policy.ReadOnly || st.MutationLimit != 0 || st.Calls != 1 || st.CallLimit != 1000 || st.Globals != 1 ||
		st.Actions != 3 || st.Cell != 1 || st.Busy || st.Model != "" || st.Mode != input.LuaMode {
		t.Errorf("got %+v", st)
	}
	if err := sh.Session().SetUserBudget(session.Budget{Calls: 7}); err != nil {
		t.Fatal(err)
	}
	if st := sh.StatusLine(); st.CallLimit != 1000 { // of the last run
		t.Errorf("the last run may make %d calls", st.CallLimit)
	}
	typed(t.Context(), sh, "1", nil)
	if st := sh.StatusLine(); st.CallLimit != 7 {
		t.Errorf("the next run may make %d calls", st.CallLimit)
	}
	if _, err := sh.Session().Run(t.Context(), session.Script{Source: "return 1"}); err != nil {
		t.Fatal(err)
	}
	if st := sh.StatusLine(); st.CallLimit != 50 {
		t.Errorf("a run of the model's may make %d calls", st.CallLimit)
	}
	if sh.ToggleMode() != input.AskMode || sh.StatusLine().Mode != input.AskMode {
		t.Error("the mode did not change")
	}
	if err := sh.Session().SetPolicy(policy.Policy{Mode: policy.Session}); err != nil {
		t.Fatal(err)
	}
	if st := sh.StatusLine(); st.MutationLimit != 20 {
		t.Errorf("policy session: %d mutations", st.MutationLimit)
	}
}

// A panic in the middle of an input ends the input, not the program.
func TestHandleRecovers(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	sh.commands = append(sh.commands, command{name: "boom", run: nil})
	if got := typed(t.Context(), sh, "/boom", nil); !strings.HasPrefix(got, "error: the program panicked: ") {
		t.Errorf("got %q", got)
	}
	if sh.isBusy() {
		t.Error("still busy")
	}
}

func TestHandleKeepsHistory(t *testing.T) {
	h := input.OpenHistory("", "")
	sh, _ := newShell(t, Options{History: h}, policy.Policy{})
	for _, line := range []string{"/mode", " /mode", "error(", "x = \n", ""} {
		sh.Handle(t.Context(), line)
	}
	entries, _ := h.Load(10)
	if got := strings.Join(texts(entries), "|"); got != "/mode|error(|x =" {
		t.Errorf("got %q", got)
	}
}

// While the catalog is loading an id can be granted, but no pattern: what it would cover is not all there. A grant of
// what is not there yet waits.
func TestAllowWhileLoading(t *testing.T) {
	const how = "the catalog is still loading: 3 actions so far"
	sh, _ := newShell(t, Options{}, policy.Policy{})
	whole := sh.options.Session.View()
	if err := sh.options.Session.Replace(t.Context(), whole.WithLoading(how)); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"/policy allow crm.*":                           "error: policy allow crm.*: a pattern has to wait: " + how,
		"/policy allow crm.customer.create":             "crm.customer.create",
		"/describe crm.nothing":                         how,
		"catalog.search('words that nothing here has')": how,
	} {
		if got := typed(t.Context(), sh, line, nil); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", line, got)
		}
	}
	later, err := policy.ParseGrant("later.source.write")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sh.options.Session.Grant(later); err != nil {
		t.Fatal(err)
	}
	if got := typed(t.Context(), sh, "/policy", nil); !strings.Contains(got, "not loaded yet") {
		t.Errorf("got %s", got)
	}
	if err := sh.options.Session.Replace(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	if got := typed(t.Context(), sh, "/policy", nil) + typed(t.Context(), sh, "/policy allow crm.*",
		nil); strings.Contains(got, "load") {
		t.Errorf("when all is there: %s", got)
	}
}

// A name that is nil while the sources are being read is told so; other failures are not.
func TestHintLoading(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	for source, want := range map[string]string{
		"return erp.lead.get":                 "the catalog was still loading: run it again",
		"nosuch()":                            "the catalog was still loading: run it again",
		"local x; x.y = 1":                    "",
		"error(\"nil value (global 'crm')\")": "",
	} {
		o, err := sh.options.Session.Run(t.Context(), session.Script{Source: source, Author: session.User})
		if err != nil {
			t.Fatal(err)
		}
		if hintLoading(o); o.Err.Hint != want {
			t.Errorf("%s: %v: %q", source, o.Err, o.Err.Hint)
		}
	}
}

func texts(entries []input.Typed) []string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Text)
	}
	return all
}

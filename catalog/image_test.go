package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// reopened is c written and opened again.
func reopened(t *testing.T, c *Catalog, o OpenOptions) *Catalog {
	t.Helper()
	var image bytes.Buffer
	if err := c.WriteImage(&image, []byte("a remark")); err != nil {
		t.Fatal(err)
	}
	opened, remark, err := Open(image.Bytes(), o)
	if err != nil || string(remark) != "a remark" {
		t.Fatalf("remark %q, error %v", remark, err)
	}
	return opened
}

// TestImageAnswersTheSame asks a built catalog and the same from its image everything that there is to ask.
func TestImageAnswersTheSame(t *testing.T) {
	for name, entries := range map[string][]Entry{"office": office(), "mixed": mixed(3000),
		"samples": samples(), "none": nil} {
		built, _ := New(entries, Options{})
		opened := reopened(t, built, OpenOptions{})
		for i, query := range []string{
			"list unpaid invoices for a customer", "find customer account by company name", "refund refund note 12",
			"biling invoce", "delete user", "export", "create contract for legal number 12", "", "各国の検索",
			"show me \"acme corp\"",
		} {
			for _, o := range []SearchOptions{
				{}, {Limit: 3}, {Domains: []string{"billing", "nowhere"}}, {Tags: []string{"invoice"}},
				{Entities: []string{"customers"}}, {NeedsInput: []string{"customer_id"}}, {NeedsOutput: []string{"invoice[]"}},
				{Mutates: ptr(true)}, {Operation: Read}, {Risk: High},
			} {
				answers := func(c *Catalog) string {
					v := c.View()
					s := mustSearch(t, v, query, o)
					text := fmt.Sprintf("%d %v %v %+v\n%s", s.Total(), s.Hits(), s.Notes(), s.Facets(), v.FormatSet(s, 5))
					for _, hit := range s.Top(2).Hits() {
						why, err := v.Explain(hit.ID, query)
						text += fmt.Sprintf("%s %v\n%s\n", why, err, v.Line(hit.ID))
					}
					return text
				}
				if diff := cmp.Diff(answers(built), answers(opened)); diff != "" {
					t.Fatalf("%s, query %d, %+v:\n%s", name, i, o, diff)
				}
			}
		}
		a, b := built.View(), opened.View()
		if diff := cmp.Diff([]any{a.Card(400), a.Children(""), a.Children("billing"), a.Why("bilin.x")},
			[]any{b.Card(400), b.Children(""), b.Children("billing"), b.Why("bilin.x")}); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		for _, e := range built.Entries() {
			specs := func(v *View) string {
				spec, err := v.Describe(e.ID, Full)
				return fmt.Sprint(spec.Text, err)
			}
			if diff := cmp.Diff(specs(a), specs(b)); diff != "" {
				t.Fatalf("%s: %s:\n%s", name, e.ID, diff)
			}
		}
	}
}

// TestImageKeepsEntries fills every field of an entry, so that one which is added and not written is noticed.
func TestImageKeepsEntries(t *testing.T) {
	look := func(context.Context, *HookCall) error { return nil }
	full := Entry{
		ID: "a.b", Title: "T", Description: "D", Namespace: []string{"n", "m"}, Operation: "op", Entities: []string{"e"},
		Tags: []string{"t", ""}, Aliases: []string{"al"}, Input: MustSchema(`{"type":"object"}`), Output: MustSchema(`{}`),
		Mutates: true, Risk: High, Examples: []string{"x()"}, Timeout: -time.Second, Source: "s",
		Target:   "GET https://a.example/b",
		Category: "c",
		Guide:    "say please", Products: []string{"Google Drive"},
		Prompts:    []Prompt{{Name: "p", Arguments: []PromptArgument{{Name: "a", Required: true}}}},
		Resource:   &Resource{URI: "a:b", Name: "n"},
		Version:    "1.10",
		Recipe:     "POST /b",
		Sealed:     true,
		Supplies:   []Supply{{"a.c", "id", "owner.id"}},
		Strict:     true,
		Paged:      true,
		Compensate: &Compensation{ID: "a.undo", Args: map[string]any{"id": "$result.id", "n": int64(1)}},
		Effects:    []Effect{{"state.set", "n", map[string]any{"id": "$result.id", "n": int64(1<<60 + 1)}}},
		Inject:     []Injection{{"f", "actor", false, true}, {"g", "tenant", true, false}},
		Needs:      []string{"team_id"},
		Action:     func(context.Context, Call) (Result, error) { return Result{Note: "attached"}, nil },
		Lua:        "return 1",
		Retry:      &Retry{Tries: 2, Wait: time.Second, Most: time.Minute},
		Key:        &Key{Argument: "key", Header: "Idempotency-Key"},
		SendsKey:   true, SendsEffects: true,
		Hooks: &Hooks{
			Before: []Hook{{Name: "b", Lua: "true"}}, Checked: []Hook{{Name: "c", Do: look}, {Name: "d", Lua: "args"}},
			After: []Hook{{Name: "e", Lua: "result"}}, Failed: []Hook{{Name: "f", Do: look}},
		},
		Uses:    []Use{{ID: "a.b", Source: "demo", Fingerprint: "f"}},
		Preview: func(context.Context, Call) (string, error) { return "", nil },
	}
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Fatalf("field %s is not filled here", v.Type().Field(i).Name)
		}
	}
	for _, want := range []Entry{full, {ID: "plain"}} {
		built, _ := New([]Entry{want}, Options{})
		opened := reopened(t, built, OpenOptions{Attach: func(e *Entry) {
			if e.ID == full.ID {
				e.Action, e.Preview, e.Prompts, e.Resource = full.Action, full.Preview, full.Prompts, full.Resource
				e.Hooks.Attach(full.Hooks)
			}
		}})
		got, ok := opened.View().Lookup(want.ID)
		if !ok {
			t.Fatal("not there")
		}
		if again, _ := opened.View().Lookup(want.ID); again != got {
			t.Error("looked up twice, it is another entry")
		}
		if (got.Action == nil) != (want.Action == nil) {
			t.Errorf("%s: action %v", want.ID, got.Action)
		}
		if h := got.Hooks; h != nil && (h.Checked[0].Do == nil || h.Checked[1].Do != nil || h.Failed[0].Do == nil) {
			t.Errorf("%s: hooks %v", want.ID, h)
		}
		same := cmp.Comparer(func(a, b *Schema) bool { return (a == nil) == (b == nil) && bytes.Equal(a.JSON(), b.JSON()) })
		noFuncs := cmp.FilterPath(func(p cmp.Path) bool {
			return p.String() == "Action" || p.String() == "Preview" || p.Last().Type() == reflect.TypeOf(look)
		},
			cmp.Ignore())
		if diff := cmp.Diff(*built.entry(0), *got, same, noFuncs, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}

// TestImageIsDeterministic builds with other numbers of workers and from another order.
func TestImageIsDeterministic(t *testing.T) {
	entries := mixed(5000)
	image := func() []byte {
		c, _ := New(entries, Options{})
		var b bytes.Buffer
		if err := c.WriteImage(&b, nil); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	want := image()
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, n := range []int{1, 3, 8} {
		runtime.GOMAXPROCS(n)
		slices.Reverse(entries)
		if !bytes.Equal(image(), want) {
			t.Fatalf("%d workers give another image", n)
		}
	}
}

func TestDamagedImage(t *testing.T) {
	c, _ := New(office(), Options{})
	var b bytes.Buffer
	if err := c.WriteImage(&b, nil); err != nil {
		t.Fatal(err)
	}
	image := b.Bytes()
	refuse := func(what string, damaged []byte) {
		t.Helper()
		if _, _, err := Open(damaged, OpenOptions{}); !errors.Is(err, ErrImage) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	refuse("nothing", nil)
	refuse("half", image[:len(image)/2])
	refuse("more", append(slices.Clone(image), 0))
	for at := 0; at < len(image); at += 97 {
		damaged := slices.Clone(image)
		damaged[at] ^= 4
		refuse(fmt.Sprintf("byte %d of %d", at, len(image)), damaged)
	}
	if _, _, err := Open(append(make([]byte, 1), image...)[1:], OpenOptions{}); err != nil {
		t.Errorf("at an odd address: %v", err)
	}
	var again bytes.Buffer
	if err := reopened(t, c, OpenOptions{}).WriteImage(&again, nil); err != nil || !bytes.Equal(again.Bytes(), image) {
		t.Errorf("an opened catalog is written as other bytes than before: error %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	c, _ := New(office()[:3], Options{})
	var b bytes.Buffer
	if err := c.WriteImage(&b, nil); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:32])
	f.Fuzz(func(t *testing.T, image []byte) {
		if opened, _, err := Open(slices.Clone(image), OpenOptions{}); err == nil {
			mustSearch(t, opened.View(), "list invoices", SearchOptions{})
		}
	})
}

package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"almanac/catalog"
)

// checkAnswer makes sure that an answer is what the output schema says, down to absent and additional fields.
func checkAnswer(t testing.TB, e catalog.Entry, data any) {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(e.Output.JSON(), &s); err != nil {
		t.Fatalf("%s: %v", e.ID, err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: output: %v", e.ID, err)
	}
	if err := r.Validate(data); err != nil {
		t.Errorf("%s: answer does not fit: %v", e.ID, err)
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ids := map[string]bool{}
	domains := map[string]int{}
	idForm := regexp.MustCompile(`^[a-z_]+(\.[a-z_]+){2}$`)
	for _, e := range o.Entries() {
		if ids[e.ID] || !idForm.MatchString(e.ID) {
			t.Errorf("%s: bad or used twice", e.ID)
		}
		ids[e.ID] = true
		domains[e.Namespace[0]]++
		if e.Title == "" || e.Description == "" || len(e.Entities) == 0 || len(e.Tags) == 0 ||
			len(e.Aliases) == 0 || len(e.Examples) == 0 {
			t.Errorf("%s: metadata missing", e.ID)
		}
		if e.Mutates != (e.Operation != catalog.Read) || e.Operation == catalog.Admin && e.Risk != catalog.High ||
			e.Operation == catalog.Read && e.Risk != catalog.Low {
			t.Errorf("%s: %s, risk %s, mutates %v", e.ID, e.Operation, e.Risk, e.Mutates)
		}
		if !strings.Contains(string(e.Input.JSON()), `"additionalProperties":false`) {
			t.Errorf("%s: input takes anything", e.ID)
		}
	}
	if len(ids) < 90 {
		t.Errorf("%d actions", len(ids))
	}
	for _, d := range []string{"crm", "billing", "support", "commerce", "identity", "reporting"} {
		if domains[d] < 10 {
			t.Errorf("%s: %d actions", d, domains[d])
		}
	}
	if len(domains) != 6 {
		t.Errorf("domains: %v", domains)
	}
	refund := entryOf(t, o, "billing.refund.issue")
	if refund.Operation != catalog.Create || refund.Risk != catalog.High || !refund.Mutates {
		t.Errorf("billing.refund.issue: %+v", refund)
	}
}

// TestExamples runs every example of every action as it stands, all on one back office.
func TestExamples(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	changes := int64(0)
	for _, e := range o.Entries() {
		for _, example := range e.Examples {
			id, args, err := parseExample(example)
			if err != nil || id != e.ID {
				t.Errorf("%s: example %s: %v", e.ID, example, err)
				continue
			}
			data, err := call(t, o, id, args)
			if err != nil {
				t.Errorf("example %s: %v", example, err)
				continue
			}
			if list, ok := data.([]any); ok && len(list) == 0 {
				t.Errorf("example %s: shows nothing", example)
			}
			if e.Mutates {
				changes++
				checkAudit(t, o, e, args)
			}
		}
	}
	if n := number(t, o, `SELECT count(*) FROM audit`); n != changes {
		t.Errorf("%d audit rows after %d changes", n, changes)
	}
	checkBooks(t, o)
}

// checkAudit makes sure that the latest audit row tells of this call.
func checkAudit(t testing.TB, o *Office, e catalog.Entry, args map[string]any) {
	t.Helper()
	rows := query(t, o, `SELECT actor, tenant, session_id, action, args FROM audit ORDER BY seq DESC LIMIT 1`)
	if len(rows) != 1 {
		t.Errorf("%s: no audit row", e.ID)
		return
	}
	if got := fmt.Sprint(rows[0][:4]...); got != fmt.Sprint("ada", "northgate", "s1", e.ID) {
		t.Errorf("%s: audit row %s", e.ID, got)
	}
	for name := range args {
		if !strings.Contains(rows[0][4].(string), `"`+name+`"`) {
			t.Errorf("%s: audit row without argument %s", e.ID, name)
		}
	}
}

// parseExample reads `local x = id({ ... })` or `id({ ... })`, with literal values.
func parseExample(text string) (id string, args map[string]any, err error) {
	p := &exampleParser{rest: text}
	if after, ok := strings.CutPrefix(text, "local "); ok {
		_, p.rest, _ = strings.Cut(after, " = ")
	}
	id, p.rest, _ = strings.Cut(strings.Replace(p.rest, `["return"]`, ".return", 1), "(")
	v, err := p.value()
	if err != nil {
		return "", nil, err
	}
	if p.rest != ")" {
		return "", nil, fmt.Errorf("%q left over", p.rest)
	}
	switch v := v.(type) {
	case map[string]any:
		return id, v, nil
	case []any:
		if len(v) == 0 {
			return id, map[string]any{}, nil
		}
	}
	return "", nil, fmt.Errorf("want a table of arguments")
}

type exampleParser struct{ rest string }

var literal = regexp.MustCompile(`^(-?\d+|true|false|"[^"]*")`)

var fieldName = regexp.MustCompile(`^([a-z_]+) = `)

func (p *exampleParser) value() (any, error) {
	if m := literal.FindString(p.rest); m != "" {
		p.rest = p.rest[len(m):]
		return catalog.ParseJSON([]byte(m))
	}
	rest, ok := strings.CutPrefix(p.rest, "{")
	if !ok {
		return nil, fmt.Errorf("at %q: want a value", p.rest)
	}
	p.rest = strings.TrimLeft(rest, " ")
	list, record := []any{}, map[string]any{}
	for !strings.HasPrefix(p.rest, "}") {
		name := ""
		if m := fieldName.FindStringSubmatch(p.rest); m != nil {
			name, p.rest = m[1], p.rest[len(m[0]):]
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		if name != "" {
			record[name] = v
		} else {
			list = append(list, v)
		}
		p.rest = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(p.rest, " "), ","), " ")
	}
	p.rest = p.rest[1:]
	if len(record) > 0 {
		return record, nil
	}
	return list, nil
}

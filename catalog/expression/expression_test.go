package expression

import (
	"fmt"
	"strings"
	"testing"
)

func written(e Expression) string {
	s := "$" + e.Root
	if len(e.Names) > 0 {
		s += "." + strings.Join(e.Names, ".")
	}
	if e.Pointed {
		s += "#"
	}
	for _, part := range e.Pointer {
		s += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part)
	}
	return s
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"$statusCode", "statusCode [] []"},
		{"$response.body", "response [body] []"},
		{"$response.body#/items/0/a~1b~0c", "response [body] [items 0 a/b~c]"},
		{"$response.header.X-Rate.Limit", "response [header X-Rate.Limit] []"},
		{"$request.path.id", "request [path id] []"},
		{"$inputs.user.name", "inputs [user name] []"},
		{"$steps.find-pet.outputs.id", "steps [find-pet outputs id] []"},
		{"$steps.find.outputs.pets#/0/id", "steps [find outputs pets] [0 id]"},
		{"$workflows.a.outputs.b", "workflows [a outputs b] []"},
		{"$components.parameters.page", "components [parameters page] []"},
		{"statusCode", "error: it begins with $"},
		{"$statusCode.x", "error: nothing stands behind $statusCode"},
		{"$response.path.id", "error: want body, header.NAME behind $response"},
		{"$response.body.id", "error: want body, header.NAME behind $response"},
		{"$steps.find.id", "error: want $steps.ID.outputs.NAME"},
		{"$inputs", "error: a name is missing behind $inputs"},
		{"$inputs.a b", "error: a name has letters, digits, _ and -"},
		{"$response.body#id", "error: a JSON Pointer begins with /"},
		{"$response.body#/a~2", "error: in a JSON Pointer ~ is ~0 and / is ~1"},
		{"$other.x", "error: unknown"},
		{"$self", "error: $self is not supported"},
	} {
		e, err := Parse(tt.text)
		got := fmt.Sprint(e.Root, " ", e.Names, " ", e.Pointer)
		if err != nil {
			_, why, _ := strings.Cut(err.Error(), tt.text+": ")
			got = "error: " + why
		}
		if got != tt.want && !(strings.HasPrefix(tt.want, "error: unknown") && strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

// FuzzParse: what is read is what was written, and what is read from that is the same.
func FuzzParse(f *testing.F) {
	f.Add("$response.body#/a~1b/0")
	f.Add("$steps.x.outputs.y")
	f.Add("$request.header.A-B")
	f.Add("a {$inputs.b} c")
	f.Fuzz(func(t *testing.T, s string) {
		if e, err := Parse(s); err == nil && written(e) != s {
			t.Fatalf("%q became %q", s, written(e))
		}
		parts, err := Split(s)
		if err != nil || strings.HasPrefix(s, "$") {
			return
		}
		var b strings.Builder
		for _, p := range parts {
			if p.Expression != nil {
				b.WriteString("{" + p.Expression.Text + "}")
			}
			b.WriteString(p.Literal)
		}
		if b.String() != s {
			t.Fatalf("%q became %q", s, b.String())
		}
	})
}

package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// owners lists the libraries that one package alone may import, so that they can be replaced in one place.
var owners = map[string][]string{
	"github.com/yuin/goldmark":          {"repl/show"},
	"github.com/charmbracelet/x/ansi":   {"catalog/text/cells", "ui"},
	"github.com/Shopify/go-lua":         {"session/vm"},
	"github.com/sashabaranov/go-openai": {"llm/openai"},
	"github.com/jackc/pgx/v5":           {"catalog/database"},
	"github.com/go-sql-driver/mysql":    {"catalog/database"},
	"modernc.org/sqlite":                {"catalog/database", "catalog/demo", "session/kept"},
	"charm.land/bubbletea/v2":           {"ui"},
	"charm.land/lipgloss/v2":            {"ui"},
	"charm.land/bubbles/v2":             {"ui"},
	"github.com/alecthomas/kong":        {"cmd/almanac"},
	"github.com/fxamacker/cbor/v2":      {"session/kernel", "session/trace"},

	"github.com/aws/aws-sdk-go-v2":           {"catalog/web/aws"},
	"github.com/modelcontextprotocol/go-sdk": {"catalog/mcp", "catalog/web/login", "session/gateway"},
	"github.com/yosida95/uritemplate/v3":     {"catalog/mcp"},
	"github.com/nats-io/nats-server/v2":      {"catalog/team/bus"},
	"go.opentelemetry.io/otel":               {"session/gateway/telemetry"},
	"github.com/prometheus":                  {"session/gateway/telemetry"},
	"go.yaml.in/yaml/v3":                     {"catalog/manifest", "catalog/tree"},
	"github.com/zalando/go-keyring":          {"catalog/web"},
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel("../..", filepath.Dir(path))
		if err != nil {
			return err
		}
		from := filepath.ToSlash(rel)
		forTests := strings.HasPrefix(from, "internal/") || strings.HasSuffix(from, "/openaitest")
		if forTests || strings.Contains(from, "/testdata") {
			return nil
		}
		if !placed(from) {
			t.Errorf("%s: package %s has no place: give it a row in layers_test.go, with what it may import and what for, "+
				"and a line in docs/architecture.md", path, from)
			return nil
		}
		seen[from] = true
		for _, to := range checkFile(t, path, from) {
			seen[from+" imports "+to] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range layers {
		if !seen[l.name] {
			t.Errorf("package %s has a row in layers_test.go and no files", l.name)
		}
		for to := range l.uses {
			switch at := slices.IndexFunc(layers, func(l layer) bool { return l.name == to }); {
			case !seen[l.name+" imports "+to]:
				t.Errorf("package %s no longer imports %s: take it out of its row", l.name, to)
			case at < 0 || at >= i:
				t.Errorf("package %s may import %s, which has to stand above it: imports point down only", l.name, to)
			}
		}
	}
}

// placed reports whether a package of ours is in layers_test.go.
func placed(name string) bool {
	return slices.Contains(subjects, name) || slices.Contains(wiring, name) ||
		slices.ContainsFunc(layers, func(l layer) bool { return l.name == name })
}

// allowed says why an import of ours is wrong, or nothing.
func allowed(from, to string) string {
	switch {
	case slices.Contains(wiring, from), slices.Contains(subjects, to):
		return ""
	case slices.Contains(subjects, from):
		return "a package about one subject imports nothing of ours but others like it"
	}
	var list []string
	for _, l := range layers {
		if l.name != from {
			continue
		}
		if l.uses[to] != "" {
			return ""
		}
		list = slices.Sorted(maps.Keys(l.uses))
	}
	return fmt.Sprintf("not in its list (%s): pass in what it needs as a value or a function, move what both need to a "+
		"package of its own, or add it to layers_test.go with the reason", strings.Join(list, ", "))
}

// checkFile checks the imports of a file and returns those of ours.
func checkFile(t *testing.T, path, from string) (ours []string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
			continue
		}
		if to, own := strings.CutPrefix(name, "almanac/"); own {
			ours = append(ours, to)
			if why := allowed(from, to); why != "" {
				t.Errorf("%s: package %s imports %s: %s", path, from, to, why)
			}
			continue
		}
		for library, only := range owners {
			if (name == library || strings.HasPrefix(name, library+"/")) && !slices.Contains(only, from) {
				t.Errorf("%s imports %s: only %v may", path, name, only)
			}
		}
	}
	return ours
}

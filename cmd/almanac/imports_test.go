package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors is the floor plan: a package may import packages of lower floors, and of its own floor only those that
// sameFloor lists. See docs/architecture.md.
var floors = map[string]int{
	"catalog/lua":                    -1, // every package may use it
	"catalog/task":                   -1,
	"catalog/text":                   -1, // every package may use it
	"catalog/text/cells":             -1,
	"catalog":                        0,
	"prelude":                        0,
	"session/syntax":                 0,
	"session/vm":                     0,
	"llm":                            0,
	"catalog/demo":                   1,
	"catalog/manifest":               1,
	"catalog/mcp":                    1,
	"catalog/search":                 0,
	"catalog/spec":                   0,
	"catalog/search/lexicon":         1,
	"catalog/search/lexicon/vectors": 1,
	"catalog/search/spelling":        0,
	"catalog/secret":                 0,
	"catalog/source":                 0,
	"catalog/verb":                   0,
	"catalog/web":                    1,
	"catalog/openapi":                1,
	"catalog/pattern":                0,
	"catalog/workspace":              1,
	"session/kernel":                 1,
	"session/policy":                 1,
	"session/trace":                  1,
	"llm/openai":                     1,
	"llm/replay":                     1,
	"session":                        2,
	"llm/tools":                      3,
	"session/gateway":                4,
	"catalog/eval":                   1,
	"repl":                           3,
	"repl/show":                      3,
	"ui":                             4,
	"cmd/almanac":                    5,
	"docs/example":                   5,
}

var sameFloor = map[string][]string{
	"catalog":          {"catalog/pattern", "catalog/search", "catalog/search/spelling", "catalog/spec"},
	"catalog/search":   {"catalog/search/spelling"},
	"catalog/spec":     {"catalog/search/spelling"},
	"session/vm":       {"session/syntax"},
	"session/syntax":   {"catalog/search/spelling"},
	"repl":             {"repl/show"},
	"catalog/manifest": {"catalog/web"},
	"catalog/openapi":  {"catalog/web"},
	"catalog/source":   {"catalog", "catalog/secret"},
	"llm":              {"catalog/secret"},
	"catalog/verb":     {"catalog"},
}

// owners lists the libraries that one package alone may import, so that they can be replaced in one place.
var owners = map[string][]string{
	"github.com/yuin/goldmark":          {"repl/show"},
	"github.com/charmbracelet/x/ansi":   {"catalog/text/cells", "ui"},
	"github.com/Shopify/go-lua":         {"session/vm"},
	"github.com/sashabaranov/go-openai": {"llm/openai"},
	"modernc.org/sqlite":                {"catalog/demo", "catalog/manifest"},
	"charm.land/bubbletea/v2":           {"ui"},
	"charm.land/lipgloss/v2":            {"ui"},
	"charm.land/bubbles/v2":             {"ui"},
	"github.com/alecthomas/kong":        {"cmd/almanac"},
	"github.com/fxamacker/cbor/v2":      {"session/kernel"},

	"github.com/modelcontextprotocol/go-sdk": {"catalog/mcp", "session/gateway"},
	"github.com/yosida95/uritemplate/v3":     {"catalog/mcp"},
	"go.yaml.in/yaml/v3":                     {"catalog/openapi", "catalog/manifest"},
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
		if strings.HasSuffix(from, "/openaitest") || strings.Contains(from, "/testdata") {
			return nil
		}
		floor, known := floors[from]
		if !known {
			t.Errorf("%s: package %s has no floor: give it one in this test and in docs/architecture.md", path, from)
			return nil
		}
		seen[from] = true
		checkFile(t, path, from, floor)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range floors {
		if !seen[name] {
			t.Errorf("package %s has a floor and no files", name)
		}
	}
}

func checkFile(t *testing.T, path, from string, floor int) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
			continue
		}
		if to, ours := strings.CutPrefix(name, "almanac/"); ours {
			below, known := floors[to]
			if !known {
				t.Errorf("%s imports %s, which has no floor", path, name)
			} else if below >= floor && !slices.Contains(sameFloor[from], to) {
				t.Errorf("%s: %s (floor %d) imports %s (floor %d): imports point down only", path, from, floor, to, below)
			}
			continue
		}
		for library, only := range owners {
			if (name == library || strings.HasPrefix(name, library+"/")) && !slices.Contains(only, from) {
				t.Errorf("%s imports %s: only %v may", path, name, only)
			}
		}
	}
}

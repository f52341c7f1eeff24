package vm

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/prelude"
)

// preludeChunks is the prelude of the program.
func preludeChunks() []Chunk {
	var chunks []Chunk
	for _, c := range prelude.Chunks() {
		chunks = append(chunks, Chunk(c))
	}
	return chunks
}

// sameFunction compares what two functions are made of.
func sameFunction(t *testing.T, path string, a, b *prototype) {
	t.Helper()
	type parts struct {
		Constants, Code, Lines, Locals, UpValues string
		Source                                   string
		Line, Number, Parameters, Stack          int
		VarArg                                   bool
	}
	of := func(p *prototype) parts {
		constants := ""
		for _, v := range p.constants {
			if f, ok := v.(float64); ok {
				constants += fmt.Sprintf("%x ", math.Float64bits(f))
				continue
			}
			constants += fmt.Sprintf("%T %q ", v, fmt.Sprint(v))
		}
		return parts{constants, fmt.Sprint(p.code), fmt.Sprint(p.lineInfo), fmt.Sprint(p.localVariables),
			fmt.Sprint(p.upValues), p.source, p.lineDefined, p.number, p.parameterCount, p.maxStackSize, p.isVarArg}
	}
	if diff := cmp.Diff(of(a), of(b)); diff != "" {
		t.Fatalf("%s: %s", path, diff)
	}
	if len(a.prototypes) != len(b.prototypes) {
		t.Fatalf("%s: %d functions, %d when compiled", path, len(a.prototypes), len(b.prototypes))
	}
	for i := range a.prototypes {
		sameFunction(t, fmt.Sprintf("%s.%d", path, i), &a.prototypes[i], &b.prototypes[i])
	}
}

// TestCompiledPrelude compares a machine that parsed its prelude with one that got it compiled: function by function,
// and by what a few scripts say.
func TestCompiledPrelude(t *testing.T) {
	chunks := append(preludeChunks(), Chunk{Name: "odd", Source: `
local a, b, c, d = -0.0, 0, 1e300, "\0\255"
function odd(...) local n = select("#", ...) return function() a = a + n return a, b, c, d, nil, true, 0x7fffffffffffffff end end`})
	code, err := Compile(chunks)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := New(Limits{}, Host{}, chunks)
	if err != nil {
		t.Fatal(err)
	}
	defer parsed.Close()
	loaded, err := NewCompiled(Limits{}, Host{}, code)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	if len(loaded.prelude) != len(chunks) {
		t.Fatalf("%d chunks", len(loaded.prelude))
	}
	for name, c := range parsed.prelude {
		sameFunction(t, name, c.main, loaded.prelude[name].main)
	}
	for _, source := range []string{
		`return sort_by({3, 1, 2}), group_by({"a", "bb", "c"}, function(s) return #s end), split("a b c")`,
		`local f = odd(1, 2, 3) f() return f()`,
		`return pcall(map, 1)`,
		`x = map({1, 2}, function(v) return v * 2 end) help("map")`,
	} {
		a, b := parsed.Run(Script{Source: source, Name: "test"}), loaded.Run(Script{Source: source, Name: "test"})
		a.Elapsed, b.Elapsed = 0, 0
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s: %s", source, diff)
		}
		if a.Err != nil {
			t.Errorf("%s: %v", source, a.Err)
		}
	}
}

func TestCompileNamesTheChunk(t *testing.T) {
	_, err := Compile([]Chunk{{Name: "good", Source: "x = 1"}, {Name: "bad", Source: "x = = 1"}})
	if err == nil || err.Error()[:5] != "bad: " {
		t.Error(err)
	}
}

// TestCompiledIsChecked cuts and changes a compiled prelude: that is an error or makes no difference to the reader,
// never a crash or a huge slice.
func TestCompiledIsChecked(t *testing.T) {
	code, err := Compile([]Chunk{{Name: "a", Source: "local x = 1 function f(a) return a .. x end"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(code); i++ {
		if _, err := code[:i].chunks(); err == nil {
			t.Errorf("the first %d of %d bytes are taken", i, len(code))
		}
	}
	start := time.Now()
	for i := range code {
		for _, b := range []byte{0, 0x7f, 0x80, 0xff} {
			bad := append(Compiled(nil), code...)
			bad[i] = b
			_, _ = bad.chunks()
		}
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

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

// TestCompiledPrelude compares the functions of a prelude with those of a machine that got it compiled.
func TestCompiledPrelude(t *testing.T) {
	sources := append(preludeChunks(), Chunk{Name: "odd", Source: `
local a, b, c, d = -0.0, 0, 1e300, "\0\255"
function odd(...) local n = select("#", ...) return function() a = a + n return a, b, c, d, nil, true, 0x7fffffffffffffff end end`})
	parsed, err := compileChunks(sources)
	if err != nil {
		t.Fatal(err)
	}
	code, err := Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := New(Limits{}, Host{}, code)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	for i := range parsed {
		sameFunction(t, parsed[i].name, &parsed[i].main, loaded.prelude[parsed[i].name].main)
	}
	r := loaded.Run(Script{Source: "local f = odd(1, 2, 3) f() return f()"})
	if want := int64(6); r.Err != nil || len(r.Values) != 7 || r.Values[0].Data != want {
		t.Errorf("%v, %v", r.Values, r.Err)
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

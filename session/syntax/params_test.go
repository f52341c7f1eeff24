package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLiterals(t *testing.T) {
	src := `local customer = "cus_1" -- "no"
local due = billing.invoice.list{customer_id = customer, limit = 10, open = true, tags = {"a", x = {-2.5}}}
if due[1].status == 'open' then return call("billing.refund.issue", {["amount"] = 0x10}) end
for page in paginate(crm.customer.list, {q = [[
two]]}) do print"x" end
f"y" (g)"z"
return ("%d"):rep(3)`
	var got strings.Builder
	for _, l := range Literals(src) {
		fmt.Fprintf(&got, "%d:%d %s = %#v", l.Pos.Line, l.Pos.Column, l.Text, l.Value)
		if l.Name+l.Call != "" {
			fmt.Fprintf(&got, " %s %s %q", l.Name, l.Call, l.Path)
		}
		fmt.Fprintln(&got)
	}
	want := `1:18 "cus_1" = "cus_1" customer  []
2:66 10 = 10 limit billing.invoice.list ["limit"]
2:77 true = true open billing.invoice.list ["open"]
2:91 "a" = "a" tags billing.invoice.list ["tags" ""]
2:101 -2.5 = -2.5 x billing.invoice.list ["tags" "x" ""]
3:21 'open' = "open" status  []
3:83 0x10 = 16 amount billing.refund.issue ["amount"]
4:46 [[
two]] = "two" q crm.customer.list ["q"]
5:17 "x" = "x"
6:2 "y" = "y"
6:9 "z" = "z"
7:9 "%d" = "%d"
7:19 3 = 3
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestParameterize(t *testing.T) {
	for src, want := range map[string]string{
		`return"a"`:                  `return args.p1`,
		`f"a"`:                       `f(args.p1)`,
		`f{1}"a"(2)`:                 `f{args.p1}(args.p2)(args.p3)`,
		"local x = 'a'\n(f)(x)":      "local x = args.p1;\n(f)(x)",
		`x = 1 y = "a"and 2`:         `x = args.p1 y = args.p2 and args.p3`,
		`x = "a".."b"`:               `x = args.p1..args.p2`,
		`x = - 5 ^ 2`:                `x = - args.p1 ^ args.p2`,
		`x = a-5`:                    `x = a-args.p1`,
		`x = 2^-5`:                   `x = args.p1^args.p2`,
		`t["k"][1] = {["j"] = true}`: `t["k"][1] = {["j"] = true}`,
		`x = ("a"):upper()`:          `x = (args.p1):upper()`,
	} {
		literals := Literals(src)
		names := make([]string, len(literals))
		for i := range names {
			names[i] = fmt.Sprintf("p%d", i+1)
		}
		if got := Parameterize(src, "args", literals, names); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
		}
	}
}

// FuzzParameterize checks that a text with parameters is a text, and the same program when they are replaced by the
// literals again.
func FuzzParameterize(f *testing.F) {
	for _, src := range []string{
		`return crm.customer.get{id = "cus_1", n = -5}`, "f'a' (g)\"b\"", "local x = 1 (f)(2)", `x = "a".."b"..3 .. 4`,
		`for i = 1, 10 do t[i] = {1, x = 2, [3] = "\z  a\u{48}"} end`, "return 1,-2,not 3",
		"goto a ::a:: x = 5 ;(f){}",
		`x = - - 5 ^ 2 // 7`, `repeat local y <const> = 5 until "x" (f)()`, `if 1 then elseif"x"then end`,
		"x = 9007199254740993",
	} {
		f.Add(src, uint64(0x5555))
		f.Add(src, ^uint64(0))
	}
	f.Fuzz(func(t *testing.T, src string, picked uint64) {
		if Check(src) != nil || strings.Contains(src, "zz") {
			return
		}
		literals := Literals(src)
		names := make([]string, len(literals))
		for i := range names {
			if picked>>(i%64)&1 == 1 {
				names[i] = fmt.Sprintf("p%d", i)
			}
		}
		got := Parameterize(src, "zz", literals, names)
		if err := Check(got); err != nil {
			t.Fatalf("%q\nbecomes %q\n%v", src, got, err)
		}
		if want, got := programOf(src, nil), programOf(got, literals); want != got {
			t.Errorf("%q\nis  %s\nbut %s", src, want, got)
		}
	})
}

// programOf writes the tree of a text, with literals in the place of the fields of zz.
func programOf(src string, literals []Literal) string {
	fn, _ := parse(src)
	d := &dumper{src: src, literals: literals}
	walk(d, fn.body)
	return d.String()
}

type dumper struct {
	strings.Builder
	src      string
	literals []Literal
}

func (d *dumper) assign(s *stmt) {
	d.WriteString("set ")
	each(d, s.targets)
	each(d, s.values)
	if s.fn != nil {
		d.function(s.fn)
	}
}

func (d *dumper) loop(*stmt) { d.WriteString("loop ") }

func (d *dumper) function(f *function) {
	fmt.Fprintf(d, "function/%d(", f.params)
	walk(d, f.body)
	d.WriteString(") ")
}

func (d *dumper) expr(e expr) {
	switch e := e.(type) {
	case *literal:
		d.WriteString(d.src[e.start:e.end] + " ")
	case *nameRef:
		d.WriteString(d.src[e.start:e.end] + " ")
	case *suffixed:
		if name, ok := e.base.(*nameRef); ok && d.src[name.start:name.end] == "zz" && e.parts[0].kind == partField {
			var n int
			fmt.Sscanf(e.parts[0].key(d.src), "p%d", &n)
			d.WriteString(d.literals[n].Text + " ")
			if len(e.parts) > 1 {
				d.WriteString("more ")
			}
			return
		}
		d.WriteString("(")
		d.expr(e.base)
		for _, pt := range e.parts {
			fmt.Fprintf(d, "%d:%s(", pt.kind, d.src[pt.name.start:pt.name.end])
			each(d, pt.args)
			d.WriteString(") ")
		}
		d.WriteString(") ")
	case *unary:
		if x, ok := e.x.(*literal); ok && e.fold && x.kind == tkNumber {
			d.WriteString(d.src[e.start:e.end] + " ")
			return
		}
		d.WriteString(d.src[e.op.start:e.op.end] + "(")
		d.expr(e.x)
		d.WriteString(") ")
	case *binary:
		d.WriteString("(")
		for i, x := range e.operands {
			if i > 0 {
				d.WriteString(d.src[e.ops[i-1].start:e.ops[i-1].end] + " ")
			}
			d.expr(x)
		}
		d.WriteString(") ")
	case *paren:
		d.WriteString("paren(")
		d.expr(e.inner)
		d.WriteString(") ")
	case *table:
		d.WriteString("{")
		inside(d, e)
		d.WriteString("} ")
	default:
		inside(d, e)
	}
}

package spelling

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"listUnpaidInvoices":           "list unpaid invoices",
		"list_unpaid-invoices.v2":      "list unpaid invoices v 2",
		"GetHTTPServerURL":             "get http server url",
		"SLAs and APIs":                "slas and apis",
		"OAuth2Token":                  "o auth 2 token",
		"Crème brûlée à la Zürich":     "creme brulee a la zurich",
		"Straße ÉCOLE":                 "straße ecole",
		"请求退款":                         "请 求 退 款",
		"данныеКлиента":                "данные клиента",
		"customer's":                   "customer s",
		"ｆｕｌｌ１２":                       "full 12",
		"a\x00b\xffc":                  "a b c",
		strings.Repeat("x", 60) + " y": "y",
		"":                             "",
	} {
		var words []string
		EachWord(text, func(word []byte, _ bool) { words = append(words, string(word)) })
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFold(t *testing.T) {
	for name, want := range map[string]string{
		"customerId": "customer_id", "customer.id": "customer_id", "Customer-ID": "customer_id", "customer_id": "customer_id",
		"line1": "line1", "HTTPStatus": "http_status", "ids": "ids",
	} {
		if got := Fold(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for word, want := range map[string]string{"invoices": "invoice", "companies": "company", "boxes": "box",
		"address": "address", "addresses": "address", "status": "status", "analysis": "analysis", "ids": "ids"} {
		if got := Singular(word); got != want {
			t.Errorf("singular %s: %s, want %s", word, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"billing", "commerce", "crm", "customer_id", "support"}
	for want, word := range map[string]string{"billing": "biling", "crm": "crn", "customer_id": "customerID",
		"support": "suport", "": "zebra"} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "xyz", 3},
		{"über", "uber", 1}, {"kitten", "sitting", 3}} {
		if got := Distance(test.a, test.b, 9); got != test.want {
			t.Errorf("%s to %s: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"rset", "reset", 1}, {"quti", "quit", 1}, {"lua", "lua", 0},
		{"käse", "kase", 1}, {"abcd", "wxyz", 4}} {
		if got := Distance(c.a, c.b, 10); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestIndexMissesNothing holds the index against a look at every name.
func TestIndexMissesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(letters string, n int) string {
		runes := []rune(letters)
		var b strings.Builder
		for range n {
			b.WriteRune(runes[random.IntN(len(runes))])
		}
		return b.String()
	}
	for _, letters := range []string{"abc", "abcdefghij", "aé_1.ß"} {
		var names []string
		for range 3000 {
			names = append(names, word(letters, 1+random.IntN(12)), word(letters, 60+random.IntN(8)))
		}
		slices.Sort(names)
		names = slices.Compact(names)
		all := NewList(names)
		s := NewIndex(&all)
		words := 60
		if testing.Short() {
			words = 5
		}
		for range words {
			want := word(letters, random.IntN(12))
			for _, limit := range []int{1, 2, 4} {
				var near, found []int
				for i, name := range names {
					if Distance(want, name, limit+1) <= limit {
						near = append(near, i)
					}
				}
				s.Near(want, limit, func(i int) int {
					if Distance(want, names[i], limit+1) <= limit {
						found = append(found, i)
					}
					return limit
				})
				slices.Sort(found)
				if diff := cmp.Diff(near, found); diff != "" {
					t.Fatalf("%q, %d edits:\n%s", want, limit, diff)
				}
			}
		}
	}
}

// FuzzDistance holds the limited distance against the whole table.
func FuzzDistance(f *testing.F) {
	f.Add("invoice", "invocie", 3)
	f.Add("über", "uber", 1)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		limit = 1 + int(uint(limit)%8)
		a, b = strings.ToValidUTF8(a[:min(len(a), 80)], ""), strings.ToValidUTF8(b[:min(len(b), 80)], "")
		x, y := []rune(a), []rune(b)
		table := make([][]int, len(x)+1)
		for i := range table {
			table[i] = make([]int, len(y)+1)
			for j := range table[i] {
				switch {
				case i == 0 || j == 0:
					table[i][j] = i + j
					continue
				case x[i-1] == y[j-1]:
					table[i][j] = table[i-1][j-1]
				default:
					table[i][j] = 1 + min(table[i-1][j-1], table[i-1][j], table[i][j-1])
				}
				if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
					table[i][j] = min(table[i][j], table[i-2][j-2]+1)
				}
			}
		}
		if got, want := Distance(a, b, limit), min(limit, table[len(x)][len(y)]); got != want {
			t.Errorf("%q to %q below %d: %d, want %d", a, b, limit, got, want)
		}
	})
}

package secret

import (
	"encoding/json"
	"html"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	c := New([]string{"dXNl/cjpw+YXNz==", `q"uo\te`, "pässwörd", "K3Y/val ue&more", "a<b>c'd", "key-\U0001f511-x", "short"}, 6)
	for _, text := range []string{
		"dXNl/cjpw+YXNz==", `dXNl\/cjpw+YXNz==`, `dXNl\/cjpw+YXNz\u003d\u003D`, "dXNl%2Fcjpw%2BYXNz%3D%3D", "dXNl%2fcjpw%2bYXNz%3d%3d",
		`q"uo\te`, `q\"uo\\te`, `q\u0022uo\u005cte`, "q%22uo%5Cte", "q&quot;uo\\te", "q&#34;uo&#92;te", "q&#x22;uo\\te",
		"pässwörd", `p\u00e4ssw\u00f6rd`, `p\u00E4ssw\u00F6rd`, "p%C3%A4ssw%c3%b6rd", "p&auml;ssw&ouml;rd", "p&#228;ssw&#xf6;rd",
		"K3Y%2Fval+ue%26more", "K3Y%2fval%20ue%26more", "K3Y/val ue&amp;more", `K3Y\/val ue\u0026more`,
		`a\u003cb\u003ec'd`, "a&lt;b&gt;c&#39;d", `key-\ud83d\udd11-x`, "key-%F0%9F%94%91-x",
	} {
		if got := c.Text("<" + text + "> and " + text); got != "<"+Mark+"> and "+Mark {
			t.Errorf("%s: got %s", text, got)
		}
	}
	for _, text := range []string{"", "short", "dXNl/cjpw YXNz==", `p\u00e4sswrd`, "K3Y%2Fval+ue%2", `\u`, `key-\ud83d-x`, "%", "&", "K3Y&#", "q\\"} {
		if got := c.Text(text); got != text {
			t.Errorf("%s: got %s", text, got)
		}
	}
	if got := New([]string{`a\\bcdef`, "abc", "abcdef"}, 0).Text(`a\\bcdef abcdef abc`); strings.Count(got, Mark) != 3 {
		t.Errorf("got %s", got)
	}
}

func TestData(t *testing.T) {
	got := New([]string{"hunter22"}, 6).Data(map[string]any{"hunter22": []any{"is hunter22", int64(1), nil}, "b": "x"})
	want := map[string]any{Mark: []any{"is " + Mark, int64(1), nil}, "b": "x"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

// Whatever the value is, none of the usual ways to write it down shows it.
func FuzzText(f *testing.F) {
	f.Add("K3Y/val ue&more", "x")
	f.Add(`q"u\\o`+"\U0001f511", `\`)
	f.Fuzz(func(t *testing.T, value, around string) {
		// What the value itself may be taken for a mixture of is not told apart.
		if len(value) < 6 || strings.ContainsAny(value, `\%&+`) || strings.ToValidUTF8(value, "") != value || strings.Contains(Mark, value) {
			return
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		c := New([]string{value}, 6)
		for _, form := range []string{value, string(text[1 : len(text)-1]), url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value)} {
			if got := c.Text(form); got != Mark {
				t.Errorf("%q as %q: %q", value, form, got)
			}
			c.Text(around + form + around)
		}
	})
}

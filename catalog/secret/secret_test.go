package secret

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	c := New([]string{"dXNl/cjpw+YXNz==", `q"uo\te`, "pässwörd", "K3Y/val ue&more", "a<b>c'd",
		"key-\U0001f511-x", "short"}, 6)
	for _, text := range []string{
		"dXNl/cjpw+YXNz==", `dXNl\/cjpw+YXNz==`, `dXNl\/cjpw+YXNz\u003d\u003D`, "dXNl%2Fcjpw%2BYXNz%3D%3D",
		"dXNl%2fcjpw%2bYXNz%3d%3d",
		`q"uo\te`, `q\"uo\\te`, `q\u0022uo\u005cte`, "q%22uo%5Cte", "q&quot;uo\\te", "q&#34;uo&#92;te", "q&#x22;uo\\te",
		"pässwörd", `p\u00e4ssw\u00f6rd`, `p\u00E4ssw\u00F6rd`, "p%C3%A4ssw%c3%b6rd", "p&auml;ssw&ouml;rd",
		"p&#228;ssw&#xf6;rd", "K3Y%2Fval+ue%26more", "K3Y%2fval%20ue%26more", "K3Y/val ue&amp;more", `K3Y\/val ue\u0026more`,
		`a\u003cb\u003ec'd`, "a&lt;b&gt;c&#39;d", `key-\ud83d\udd11-x`, "key-%F0%9F%94%91-x",
	} {
		if got := c.Text("<" + text + "> and " + text); got != "<"+Mark+"> and "+Mark {
			t.Errorf("%s: got %s", text, got)
		}
	}
	for _, text := range []string{
		"dXNl/cjpw\n+YXNz==", "dXNl/cjpw\r\n+YX\tNz==", `dXNl/cjpw\n+YXNz==`, `\x64XNl\x2fcjpw+YXNz==`, `q\\\"uo\\te`,
		`\\\u0071\\u0022uo\\te`,
		hex.EncodeToString([]byte("pässwörd")), "ZFhObC9janB3K1lYTno9P", // base64 of the first value, without its end
	} {
		if got := c.Text("<" + text + ">"); got != "<"+Mark+">" {
			t.Errorf("%s: got %s", text, got)
		}
	}
	for _, before := range []string{"", "a", "ab", "abc"} {
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			text := encoding.EncodeToString([]byte(before + "pässwörd" + before))
			if got := c.Text(text); !strings.Contains(got, Mark) || len(got) > len(Mark)+12 {
				t.Errorf("%s: got %s", text, got)
			}
		}
	}
	for text, want := range map[string]string{
		"dXNl/c...": Mark + "...", `{"dXNl/cjpw…"`: `{"` + Mark + `…"`, "dXNl/... 12 more bytes": "dXNl/... 12 more bytes",
		"key-\U0001f511...": Mark + "...",
	} {
		if got := c.Text(text); got != want {
			t.Errorf("%s: got %s", text, got)
		}
	}
	for _, text := range []string{"", "short", "dXNl/cjpw\n\n\n+YXNz==", "dXNl/cjpw YXNz==", `p\u00e4sswrd`,
		"K3Y%2Fval+ue%2", `\u`, `key-\ud83d-x`, "%", "&", "K3Y&#", "q\\"} {
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
		if len(value) < 6 || strings.ContainsAny(value, `\%&+`) || strings.ToValidUTF8(value, "") != value ||
			strings.Contains(Mark, value) {
			return
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		c := New([]string{value}, 6)
		for _, form := range []string{value, hex.EncodeToString([]byte(value)), string(text[1 : len(text)-1]),
			url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value)} {
			if got := c.Text(form); got != Mark {
				t.Errorf("%q as %q: %q", value, form, got)
			}
			c.Text(around + form + around)
		}
	})
}

func TestJSON(t *testing.T) {
	c := New([]string{"12345678", `q","k":"x`}, 6)
	for document, want := range map[string]string{
		`{"a":12345678,"b":"is 12345678"}`: `{"a":12345678,"b":"is [redacted]"}`,
		`{"b": "no"}`:                      `{"b": "no"}`,
		`{"a":"q","k":"x"}`:                `{"a":"q","k":"x"}`,
		`not 12345678`:                     `not [redacted]`,
	} {
		if got := string(c.JSON([]byte(document))); got != want {
			t.Errorf("%s: got %s", document, got)
		}
	}
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat(`{"id":"cus_0042","name":"Acme \"Tools\" & Sons","email":"sales@acme.example","cents":120_00},`+
		"\n", 10_000)
	for _, n := range []int{0, 1, 20} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var values []string
			for i := range n {
				values = append(values, fmt.Sprintf("%c-%032d", 'a'+i, i))
			}
			c := New(values, Least)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c.Text(text)
			}
		})
	}
}

// What a script can do to a long value without knowing it: join its halves, change its case, leave a byte out.
func TestTextLoosely(t *testing.T) {
	const value = "sk-Live/4f9A2b7C1d8E6g3h"
	c := New([]string{value}, Least)
	for _, text := range []string{
		value[:10] + "\n        " + value[10:], value[:10] + "\r\n    " + value[10:],
		value[:10] + `\n  ` + value[10:], value[:5] + " " + value[5:],
		strings.Join(strings.Split(value, ""), " "), strings.Join(strings.Split(value, ""), "   "),
		strings.ToUpper(value), strings.ToLower(value), "SK-lIVE/4F9a2B7c1D8e6G3H", `sk\u002dlive\/4f9a2b7c1d8e6g3h`,
		base32.StdEncoding.EncodeToString([]byte(value)), strings.ToLower(base32.StdEncoding.EncodeToString([]byte(value))),
		value[1:], value[:len(value)-1], value[:len(value)/2], value[len(value)/2:], strings.ToUpper(value[1:]),
	} {
		got := c.Text("<" + text + ">")
		if !strings.HasPrefix(got, "<"+Mark) || len(got) > len("<"+Mark+">")+len("======")+2 {
			t.Errorf("%s: got %s", text, got)
		}
	}
	for _, before := range []string{"", "a", "ab", "abc", "abcd", "abcde"} {
		text := base32.StdEncoding.EncodeToString([]byte(before + value + before))
		if got := c.Text(text); !strings.Contains(got, Mark) || len(got) > len(Mark)+24 {
			t.Errorf("%s: got %s", text, got)
		}
	}
	for at := range len(value) { // whichever byte is another, at least half of it is gone
		text := value[:at] + "_" + value[at+1:]
		if got := c.Text(text); !strings.Contains(got, Mark) || len(got) > len(Mark)+len(value)/2+1 {
			t.Errorf("%s: got %s", text, got)
		}
	}
	for _, text := range []string{"sk-live of the party", "SK-LIVE", value[:11]} {
		if got := c.Text(text); got != text {
			t.Errorf("%s: got %s", text, got)
		}
	}
	short := New([]string{"hunter22"}, Least)
	for _, text := range []string{"HUNTER22", "hunt er22", "unter22", "hunter2"} { // words come by chance as these do
		if got := short.Text(text); got != text {
			t.Errorf("%s: got %s", text, got)
		}
	}
	if got := short.Text("hunt\n    er22"); got != Mark {
		t.Errorf("got %s", got)
	}
}

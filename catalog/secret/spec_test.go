package secret

import (
	"strings"
	"testing"
)

func TestAddress(t *testing.T) {
	for _, c := range []struct{ text, shown, values string }{
		{"http://user:passw0rd@host:80/x.yaml?token=T0ken-99&v=1#bearer=NAME",
			"http://***@host:80/x.yaml?token=***&v=***#bearer=NAME", "user:passw0rd passw0rd T0ken-99"},
		{"a=openapi:https://t0ken-only@host/x", "a=openapi:https://***@host/x", "t0ken-only t0ken-only"[:10]},
		{"https://host/?k=a%2Fb%2Bcdef", "https://host/?k=***", "a%2Fb%2Bcdef a/b+cdef"},
		{"https://u:p@ss@word@host/x", "https://***@host/x", "u:p@ss@word p@ss@word"},
		{"https://host/path", "https://host/path", ""},
		{"dir/what?a=b.yaml", "dir/what?a=b.yaml", ""},
		{"https://host/x#bearer=sk-lit-9 y", "https://host/x#bearer=sk-lit-9 y", ""},
		{"https://host/x#bearer=sk-a-literal-token-9 y", "https://host/x#bearer=*** y", "sk-a-literal-token-9"},
		{"m=grpc:host:9#bearer=ab12cd34ef56gh78ij90KL", "m=grpc:host:9#bearer=***", "ab12cd34ef56gh78ij90KL"},
		{"https://host/x#a%20b%20c", "https://host/x#***", "a%20b%20c"},
		{"https://host/x#/paths/a%20b", "https://host/x#/paths/a%20b", ""}, {"s.json#two words+", "s.json#two words+", ""},
	} {
		shown, values := Address(c.text)
		got := strings.Join(values, " ")
		if shown != c.shown || !strings.HasPrefix(got, c.values) || c.values == "" && got != "" {
			t.Errorf("%s: %s, %s", c.text, shown, got)
		}
	}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct{ words, shown, values string }{
		{"MY_TOKEN=lit-token-9 server", "MY_TOKEN=*** server", "lit-token-9"},
		{"MY_TOKEN=${MY_TOKEN} NODE_ENV=production server -v", "MY_TOKEN=${MY_TOKEN} NODE_ENV=production server -v", ""},
		{"docker run -e API_KEY=abcdefg img --api-key k-123456 --secret=s-123456 --auth-token -v",
			"docker run -e API_KEY=*** img --api-key *** --secret=*** --auth-token -v", "abcdefg k-123456 s-123456"},
		{"MODE=standard COMPASS=northeast MAX_TOKENS=200000 server",
			"MODE=standard COMPASS=northeast MAX_TOKENS=200000 server", ""},
		{"MODE=secret:standard DB_PASS=northeast server", "MODE=*** DB_PASS=*** server", "standard northeast"},
		{"HEADER=ab12cd34ef56gh78ij90kl server", "HEADER=*** server", "ab12cd34ef56gh78ij90kl"},
		{"DATABASE_URL=postgres://ann:hunter22@host/db x", "DATABASE_URL=postgres://***@host/db x", "ann:hunter22 hunter22"},
		{"db postgres://ann:hunter22@host/db?sslkey=abcdef", "db postgres://***@host/db?sslkey=***",
			"ann:hunter22 hunter22 abcdef"},
		{"A=b PIN=1234 x", "A=b PIN=*** x", ""},
		{"r --header Authorization:·Bearer·abc-def-1 -H X-Key:abc-def-2", "r --header Authorization: *** -H X-Key: ***",
			"abc-def-1 abc-def-2"},
		{"r --header=Cookie:·abc-def-3 Authorization:·Basic·${B} X-Org:·acme", "r --header=Cookie: *** " +
			"Authorization: Basic ${B} X-Org: acme", "abc-def-3"},
		{"run key-server:latest auth:8080 https://h:1/x", "run key-server:latest auth:8080 https://h:1/x", ""},
		{"sh 'Authorization: Bearer abc-def-4'", "sh 'Authorization: Bearer ***", "abc-def-4'"},
		{"stripe sk_live_abcdefgh12345678 -v", "stripe *** -v", "sk_live_abcdefgh12345678"},
	} {
		words := strings.Fields(c.words) // · is a blank within a word
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "·", " ")
		}
		shown, values := Command(words)
		if got := strings.Join(shown, " "); got != c.shown || strings.Join(values, " ") != c.values {
			t.Errorf("%s: %s, %s", c.words, got, values)
		}
	}
}

// A name is taken for one, and a secret that was written in its place is not.
func TestIsName(t *testing.T) {
	for text, want := range map[string]bool{
		"SHOP_TOKEN": true, "shop_token": true, "notion": true, "github.com/ann": true, "my-company_token_2": true,
		"ALMANAC_GITHUB_PRODUCTION_TOKEN_2": true, "x": true,
		"": false, "Bearer abc": false, "two words": false, "a\nb": false, "2fa": false, "a+b/c==": false,
		"ghp_16C7e42F292c6912E7710c838347Ae178B4a": false, "AKIAIOSFODNN7EXAMPLE": false,
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U": false,
		"sk-ant-api03-AbCdEfGhIjKlMnOpQrSt": false, "a23e4567-e89b-12d3-a456-426614174000": false,
		"xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oO": false, strings.Repeat("a", 101): false,
	} {
		if got := IsName(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// The names of sources differ as their addresses do, in what is no secret.
func TestPlace(t *testing.T) {
	for text, want := range map[string]string{
		"openapi:https://h/x?v=1":               "openapi:https://h/x?v=*** (a3c1)",
		"openapi:https://h/x?v=2":               "openapi:https://h/x?v=*** (b479)",
		"https://h/x?v=2&token=hunter2":         "https://h/x?v=***&token=*** (b479)",
		"https://h/x?token=hunter2":             "https://h/x?token=***",
		"https://h/x?id=ab12cd34ef56gh78ij90kl": "https://h/x?id=***",
		"https://u:p@h/x":                       "https://***@h/x",
		"https://h/x#bearer=A":                  "https://h/x#bearer=A",
		"dir/what?a=b.yaml":                     "dir/what?a=b.yaml",
	} {
		got, _ := Place(text)
		again, _ := Place(got)
		if got != want || again != want {
			t.Errorf("%s: %s, then %s", text, got, again)
		}
	}
}

package web

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A server that sends credentials back, however it writes them, does not make them known.
func TestEchoedCredentials(t *testing.T) {
	const token, user, password, key = `dG9r/ZW4+c2Vj"r\ZXQ=`, "ann.smith", "pässwörd-é/ü", "K3Y/val ue&more"
	values := map[string]string{"TOKEN": token, "USER": user, "PASSWORD": password, "KEY": key}
	pair := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	php := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "/", `\/`, "ä", `\u00e4`, "ö", `\u00F6`, "é",
		`\u00e9`, "ü", `\u00fc`).Replace
	for _, test := range []struct{ name, body string }{
		{"escaped slashes", `{"message": "bad ` + php(token) + ` and ` + php(password) + ` and ` + php(pair) + `"}`},
		{"escaped twice", fmt.Sprintf(`{"message": %q}`, `{"t": "`+php(token)+`", "p": "`+php(password)+`"}`)},
		{"the query", `{"message": "no such page: /a?x=1&api_key=K3Y%2Fval+ue%26more or api_key=K3Y%2fval%20ue%26more"}`},
		{"HTML in a text", `{"message": "K3Y/val ue&amp;more dG9r/ZW4+c2Vj&quot;r\\ZXQ= p&auml;ssw&#246;rd-&#xe9;/&uuml;"}`},
		{"a name", `{"` + php(token) + `": "` + php(password) + `"}`},
		{"cut in the middle", `{"message": "` + strings.Repeat("x", 280) + ` ` + php(token) + `"}`},
	} {
		for _, status := range []int{200, 403} {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("X-Echo", token)
				w.WriteHeader(status)
				io.WriteString(w, test.body)
			})
			vault := NewVault(func(name string) string { return values[name] }, nil)
			c := client(t, Options{Vault: vault}, s)
			var said []string
			for _, auth := range []Auth{
				{Kind: Bearer, Names: []string{"TOKEN"}}, {Kind: Basic, Names: []string{"USER", "PASSWORD"}},
				{Kind: Key, Names: []string{"KEY"}, Place: "query", Field: "api_key"},
			} {
				// Each is known once it was used.
				vault.Value(auth.Names[0])
			}
			for range 2 {
				answer, err := c.Do(t.Context(), Request{Method: "GET", URL: s.URL + "/a", JSON: true, Auth: [][]Auth{{
					{Kind: Basic, Names: []string{"USER", "PASSWORD"}},
					{Kind: Key, Names: []string{"KEY"}, Place: "query", Field: "api_key"},
				}}})
				said = append(said, fmt.Sprint(answer.Data, answer.Header, err))
			}
			for _, text := range said {
				for _, part := range []string{"ZW4+c2Vj", "c2Vj", "dG9r", "ssw", "rd-", "K3Y", "ue%26", pair[:12]} {
					if strings.Contains(text, part) {
						t.Errorf("%s, %d: %q is in %s", test.name, status, part, text)
					}
				}
			}
		}
	}
}

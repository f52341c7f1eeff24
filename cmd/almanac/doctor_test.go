package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/llm/openai/openaitest"
)

// TestDoctor shows that each thing that does not work fails with a remedy, that a server that never answers ends, and
// that no key is printed.
func TestDoctor(t *testing.T) {
	list := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body)) // nobody else is told
		}
	}
	for name, c := range map[string]struct {
		models             http.HandlerFunc
		data               string
		code               int
		check, state, text string
	}{
		"the model is there": {list(200, `{"data":[{"id":"scripted"}]}`), "data", exitOK, "model",
			checkOK, "the server answers"},
		"another model": {list(200, `{"data":[{"id":"other"}]}`), "data", exitOK,
			"model", checkNote, "has no scripted"},
		"a bad key": {list(401, `{"error":{"message":"bad sk-very-secret"}}`), "data",
			exitFailed, "model", checkFailed, ""},
		"a server in trouble": {list(500, ``), "data", exitFailed, "model", checkFailed, ""},
		"a server that hangs": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "data",
			exitFailed, "model", checkFailed, ""},
		"a folder in a file": {list(200, `{"data":[{"id":"scripted"}]}`), "file/data", exitFailed,
			"data folder", checkFailed, ""},
		"a folder that is new": {list(200, `{"data":[{"id":"scripted"}]}`), "new/data", exitOK,
			"data folder", checkOK, "writable"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			list := filepath.Join(dir, "one.jsonl")
			if err := os.WriteFile(list, []byte(`{"id":"a.b"}`), 0o600); err != nil {
				t.Fatal(err)
			}
			model := openaitest.New()
			defer model.Close()
			model.Models(c.models)
			for name, value := range map[string]string{
				"ALMANAC_DATA": filepath.Join(dir, c.data), "ALMANAC_CONFIG": os.DevNull, "OPENAI_API_KEY": "sk-very-secret",
				"ALMANAC_BASE_URL": model.URL(), "ALMANAC_MODEL": "scripted",
			} {
				t.Setenv(name, value)
			}
			var out, errs bytes.Buffer
			code := run([]string{"--catalog", list, "--output", "json", "doctor"}, strings.NewReader(""), &out, &errs)
			var got struct {
				Checks  []check
				Sources []sourceReport
			}
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatalf("%v: %s%s", err, out.String(), errs.String())
			}
			if code != c.code || strings.Contains(out.String()+errs.String(), "very-secret") || len(got.Sources) != 1 {
				t.Errorf("exit %d, want %d: %s%s", code, c.code, out.String(), errs.String())
			}
			for _, found := range got.Checks {
				if found.Name == c.check &&
					(found.State != c.state || !strings.Contains(found.Text, c.text) || (found.Remedy == "") != (c.state == checkOK)) {
					t.Errorf("%+v, want %s %q", found, c.state, c.text)
				}
			}
		})
	}
}

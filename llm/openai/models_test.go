package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/llm"
	"almanac/llm/openai/openaitest"
)

func TestModels(t *testing.T) {
	const key = "sk-very-secret"
	for _, test := range []struct {
		name   string
		status int
		body   string
		want   []llm.Model
		fails  string
	}{
		{"OpenAI", 200, `{"data":[{"id":"gpt-x","object":"model"}]}`, []llm.Model{{Name: "gpt-x"}}, ""},
		{"windows", 200,
			`{"data":[{"id":"a","max_model_len":8192},{"id":"b","context_length":32768},{"id":"c","context_window":131072},
			{"id":"d","max_context_length":4096,"loaded_context_length":2048},{"id":"e","meta":{"n_ctx_train":40960}},{"id":"f","context_length":-1}]}`,
			[]llm.Model{{Name: "a", Window: 8192}, {Name: "b", Window: 32768}, {Name: "c", Window: 131072},
				{Name: "d", Window: 2048}, {Name: "e", Window: 40960}, {Name: "f", Window: 0}}, ""},
		{"two lists", 200, `{"models":[{"name":"a"},{"name":"b"}],"data":[{"id":"b"}]}`,
			[]llm.Model{{Name: "b", Window: 0}, {Name: "a", Window: 0}}, ""},
		{"odd entries", 200,
			`{"data":[{"id":"a\u001b[2J"},{"id":"with blank"},{"id":""},7,{"id":"ok","context_length":"many"},{"id":"` +
				strings.Repeat("x", 300) + `"}]}`, []llm.Model{{Name: "ok", Window: 0}}, ""},
		{"none", 200, `{}`, nil, ""},
		{"no JSON", 200, `<html>`, nil, "the list of models is not JSON"},
		{"refused", 401, `{"error":{"message":"bad key sk-very-secret"}}`, nil, "[key]"},
		{"missing", 404, `not found`, nil, "404"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := openaitest.New()
			defer s.Close()
			s.Models(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer "+key {
					t.Errorf("authorization %q", r.Header.Get("Authorization"))
				}
				w.WriteHeader(test.status)
				fmt.Fprint(w, test.body)
			})
			got, err := New(Options{BaseURL: s.URL(), Key: key}).Models(t.Context())
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			switch {
			case (err != nil) != (test.fails != ""):
				t.Errorf("error %v", err)
			case err != nil && (!strings.Contains(err.Error(), test.fails) || strings.Contains(err.Error(), key)):
				t.Errorf("error %v, want %s", err, test.fails)
			}
		})
	}
}

func TestModelsInterrupted(t *testing.T) {
	s := openaitest.New()
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s.Models(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if _, err := New(Options{BaseURL: s.URL()}).Models(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

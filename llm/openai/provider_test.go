package openai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/llm"
	"almanac/llm/openai/openaitest"
)

const script = `{"script":"return catalog.search(\"unpaid\")"}`

// ask sends one request to a server with the replies and returns the response with the streamed text.
func ask(t *testing.T, replies ...openaitest.Reply) (llm.Response, string, error) {
	t.Helper()
	s := openaitest.New(replies...)
	t.Cleanup(s.Close)
	return askAt(t, New(Options{BaseURL: s.URL()}))
}

func askAt(t testing.TB, p *Provider) (llm.Response, string, error) {
	t.Helper()
	var heard strings.Builder
	r, err := p.Complete(t.Context(), llm.Request{
		Model: "small", System: "be brief", Messages: []llm.Message{{Role: llm.User, Text: "hi"}},
		Tools: []llm.Tool{{Name: "query", Description: "d", Schema: []byte(`{"type":"object"}`)}},
	}, func(p llm.Piece) { heard.WriteString(p.Text) })
	return r, heard.String(), err
}

// responseLine writes a response in one line.
func responseLine(r llm.Response) string {
	line := r.Text
	for _, c := range r.Calls {
		line += fmt.Sprintf("<%s %s %s>", c.ID, c.Name, c.Args)
	}
	return line
}

func TestAnswers(t *testing.T) {
	two := func(change func(*openaitest.Call)) []openaitest.Call {
		calls := []openaitest.Call{{Name: "query", Args: script}, {Name: "query", Args: `{"script":"return 2"}`}}
		for i := range calls {
			change(&calls[i])
		}
		return calls
	}
	const ids, made = "<call_1 query %[1]s><call_2 query %[2]s>", "<call00001 query %[1]s><call00002 query %[2]s>"
	for _, test := range []struct {
		name  string
		reply openaitest.Reply
		want  string
	}{
		{"text", openaitest.Reply{Text: "Hello you there"}, "Hello you there"},
		{"text in one chunk", openaitest.Reply{Text: "Grüße aus Köln", Chunk: 100}, "Grüße aus Köln"},
		{"text and call",
			openaitest.Reply{Text: "Look: ", Calls: []openaitest.Call{{Name: "query", Args: "{}"}}}, "Look: <call_1 query {}>"},
		{"fragments", openaitest.Reply{Calls: two(func(c *openaitest.Call) { c.Cuts = []int{1, 2, 10, 11} })}, ids},
		{"one chunk", openaitest.Reply{Calls: two(func(c *openaitest.Call) { c.OneChunk = true })}, ids},
		{"no index", openaitest.Reply{Calls: two(func(c *openaitest.Call) { c.NoIndex = true })}, ids},
		{"no id", openaitest.Reply{Calls: two(func(c *openaitest.Call) { c.NoID = true })}, made},
		{"neither", openaitest.Reply{Calls: two(func(c *openaitest.Call) { c.NoID, c.NoIndex = true, true })}, made},
		{"neither, one chunk",
			openaitest.Reply{Calls: two(func(c *openaitest.Call) { c.NoID, c.NoIndex, c.OneChunk = true, true, true })}, made},
		{"all numbered 0", openaitest.Reply{Calls: two(func(c *openaitest.Call) { c.ZeroIndex = true })}, ids},
		{"all numbered 0 without id",
			openaitest.Reply{Calls: two(func(c *openaitest.Call) { c.ZeroIndex, c.NoID, c.OneChunk = true, true, true })}, made},
		{"all numbered 0 with the same id",
			openaitest.Reply{Calls: two(func(c *openaitest.Call) { c.ZeroIndex, c.ID, c.OneChunk = true, "x", true })},
			"<x query %[1]s><call00001 query %[2]s>"},
		{"id and name in each fragment", openaitest.Reply{Calls: two(func(c *openaitest.Call) { c.Repeat = true })}, ids},
		{"arguments as objects", openaitest.Reply{Calls: two(func(c *openaitest.Call) { c.Object = true })}, ids},
		{"whole document",
			openaitest.Reply{Whole: true, Text: "All. ", Calls: two(func(*openaitest.Call) {})}, "All. " + ids},
		{"empty arguments", openaitest.Reply{Calls: []openaitest.Call{{Name: "a"}, {Name: "b"}}}, "<call_1 a ><call_2 b >"},
		{"no end mark", openaitest.Reply{Text: "Hello", NoDone: true}, "Hello"},
		{"no finish reason", openaitest.Reply{Text: "Hello", Finish: "-"}, "Hello"},
		{"comments and events",
			openaitest.Reply{Text: "Hello",
				Raw: []string{": OPENROUTER PROCESSING", "event: message\nid: 4\nretry: 3", "data:"}}, "Hello"},
		{"no space after data", openaitest.Reply{Raw: []string{`data:{"choices":[{"delta":{"content":"tight"}}]}`}}, "tight"},
		{"content in parts",
			openaitest.Reply{Raw: []string{`data: {"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]}`}}, "ab"},
		{"arguments sent twice", openaitest.Reply{Raw: []string{
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"q","arguments":"{\"a\":1}"}}]}}]}`,
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]}}]}`,
		}}, `<a q {"a":1}>`},
		{"another choice",
			openaitest.Reply{Raw: []string{`data: {"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"}}]}`}}, "yes"},
		{"refusal", openaitest.Reply{Raw: []string{`data: {"choices":[{"delta":{"refusal":"I will not"}}]}`}}, "I will not"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, heard, err := ask(t, test.reply)
			if err != nil {
				t.Fatal(err)
			}
			want := test.want
			if strings.Contains(want, "%") {
				want = fmt.Sprintf(want, script, `{"script":"return 2"}`)
			}
			if got := responseLine(r); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if heard != r.Text {
				t.Errorf("heard %q, text %q", heard, r.Text)
			}
		})
	}
}

func TestStopAndUsage(t *testing.T) {
	r, _, err := ask(t, openaitest.Reply{Text: "cut off here", Finish: "length"})
	if err != nil || r.Stop != llm.StopLength || r.Usage.Input == 0 || r.Usage.Output != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	r, _, err = ask(t, openaitest.Reply{Text: "free of charge", NoUsage: true})
	if err != nil || r.Usage != (llm.Usage{}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestFailures(t *testing.T) {
	for _, test := range []struct {
		name  string
		reply openaitest.Reply
		kind  llm.ErrorKind
		want  string // a part of the error
	}{
		{"key", openaitest.Reply{Status: 401, Body: `{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}`},
			llm.BadKey, "401 Unauthorized: Incorrect API key; check the key"},
		{"model", openaitest.Reply{Status: 404,
			Body: `{"error":{"message":"model \"small\" not found, try pulling it first"}}`},
			llm.NoModel, "model small: unknown at"},
		{"path", openaitest.Reply{Status: 404, Body: "404 page not found"}, llm.NotAnAPI, "usually ends in /v1"},
		{"too long", openaitest.Reply{Status: 400,
			Body: `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`},
			llm.TooLong, "longer than its context"},
		{"no tools", openaitest.Reply{Status: 400, Body: `{"error":"small does not support tools"}`}, llm.NoTools,
			"model small: no tool calling"},
		{"no tools, Ollama", openaitest.Reply{Status: 400, Body: `{"error":{"message":` +
			`"registry.ollama.ai/library/gemma3:4b does not support tools","type":"api_error","param":null,"code":null}}`},
			llm.NoTools, "tools; choose a model with tools; those of Ollama"},
		{"no tools, llama.cpp",
			openaitest.Reply{Status: 500, Body: `{"error":{"code":500,"message":"tools param requires --jinja flag"}}`},
			llm.NoTools, "flag; start llama-server with --jinja"},
		{"no tools, vLLM", openaitest.Reply{Status: 400, Body: `{"object":"error","message":"\"auto\" tool choice requires ` +
			`--enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`},
			llm.NoTools, "set; start vLLM with --enable-auto-tool-choice --tool-call-parser NAME"},
		{"no tools, OpenRouter", openaitest.Reply{Status: 404, Body: `{"error":{"message":"No endpoints found that support ` +
			`tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}`},
			llm.NoTools, "provider-routing; choose a model with tools: openrouter.ai/models"},
		{"no tools, Groq", openaitest.Reply{Status: 400, Body: `{"error":{"message":"` + "`tool calling` is not supported " +
			`with this model","type":"invalid_request_error"}}`}, llm.NoTools, "choose a model that supports tool calling"},
		{"template, LM Studio", openaitest.Reply{Status: 400,
			Body: `{"error":"Error rendering prompt with jinja template: \"Cannot call something that is not a function\"."}`},
			llm.BadRequest, "choose another template there"},
		{"rate", openaitest.Reply{Status: 429, Header: map[string]string{"Retry-After": "7"}},
			llm.RateLimited, "asks us to wait 7s"},
		{"quota", openaitest.Reply{Status: 429, Body: `{"error":{"message":"You exceeded","code":"insufficient_quota"}}`},
			llm.NoQuota, "balance"},
		{"loading", openaitest.Reply{Status: 503, Body: `{"error":{"message":"Loading model"}}`}, llm.ServerFault,
			"503 Service Unavailable: Loading model"},
		{"message at the top", openaitest.Reply{Status: 400, Body: `{"object":"error","message":"bad temperature"}`},
			llm.BadRequest, "bad temperature"},
		{"detail", openaitest.Reply{Status: 422, Body: `{"detail":[{"loc":["body","x"],"msg":"extra"}]}`},
			llm.BadRequest, `"msg":"extra"`},
		{"error in a list", openaitest.Reply{Status: 400, Body: `[{"error":{"message":"API key expired","code":400}}]`},
			llm.BadRequest, "API key expired"},
		{"page with failure", openaitest.Reply{Status: 502, Body: "<html><head><title>Bad\ngateway</title></head></html>"},
			llm.ServerFault, "502 Bad Gateway: Bad gateway"},
		{"page instead of an answer", openaitest.Reply{Status: 200, Body: "\n<!doctype html><title>Welcome</title>"},
			llm.NotAnAPI, "answered with a web page (Welcome)"},
		{"error document with status 200",
			openaitest.Reply{Status: 200, Body: `{"error":{"message":"upstream is down","code":502}}`},
			llm.ServerFault, "upstream is down"},
		{"empty body", openaitest.Reply{Status: 200, Body: " "}, llm.Broken, "in the middle of the answer"},
		{"error in the stream",
			openaitest.Reply{Text: "Half", Raw: []string{`data: {"error":{"message":"overloaded","code":"server_error"}}`}},
			llm.ServerFault, "overloaded"},
		{"error as text in the stream",
			openaitest.Reply{Raw: []string{": wait", "event: error", `data: {"error":"out of memory"}`}},
			llm.ServerFault, "out of memory"},
		{"error beside choices",
			openaitest.Reply{Raw: []string{`data: {"id":"x","error":{"code":429,"message":"slow down"},` +
				`"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`}}, llm.RateLimited, "slow down"},
		{"error within a choice",
			openaitest.Reply{Raw: []string{`data: {"choices":[{"error":{"code":502,"message":"cut"},"delta":{}}]}`}},
			llm.ServerFault, "cut"},
		{"error without data", openaitest.Reply{Raw: []string{`{"error":{"message":"bare"}}`}}, llm.ServerFault, "bare"},
		{"error object",
			openaitest.Reply{Raw: []string{`data: {"object":"error","message":"boom","code":500}`}}, llm.ServerFault, "boom"},
		{"garbage", openaitest.Reply{Raw: []string{`data: {"choices":[{`}}, llm.Broken, "unreadable chunk"},
		{"cut", openaitest.Reply{Text: "Half", Cut: true}, llm.Broken, "unexpected EOF"},
		{"ends early", openaitest.Reply{Text: "Half", Finish: "-", NoDone: true}, llm.Broken,
			"the stream ended in the middle of the answer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, heard, err := ask(t, test.reply)
			var e *llm.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if e.Kind != test.kind || !strings.Contains(err.Error(), test.want) {
				t.Errorf("kind %s: %v\nwant %s: %s", e.Kind, err, test.kind, test.want)
			}
			if heard != test.reply.Text {
				t.Errorf("heard %q", heard)
			}
		})
	}
}

func TestRetryAfterForms(t *testing.T) {
	for header, want := range map[string]time.Duration{"2": 2 * time.Second, "0.5": time.Second / 2, "-1": 0, "soon": 0,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0} {
		_, _, err := ask(t, openaitest.Reply{Status: 429, Header: map[string]string{"Retry-After": header}})
		var e *llm.Error
		if !errors.As(err, &e) || e.RetryAfter != want {
			t.Errorf("Retry-After %s: %v", header, err)
		}
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, _, err = askAt(t, New(Options{BaseURL: address}))
	want := "model server http://" + address +
		"/v1: connection refused; check that the server is running, or set another base URL"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, _, err = askAt(t, New(Options{}))
	if err == nil || !strings.Contains(err.Error(), "set OPENAI_API_KEY") {
		t.Errorf("without anything: %v", err)
	}
	_, _, err = askAt(t, New(Options{BaseURL: "ftp://x"}))
	if err == nil || !strings.Contains(err.Error(), "not an http address") {
		t.Errorf("ftp: %v", err)
	}
}

func TestKeyIsSentAndNeverTold(t *testing.T) {
	s := openaitest.New(openaitest.Reply{Status: 401, Body: `{"error":{"message":"no such key: sk-secret"}}`})
	defer s.Close()
	_, _, err := askAt(t, New(Options{BaseURL: s.URL(), Key: "sk-secret"}))
	if err == nil || strings.Contains(err.Error(), "sk-secret") || !strings.Contains(err.Error(), "[key]") {
		t.Errorf("error %v", err)
	}
	if got := s.Requests()[0].Header.Get("Authorization"); got != "Bearer sk-secret" {
		t.Errorf("authorization %q", got)
	}
}

func TestServerThatRefusesToTellUsage(t *testing.T) {
	s := openaitest.New(openaitest.Reply{Text: "one"}, openaitest.Reply{Text: "two"})
	defer s.Close()
	s.Refuse("stream_options")
	p := New(Options{BaseURL: s.URL()})
	for _, want := range []string{"one", "two"} {
		if r, _, err := askAt(t, p); err != nil || r.Text != want {
			t.Fatalf("%q, %v", r.Text, err)
		}
	}
	var asked []bool
	for _, r := range s.Requests() {
		asked = append(asked, r.Usage)
	}
	if d := cmp.Diff([]bool{true, false, false}, asked); d != "" {
		t.Errorf("asked for usage: %s", d)
	}
}

// TestReasoning shows that both names of a server's reasoning are read, streamed and whole, and its counts with it.
func TestReasoning(t *testing.T) {
	counts := map[string]any{
		"prompt_tokens": 90, "completion_tokens": 50,
		"prompt_tokens_details":     map[string]any{"cached_tokens": 64},
		"completion_tokens_details": map[string]any{"reasoning_tokens": 40},
	}
	for _, reply := range []openaitest.Reply{
		{},
		{ReasoningField: "reasoning"},
		{ReasoningField: "reasoning", Whole: true},
		{Raw: []string{`data: {"choices":[{"index":0,"delta":{"reasoning":" Two.","reasoning_content":" Two."}}]}`},
			Reasoning: "One."},
	} {
		reply.Text, reply.Usage = "Three.", counts
		if reply.Reasoning == "" {
			reply.Reasoning = "One. Two."
		}
		s := openaitest.New(reply)
		defer s.Close()
		var thought, said strings.Builder
		r, err := New(Options{BaseURL: s.URL()}).Complete(t.Context(),
			llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Text: "x"}}}, func(p llm.Piece) {
				thought.WriteString(p.Reasoning)
				said.WriteString(p.Text)
			})
		want := llm.Response{Text: "Three.", Reasoning: "One. Two.", Stop: "stop",
			Usage: llm.Usage{Input: 90, Output: 50, Cached: 64, Reasoning: 40}}
		if diff := cmp.Diff(want, r); err != nil || diff != "" {
			t.Errorf("%+v: %v (-want +got)\n%s", reply, err, diff)
		}
		if thought.String() != r.Reasoning || said.String() != r.Text {
			t.Errorf("heard %q, %q", thought.String(), said.String())
		}
	}
}

func TestInterruptEndsTheStream(t *testing.T) {
	s := openaitest.New(openaitest.Reply{Text: "I begin", Hang: true})
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var heard strings.Builder
	_, err := New(Options{BaseURL: s.URL()}).Complete(ctx,
		llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Text: "x"}}}, func(p llm.Piece) {
			heard.WriteString(p.Text)
			if heard.String() == "I begin" {
				cancel()
			}
		})
	if !errors.Is(err, context.Canceled) || heard.String() != "I begin" {
		t.Errorf("%v after %q", err, heard.String())
	}
}

func TestRequestForm(t *testing.T) {
	s := openaitest.New(openaitest.Reply{Text: "ok"})
	defer s.Close()
	_, err := New(Options{BaseURL: s.URL()}).Complete(t.Context(), llm.Request{
		Model: "small", System: "sys",
		Messages: []llm.Message{
			{Role: llm.User, Text: "hi"},
			{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "a", Name: "query"}}, Reasoning: "hm"},
			{Role: llm.ToolRole, CallID: "a", Text: "found"},
		},
		Tools: []llm.Tool{{Name: "query", Description: "find", Schema: []byte(`{"type":"object"}`)}},
	}, func(llm.Piece) {})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"small","messages":[{"role":"system","content":"sys"},{"role":"user","content":"hi"},` +
		`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"query","arguments":"{}"}}]},` +
		`{"role":"tool","content":"found","tool_call_id":"a"}],"stream":true,` +
		`"tools":[{"function":{"name":"query","description":"find","parameters":{"type":"object"}},"type":"function"}],` +
		`"stream_options":{"include_usage":true}}`
	if d := cmp.Diff(want, strings.TrimSpace(string(s.Requests()[0].Body))); d != "" {
		t.Error(d)
	}
}

func TestBaseURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "https://api.openai.com/v1",
		"http://localhost:11434":    "http://localhost:11434/v1",
		"http://localhost:11434/":   "http://localhost:11434/v1",
		"http://localhost:11434/v1": "http://localhost:11434/v1",
		"http://localhost:11434/v1/chat/completions": "http://localhost:11434/v1",
		"localhost:11434":              "http://localhost:11434/v1",
		"127.0.0.1:8080/v1/":           "http://127.0.0.1:8080/v1",
		"[::1]:8080":                   "http://[::1]:8080/v1",
		"api.example.com":              "https://api.example.com/v1",
		"https://openrouter.ai/api/v1": "https://openrouter.ai/api/v1",
	} {
		if got, err := baseURL(in); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"ftp://x", "http://", "http://%zz"} {
		if got, err := baseURL(in); err == nil {
			t.Errorf("%q: %q", in, got)
		}
	}
}

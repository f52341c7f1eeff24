package openai

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/llm"
	"almanac/llm/openai/openaitest"
)

// askBoth gives the reply over both interfaces and returns what came of each: the response, what was heard, the error.
func askBoth(t *testing.T, reply openaitest.Reply) (chat, responses string) {
	t.Helper()
	over := func(api string) string {
		s := openaitest.New(reply)
		defer s.Close()
		r, heard, err := askAt(t, New(Options{BaseURL: s.URL(), API: api}))
		var e *llm.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%s: %T %v", api, err, err)
		}
		if e != nil {
			text := fmt.Sprintf("heard %q\n%s: %v", heard, e.Kind, e)
			return strings.ReplaceAll(text, s.URL(), "URL")
		}
		if heard != r.Text {
			t.Errorf("%s: heard %q, text %q", api, heard, r.Text)
		}
		return fmt.Sprintf("%s\nthought: %s\nstop: %s\nusage: %+v", responseLine(r), r.Reasoning, r.Stop, r.Usage)
	}
	return over(ChatAPI), over(ResponsesAPI)
}

// TestBothInterfaces: the same script gives the same response over both.
func TestBothInterfaces(t *testing.T) {
	call := openaitest.Call{Name: "query", Args: script}
	usage := map[string]any{
		"prompt_tokens": 100, "completion_tokens": 20,
		"prompt_tokens_details":     map[string]any{"cached_tokens": 64},
		"completion_tokens_details": map[string]any{"reasoning_tokens": 12},
	}
	for name, reply := range map[string]openaitest.Reply{
		"text":              {Text: "Hello you there", Usage: usage},
		"reasoning":         {Reasoning: "let me see now", Text: "Hello", Usage: usage},
		"calls":             {Text: "Look: ", Calls: []openaitest.Call{call, call}, Usage: usage},
		"one chunk":         {Calls: []openaitest.Call{{Name: "query", Args: script, OneChunk: true}}, Usage: usage},
		"object":            {Calls: []openaitest.Call{{Name: "query", Args: script, Object: true}}, Usage: usage},
		"no ids":            {Calls: []openaitest.Call{{Name: "a", NoID: true}, {Name: "b", NoID: true}}, Usage: usage},
		"same ids":          {Calls: []openaitest.Call{{Name: "a", ID: "x"}, {Name: "b", ID: "x"}}, Usage: usage},
		"malformed":         {Calls: []openaitest.Call{{Name: "query", Args: `{"script":`}}, Usage: usage},
		"whole":             {Whole: true, Text: "All. ", Calls: []openaitest.Call{call}, Usage: usage},
		"output limit":      {Text: "cut off", Finish: "length", Usage: usage},
		"filter":            {Text: "cut off", Finish: "content_filter", Usage: usage},
		"no usage":          {Text: "free", NoUsage: true},
		"comments":          {Text: "Hello", Raw: []string{": wait"}, Usage: usage},
		"key":               {Status: 401, Body: `{"error":{"message":"Incorrect API key"}}`},
		"model":             {Status: 404, Body: `{"error":{"message":"model \"small\" not found"}}`},
		"too long":          {Status: 400, Body: `{"error":{"code":"context_length_exceeded","message":"too much"}}`},
		"rate":              {Status: 429, Header: map[string]string{"Retry-After": "7"}},
		"no tools":          {Status: 400, Body: `{"error":"small does not support tools"}`},
		"page":              {Status: 200, Body: "<title>Welcome</title>"},
		"empty":             {Status: 200, Body: " "},
		"cut":               {Text: "Half", Cut: true},
		"ends early":        {Text: "Half", Finish: "-", NoDone: true},
		"error event":       {Text: "Half", Raw: []string{`data: {"error":{"message":"overloaded","code":"server_error"}}`}},
		"error in document": {Status: 200, Body: `{"error":{"message":"upstream is down","code":502}}`},
	} {
		t.Run(name, func(t *testing.T) {
			chat, responses := askBoth(t, reply)
			if d := cmp.Diff(chat, responses); d != "" {
				t.Errorf("(-chat +responses)\n%s", d)
			}
		})
	}
}

func TestBothInterfacesRandom(t *testing.T) {
	words := []string{"ja ", "Grüße ", "<tag> ", "\n\n", `"quoted" `, "💡", "a\\b "}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := func() (all string) {
			for range r.IntN(6) {
				all += words[r.IntN(len(words))]
			}
			return all
		}
		reply := openaitest.Reply{
			Text: text(), Reasoning: text(), NoUsage: r.IntN(2) == 0, Whole: r.IntN(4) == 0, Cut: r.IntN(6) == 0,
			Usage:  map[string]any{"prompt_tokens": r.IntN(99), "completion_tokens": r.IntN(99)},
			Finish: []string{"", "length", "content_filter"}[r.IntN(3)],
		}
		for range r.IntN(4) {
			reply.Calls = append(reply.Calls, openaitest.Call{
				Name: words[0], Args: fmt.Sprintf(`{"script":%q}`, text()), NoID: r.IntN(3) == 0, OneChunk: r.IntN(2) == 0,
			})
		}
		chat, responses := askBoth(t, reply)
		if d := cmp.Diff(chat, responses); d != "" {
			t.Errorf("%+v\n(-chat +responses)\n%s", reply, d)
		}
	}
}

func TestResponsesRequest(t *testing.T) {
	s := openaitest.New(
		openaitest.Reply{Reasoning: "which one",
			Calls: []openaitest.Call{{Name: "query", Args: "{}"}, {Name: "query", Args: "{}"}}},
		openaitest.Reply{Text: "done"}, openaitest.Reply{Text: "well"})
	defer s.Close()
	p := New(Options{BaseURL: s.URL(), API: ResponsesAPI})
	r := llm.Request{
		Model: "small", System: "sys", Messages: []llm.Message{{Role: llm.User, Text: "hi"}},
		Tools: []llm.Tool{{Name: "query", Description: "find", Schema: []byte(`{"type":"object"}`)}},
	}
	send := func(m ...llm.Message) llm.Response {
		r.Messages = append(r.Messages, m...)
		response, err := p.Complete(t.Context(), r, func(llm.Piece) {})
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	asked := send()
	send(llm.Message{Role: llm.Assistant, Text: "Look.", Calls: asked.Calls},
		llm.Message{Role: llm.ToolRole, CallID: "call_1", Text: "found"}, llm.Message{Role: llm.ToolRole, CallID: "call_2"})
	send(llm.Message{Role: llm.Assistant, Text: "done"}, llm.Message{Role: llm.User, Text: "more"})
	const common = `"instructions":"sys","model":"small","reasoning":{"summary":"auto"},"store":false,"stream":true,` +
		`"tools":[{"description":"find","name":"query","parameters":{"type":"object"},"strict":false,"type":"function"}]}`
	const thought = `{"encrypted_content":"encrypted: which one","id":"rs_1",` +
		`"summary":[{"type":"summary_text","text":"which one"}],"type":"reasoning"},`
	turn := func(thought string) string {
		return `{"type":"message","role":"user","content":"hi"},{"type":"message","role":"assistant","content":"Look."},` +
			thought + `{"type":"function_call","call_id":"call_1","name":"query","arguments":"{}"},` +
			`{"type":"function_call","call_id":"call_2","name":"query","arguments":"{}"},` +
			`{"type":"function_call_output","call_id":"call_1","output":"found"},` +
			`{"type":"function_call_output","call_id":"call_2","output":""}`
	}
	for i, input := range []string{
		`{"type":"message","role":"user","content":"hi"}`,
		turn(thought), // goes back while the turn runs, and no longer
		turn("") + `,{"type":"message","role":"assistant","content":"done"},{"type":"message","role":"user","content":"more"}`,
	} {
		want := `{"include":["reasoning.encrypted_content"],"input":[` + input + `],` + common
		if d := cmp.Diff(want, string(s.Requests()[i].Body)); d != "" {
			t.Errorf("request %d: %s", i+1, d)
		}
	}
}

// TestThoughtsOfAnotherModel: what one model thought is not sent to another.
func TestThoughtsOfAnotherModel(t *testing.T) {
	reply := openaitest.Reply{Reasoning: "hm", Calls: []openaitest.Call{{Name: "query", Args: "{}"}}}
	s := openaitest.New(reply, openaitest.Reply{Text: "a"}, openaitest.Reply{Text: "b"})
	defer s.Close()
	p := New(Options{BaseURL: s.URL(), API: ResponsesAPI})
	r := llm.Request{Model: "small", Messages: []llm.Message{{Role: llm.User, Text: "hi"}}}
	first, err := p.Complete(t.Context(), r, func(llm.Piece) {})
	if err != nil {
		t.Fatal(err)
	}
	r.Messages = append(r.Messages, llm.Message{Role: llm.Assistant, Calls: first.Calls},
		llm.Message{Role: llm.ToolRole, CallID: first.Calls[0].ID, Text: "x"})
	for i, model := range []string{"small", "large"} {
		r.Model = model
		if _, err := p.Complete(t.Context(), r, func(llm.Piece) {}); err != nil {
			t.Fatal(err)
		}
		if got := len(s.Requests()[i+1].Thoughts); got != 1-i {
			t.Errorf("%s got %d thoughts", model, got)
		}
	}
}

func TestThoughtsAreBounded(t *testing.T) {
	var store thoughtStore
	for i := range 2 * maxThoughts {
		store.keep([]thought{{"m", fmt.Sprint(i), make([]byte, 1+i%2*maxThoughtBytes/8)}})
		if len(store.kept) > maxThoughts || store.size > maxThoughtBytes {
			t.Fatalf("%d thoughts, %d bytes", len(store.kept), store.size)
		}
	}
	if store.before("m", fmt.Sprint(2*maxThoughts-1)) == nil || store.before("m", "0") != nil {
		t.Error("the newest are not kept, or the oldest are")
	}
}

// TestChatRefused: the words with which servers send a model to the Responses interface.
func TestChatRefused(t *testing.T) {
	for _, refusal := range []openaitest.Reply{
		{Status: 404, Body: `{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions."}}`},
		{Status: 400, Body: `{"error":{"message":"Function tools with reasoning_effort are not supported for gpt-5.4 in ` +
			`/v1/chat/completions. Please use /v1/responses instead.","param":"reasoning_effort"}}`},
		{Status: 404, Body: `{"error":{"message":"This is not a chat model and thus not supported in the v1/chat/completions ` +
			`endpoint. Did you mean to use v1/completions?"}}`},
		{Status: 400, Body: `{"error":{"message":"model gpt-5.3-codex is not accessible via the /chat/completions endpoint",` +
			`"code":"unsupported_api_for_model"}}`},
		{Status: 400, Body: `{"error":{"code":"OperationNotSupported","message":"The chatCompletion operation does not work ` +
			`with the specified model, gpt-5-codex. Please choose different model and try again."}}`},
	} {
		s := openaitest.New(refusal, openaitest.Reply{Text: "one"}, openaitest.Reply{Text: "two"}, refusal)
		defer s.Close()
		p := New(Options{BaseURL: s.URL()})
		for _, want := range []string{"one", "two"} {
			if r, heard, err := askAt(t, p); err != nil || r.Text != want || heard != want {
				t.Errorf("%s\n%q, heard %q, %v", refusal.Body, r.Text, heard, err)
			}
		}
		var paths []string
		for _, r := range s.Requests() {
			paths = append(paths, r.Path)
		}
		if got := strings.Join(paths, " "); got != "/chat/completions /responses /responses" {
			t.Errorf("asked %s", got)
		}
		_, _, err := askAt(t, New(Options{BaseURL: s.URL(), API: ChatAPI}))
		if err == nil || !strings.Contains(err.Error(), `api = "responses"`) {
			t.Errorf("chat only: %v", err)
		}
	}
}

// TestNoResponses: where the Responses interface is missing, too, the first error is told.
func TestNoResponses(t *testing.T) {
	s := openaitest.New(openaitest.Reply{Status: 404, Body: `{"error":{"message":"x is not supported, use v1/responses"}}`},
		openaitest.Reply{Status: 404, Body: "404 page not found"})
	defer s.Close()
	_, _, err := askAt(t, New(Options{BaseURL: s.URL()}))
	if err == nil || !strings.Contains(err.Error(), "use v1/responses") {
		t.Errorf("error %v", err)
	}
	s.Add(openaitest.Reply{Status: 404, Body: "404 page not found"})
	_, _, err = askAt(t, New(Options{BaseURL: s.URL(), API: ResponsesAPI}))
	if err == nil || !strings.Contains(err.Error(), `api = "chat"`) {
		t.Errorf("error %v", err)
	}
	_, _, err = askAt(t, New(Options{BaseURL: s.URL(), API: "soap"}))
	if err == nil || err.Error() != `model server: api "soap": unknown; the interfaces are chat and responses` {
		t.Errorf("error %v", err)
	}
}

// TestRefusedFields: what a server does not take is left out from then on.
func TestRefusedFields(t *testing.T) {
	refusal := func(message string) openaitest.Reply {
		return openaitest.Reply{Status: http.StatusBadRequest, Body: `{"error":{"message":"` + message + `"}}`}
	}
	for _, test := range []struct {
		refusals []openaitest.Reply
		left     string
	}{
		{[]openaitest.Reply{refusal("Encrypted content is not supported with this model.")}, "reasoning"},
		{[]openaitest.Reply{refusal("Unsupported parameter: 'reasoning.summary' is not supported with this model.")}, "include"},
		{[]openaitest.Reply{refusal("Your organization must be verified to generate reasoning summaries.")}, "include"},
		{[]openaitest.Reply{refusal("Unknown parameter: 'reasoning'."), refusal("Unknown parameter: 'include'.")}, ""},
	} {
		s := openaitest.New(append(test.refusals, openaitest.Reply{Text: "one"}, openaitest.Reply{Text: "two"})...)
		defer s.Close()
		p := New(Options{BaseURL: s.URL(), API: ResponsesAPI})
		for _, want := range []string{"one", "two"} {
			if r, _, err := askAt(t, p); err != nil || r.Text != want {
				t.Errorf("%q, %v", r.Text, err)
			}
		}
		all := s.Requests()
		if len(all) != len(test.refusals)+2 {
			t.Errorf("%d requests", len(all))
		}
		for _, name := range []string{"include", "reasoning"} {
			if has := strings.Contains(string(all[len(all)-1].Body), `"`+name+`":`); has != (name == test.left) {
				t.Errorf("%s in the last request: %v", name, has)
			}
		}
	}
}

// TestOddEvents are streams that differ from OpenAI's.
func TestOddEvents(t *testing.T) {
	for _, test := range []struct{ name, want, stream string }{
		{"only the end", "Hi.<c1 query {}>", `data: {"type":"response.completed","response":{"output":[
			{"type":"message","content":[{"type":"output_text","text":"Hi."}]},
			{"type":"function_call","call_id":"c1","name":"query","arguments":"{}"}]}}`},
		{"nothing is numbered", `Hi.<c1 a {"x":1}><c2 b {}>`, `data: {"type":"response.output_text.delta","delta":"Hi."}
			data: {"type":"response.output_item.added","item":{"type":"function_call","call_id":"c1","name":"a"}}
			data: {"type":"response.function_call_arguments.delta","delta":"{\"x\":"}
			data: {"type":"response.function_call_arguments.delta","delta":"1}"}
			data: {"type":"response.output_item.added","item":{"type":"function_call","call_id":"c2","name":"b"}}
			data: {"type":"response.function_call_arguments.done","arguments":"{}"}
			data: {"type":"response.completed"}`},
		{"interleaved", `<c1 a [1]><c2 b [2]>`, `data: {"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"c1","name":"a"}}
			data: {"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"c2","name":"b"}}
			data: {"type":"response.function_call_arguments.delta","output_index":2,"delta":"[2"}
			data: {"type":"response.function_call_arguments.delta","output_index":1,"delta":"[1"}
			data: {"type":"response.function_call_arguments.delta","output_index":2,"delta":"]"}
			data: {"type":"response.function_call_arguments.delta","output_index":1,"delta":"]"}
			data: {"type":"response.completed"}`},
		{"no deltas", "Whole.", `data: {"type":"response.output_item.done","item":{"type":"message","content":[{"text":"Whole."}]}}
			data: {"type":"response.completed","response":{"output":[{"type":"message","content":[{"text":"Whole."}]}]}}`},
		{"refusal", "I will not.", `data: {"type":"response.refusal.delta","delta":"I will not."}
			data: {"type":"response.completed"}`},
		{"two messages", "First.\n\nSecond.", `data: {"type":"response.output_text.delta","output_index":0,"delta":"First."}
			data: {"type":"response.output_text.delta","output_index":1,"delta":"Second."}
			data: {"type":"response.completed"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			stream := strings.ReplaceAll(strings.ReplaceAll(test.stream, "\n\t\t\tdata:", "\ndata:"), "\n\t\t\t", "")
			r, heard, err := askAt(t, New(Options{BaseURL: "http://x", API: ResponsesAPI, HTTP: answering(stream)}))
			if err != nil || responseLine(r) != test.want || heard != r.Text {
				t.Errorf("%s, heard %q, %v\nwant %s", responseLine(r), heard, err, test.want)
			}
		})
	}
}

func TestFailedResponses(t *testing.T) {
	for _, test := range []struct {
		kind   llm.ErrorKind
		want   string
		stream string
	}{
		{llm.ServerFault, "it broke", `data: {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"it broke"}}}`},
		{llm.RateLimited, "slow down", `data: {"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null}`},
		{llm.TooLong, "longer than its context", `data: {"type":"error","error":{"code":"context_length_exceeded","message":"too much"}}`},
		{llm.ServerFault, "gave up", `data: {"type":"response.cancelled","response":{"status":"cancelled"}}`},
		{llm.Broken, "unreadable event", "data: {"},
		{llm.Broken, "in the middle", `data: {"type":"response.created"}`},
		{llm.Broken, "in the middle", "data: [DONE]"},
	} {
		_, _, err := askAt(t, New(Options{BaseURL: "http://x", API: ResponsesAPI, HTTP: answering(test.stream)}))
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != test.kind || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\n%v, want %s %s", test.stream, err, test.kind, test.want)
		}
	}
}

// TestEndless: an answer without an end is cut off over both interfaces, and nobody is asked the same again.
func TestEndless(t *testing.T) {
	long := strings.Repeat("and so on ", maxAnswer/10+1)
	for name, test := range map[string]struct {
		reply openaitest.Reply
		want  string
	}{
		"text":      {openaitest.Reply{Text: long, Chunk: 1 << 16}, "longer than 4 MiB"},
		"reasoning": {openaitest.Reply{Reasoning: long, Chunk: 1 << 16}, "longer than 4 MiB"},
		"arguments": {openaitest.Reply{Calls: []openaitest.Call{{Name: "execute", Args: long, OneChunk: true}}},
			"longer than 4 MiB"},
		"calls": {openaitest.Reply{Calls: slices.Repeat([]openaitest.Call{{Name: "query", Args: "{}"}}, maxCalls+1)},
			"more than 64 tool calls"},
	} {
		for _, api := range []string{ChatAPI, ResponsesAPI} {
			s := openaitest.New(test.reply)
			_, _, err := askAt(t, New(Options{BaseURL: s.URL(), API: api}))
			s.Close()
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != llm.Endless || e.Temporary() || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s over %s: got %v, want %q", name, api, err, test.want)
			}
		}
	}
}

package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMain makes the test binary a server of the kind that ALMANAC_TEST_SERVER names.
func TestMain(m *testing.M) {
	if kind := os.Getenv("ALMANAC_TEST_SERVER"); kind != "" {
		serveAs(kind)
		return
	}
	os.Exit(m.Run())
}

// serveAs behaves, or misbehaves, as its kind says.
func serveAs(kind string) {
	kind, arg, _ := strings.Cut(kind, "=")
	switch kind {
	case "good":
		_ = goodServer().Run(context.Background(), &sdk.StdioTransport{})
	case "asks":
		_ = askingServer().Run(context.Background(), &sdk.StdioTransport{})
	case "talks": // writes on its standard output what is no message
		fmt.Println("Listening on stdio")
		fmt.Println(`{"level":"info","msg":"ready"}`)
		fmt.Println("[1, 2")
		_ = goodServer().Run(context.Background(), &sdk.StdioTransport{})
	case "crash":
		fmt.Fprintln(os.Stderr, "cannot open the database: secret-value-1")
		os.Exit(3)
	case "silent":
		bufio.NewScanner(os.Stdin).Scan()
		time.Sleep(time.Hour)
	case "parent": // starts one that is deaf, and is killed
		p, err := start(endpoint{Command: []string{os.Args[0]}, Env: map[string]string{"ALMANAC_TEST_SERVER": "deaf"}})
		if err != nil {
			panic(err)
		}
		fmt.Println(p.cmd.Process.Pid)
		time.Sleep(time.Hour)
	case "deaf":
		time.Sleep(time.Hour)
	case "noise":
		line := strings.Repeat("noise ", 10_000)
		for {
			if _, err := fmt.Println(line); err != nil {
				return
			}
		}
	case "refuses": // to end
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		child := exec.Command("sleep", "1000")
		if err := child.Start(); err != nil {
			panic(err)
		}
		_ = os.WriteFile(os.Getenv("PID_FILE"), []byte(strconv.Itoa(child.Process.Pid)), 0o600)
		answer(map[string]string{})
		time.Sleep(time.Hour)
	case "answers":
		var answers map[string]string
		if err := json.Unmarshal([]byte(arg), &answers); err != nil {
			panic(err)
		}
		answer(answers)
	case "strict": // says nothing to what it does not know, as some servers do, and greets only as it used to
		var answers map[string]string
		if err := json.Unmarshal([]byte(arg), &answers); err != nil {
			panic(err)
		}
		answers["server/discover"] = "hang"
		answer(answers)
	case "modern": // refuses the handshake, and what does not name the version without one
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			var m struct {
				ID     json.RawMessage
				Method string
				Params struct {
					Meta map[string]any `json:"_meta"`
				}
			}
			if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
				continue
			}
			said := `"error":{"code":-32022,"message":"unsupported protocol version","data":{"supported":["` +
				modernVersion + `"]}}`
			if m.Params.Meta[sdk.MetaKeyProtocolVersion] == modernVersion {
				said = `"result":` + map[string]string{
					"server/discover": `{"resultType":"complete","supportedVersions":["` + modernVersion + `"],` +
						`"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`,
					"tools/list": `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[` +
						`{"name":"get_sum","inputSchema":{"type":"object"}}]}`,
					"tools/call": `{"resultType":"complete","content":[{"type":"text","text":"42"}]}`,
				}[m.Method]
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, said)
		}
	case "once": // is there once, and hangs at every start after that
		if _, err := os.Stat(arg); err == nil {
			time.Sleep(time.Hour)
		}
		_ = os.WriteFile(arg, nil, 0o600)
		answer(map[string]string{"tools/list": `{"tools":[{"name":"a"}]}`, "tools/call": "die"})
	case "flood":
		go func() {
			for {
				fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
		}()
		answer(map[string]string{"tools/list": `{"tools":[{"name":"calm","inputSchema":{"type":"object"}}]}`})
	case "pages": // always the same tool, and always another page
		in := bufio.NewScanner(os.Stdin)
		for n := 0; in.Scan(); n++ {
			var m struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
			}
			if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
				continue
			}
			text := fmt.Sprintf(`{"tools":[{"name":"a"}],"nextCursor":"%d"}`, n)
			if m.Method == "initialize" {
				text = greeting
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, text)
		}
	case "lingers": // after a message that is too long, until it is killed
		signal.Ignore(syscall.SIGTERM)
		answer(map[string]string{"tools/list": `{"tools":[{"name":"a"}]}`,
			"tools/call": `{"content":[],"_meta":{"x":"` + strings.Repeat("x", maxMessage) + `"}}`})
		time.Sleep(time.Hour)
	case "huge":
		answer(map[string]string{"tools/list": `{"tools":[],"_meta":{"x":"` + strings.Repeat("x", maxMessage) + `"}}`})
	}
}

const greeting = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"x","version":"1"}}`

// answer is a server that knows nothing but what to answer to a method. The end of its input is the end of it.
func answer(answers map[string]string) {
	if answers["initialize"] == "" {
		answers["initialize"] = greeting
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		text, known := answers[m.Method]
		switch {
		case text == "die":
			os.Exit(1)
		case text == "hang":
		case known:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, text)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", m.ID)
		}
	}
}

// goodServer has a tool for each thing that a test wants to see. Its lists come in pages of three.
func goodServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "good", Version: "1"}, &sdk.ServerOptions{
		PageSize: 3, Instructions: "Ask for the sum.",
	})
	yes := true
	add := func(name, schema string, a *sdk.ToolAnnotations,
		f func(ctx context.Context, r *sdk.CallToolRequest, args map[string]any) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, Description: "The tool " + name + ".",
			InputSchema: json.RawMessage(schema), Annotations: a},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				var args map[string]any
				_ = json.Unmarshal(r.Params.Arguments, &args)
				return f(ctx, r, args)
			})
	}
	text := func(t string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: t}}}
	}
	const open = `{"type":"object"}`
	reads := &sdk.ToolAnnotations{ReadOnlyHint: true}
	add("sum",
		`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`, reads,
		func(_ context.Context, _ *sdk.CallToolRequest, args map[string]any) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{StructuredContent: map[string]any{"sum": args["a"].(float64) + args["b"].(float64)}}, nil
		})
	add("text", `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`, nil,
		func(_ context.Context, _ *sdk.CallToolRequest, args map[string]any) (*sdk.CallToolResult, error) {
			answer := text(args["text"].(string))
			if effects, ok := args["effects"]; ok {
				answer.Meta = sdk.Meta{"almanac/effects": effects, "other": 1}
			}
			return answer, nil
		})
	add("wipe-everything", open, &sdk.ToolAnnotations{DestructiveHint: &yes},
		func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{}, nil
		})
	s.AddPrompt(&sdk.Prompt{Name: "greet", Description: "Greets.",
		Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user",
				Content: &sdk.TextContent{Text: "hello " + r.Params.Arguments["who"]}}}}, nil
		})
	add("picture", open, reads, func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "look"}, &sdk.ImageContent{MIMEType: "image/png", Data: []byte("12345")},
		}}, nil
	})
	add("fail", open, reads, func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, error) {
		r := text("no such row")
		r.IsError = true
		return r, nil
	})
	add("environment", open, reads,
		func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, error) {
			return text(strings.Join(os.Environ(), "\n")), nil
		})
	add("slow", open, reads,
		func(ctx context.Context, r *sdk.CallToolRequest, _ map[string]any) (*sdk.CallToolResult, error) {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half",
			})
			<-ctx.Done()
			_ = os.WriteFile(os.Getenv("CANCELLED"), []byte("yes"), 0o600)
			return nil, ctx.Err()
		})
	add("die", open, reads, func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(7)
		return nil, nil
	})
	add("grow", open, nil, func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, error) {
		s.AddTool(&sdk.Tool{Name: "grown", InputSchema: &jsonschema.Schema{Type: "object"}},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return text("new"), nil
			})
		return text("ok"), nil
	})
	s.AddResource(&sdk.Resource{URI: "file:///notes.md", Name: "notes.md", Description: "The notes."},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "file:///notes.md", Text: "# Notes"}}}, nil
		})
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "row://{table}/{id}", Name: "row"},
		func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			if strings.HasSuffix(r.Params.URI, "/0") {
				return nil, sdk.ResourceNotFoundError(r.Params.URI)
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI,
				Text: `{"uri":"` + r.Params.URI + `"}`}}}, nil
		})
	return s
}

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"almanac/session/trace"
)

// version is what `almanac version` prints.
const version = "0.1.0"

// A program is one use of the command: its streams and what they can do.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// commandLine is the command line as kong reads it.
type commandLine struct {
	Catalog      []string      `placeholder:"SRC" help:"Where actions come from: demo, demo:FILE, FILE.jsonl, FILE.jsonl.gz, FILE.yaml, FILE.json, openapi:FILE-or-URL, workspace:DIR, mcp:COMMAND, mcp:FILE.json, mcp+http:URL. NAME= in front names a source. May be given more than once."`
	Base         []string      `placeholder:"NAME=URL" help:"The server of the source called NAME, instead of those that its document names."`
	View         string        `placeholder:"FILE" help:"What may be seen and called: a TOML file with actor, tenant, namespaces, denied_operations."`
	Policy       string        `enum:",ask,readonly,session" default:"" help:"What happens to calls that change data: ask, readonly or session. Default: ask where a person can be asked, else readonly."`
	Allow        []string      `placeholder:"ID" help:"Allow this changing action without asking (an id, or a prefix with .*)."`
	Model        string        `env:"ALMANAC_MODEL" placeholder:"NAME" help:"The language model to ask."`
	BaseURL      string        `env:"ALMANAC_BASE_URL" placeholder:"URL" help:"An OpenAI-compatible server, such as http://localhost:11434/v1."`
	Prefix       string        `default:"lua_tools" help:"Prefix of the three tools that the model sees."`
	Data         string        `env:"ALMANAC_DATA" placeholder:"DIR" help:"Where the demo database and the session logs are kept."`
	TrustUpdates bool          `help:"Show actions that are new or have changed at their source without asking."`
	Usage        bool          `help:"Let search raise what was called well in earlier sessions, by an eighth at most."`
	CheckResults bool          `help:"Fail calls whose result is not what the description of the action promises."`
	LuaTime      time.Duration `default:"10s" help:"How long a script of yours may run, without the time of its calls. One of the model's has 1.5s."`
	Output       string        `enum:"text,json,jsonl" default:"text" help:"How the answer is printed: text, json or jsonl."`

	Repl     replCommand     `cmd:"" default:"withargs" help:"Start the terminal (the default), or run code with -e, or ask the model with -p."`
	Run      runCommand      `cmd:"" help:"Run a Lua file."`
	Query    queryCommand    `cmd:"" help:"Search the catalog."`
	Describe describeCommand `cmd:"" help:"Print the exact specs of actions."`
	Sessions sessionsCommand `cmd:"" help:"List the sessions that are kept, and show one."`
	Doctor   doctorCommand   `cmd:"" help:"Say how each source is doing and what became of all it holds."`
	Serve    serveCommand    `cmd:"" help:"Serve the catalog to other programs as an MCP server."`
	Eval     evalCommand     `cmd:"" help:"Measure how well things work."`
	Version  versionCommand  `cmd:"" help:"Print the version."`

	// past is the session that this one goes on from; the zero Thread is none.
	past trace.Thread
	// stderr is where opening the sources tells what it could not use.
	stderr io.Writer
}

// dispatch parses args and runs the command they name. The context is the one it ran under: its cause tells whether a
// signal ended it.
func dispatch(args []string, p *program) (context.Context, error) {
	cli := commandLine{stderr: p.stderr}
	left := false // kong printed its help and would have ended the process
	parser, err := kong.New(&cli,
		kong.Name("almanac"),
		kong.Description("A terminal where you and a language model share one Lua session over a large catalog of actions."),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(int) { left = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.Vars{"version": version},
	)
	if err != nil {
		return context.Background(), err
	}
	if len(args) == 1 && args[0] == "--version" {
		args = []string{"version"}
	}
	parsed, err := parser.Parse(args)
	if left {
		return context.Background(), nil
	}
	if err != nil {
		return context.Background(), usage("%v; see almanac --help", err)
	}
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if parsed.Command() == "repl" && cli.Repl.interactive() {
		signals = signals[1:] // Ctrl+C is a key there
	}
	ctx, stop := until(signals...)
	defer stop()
	parsed.BindTo(ctx, (*context.Context)(nil))
	return ctx, parsed.Run(&cli, p)
}

type versionCommand struct{}

func (versionCommand) Run(p *program) error {
	_, err := io.WriteString(p.stdout, "almanac "+version+"\n")
	return err
}

// readCode returns the code that a flag names: itself, or all of standard input for "-".
func (p *program) readCode(code string) (string, error) {
	if code != "-" {
		return code, nil
	}
	text, err := io.ReadAll(p.stdin)
	if err != nil {
		return "", errors.Join(errors.New("standard input"), err)
	}
	return strings.TrimPrefix(string(text), "\ufeff"), nil
}

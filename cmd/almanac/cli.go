package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"almanac/catalog/search/spelling"
	"almanac/catalog/source"
	"almanac/session/trace"
)

// version is what `almanac version` prints.
const version = "0.1.0"

// A program is one use of the command: its streams and what they can do.
type program struct {
	stdin  io.Reader
	stdout *output
	stderr io.Writer
	// credentials are kept out of all that leaves the program.
	credentials *credentials
}

// commandLine is the command line as kong reads it.
type commandLine struct {
	Catalog      []string      `placeholder:"SRC" help:"Where actions come from: ${sources}. NAME= in front names a source. May be given more than once."`
	Base         []string      `placeholder:"NAME=URL" help:"The server of the source called NAME, instead of those that its document names."`
	View         string        `placeholder:"FILE" help:"What may be seen and called: a TOML file with actor, tenant, namespaces, denied_operations."`
	Policy       string        `enum:",ask,readonly,session" default:"" help:"What happens to calls that change data: ask, readonly or session. Default: ask where a person can be asked, else readonly."`
	Allow        []string      `sep:";" placeholder:"ID" help:"Allow this changing action without asking: an id or a pattern such as crm.*, and bounds of its arguments behind a blank: 'ID amount_cents<=500'."`
	Model        string        `env:"ALMANAC_MODEL" placeholder:"NAME" help:"The language model to ask."`
	BaseURL      string        `env:"ALMANAC_BASE_URL" placeholder:"URL" help:"An OpenAI-compatible server, such as http://localhost:11434/v1."`
	Prefix       string        `default:"lua_tools" help:"Prefix of the three tools that the model sees."`
	Data         string        `env:"ALMANAC_DATA" placeholder:"DIR" help:"Where the demo database and the session logs are kept."`
	TrustUpdates bool          `help:"Show actions that are new or have changed at their source without asking."`
	Usage        bool          `help:"Let search raise what was called well in earlier sessions, by an eighth at most."`
	CheckResults bool          `help:"Fail calls whose result is not what the description of the action promises."`
	Limits       limitFlags    `embed:"" prefix:"limits-"`
	UI           uiFlags       `embed:"" prefix:"ui-"`
	LuaTime      time.Duration `default:"10s" help:"How long a script of yours may run, without the time of its calls. One of the model's has 1.5s."`
	Output       string        `enum:"text,json,jsonl" default:"text" help:"How the answer is printed: text, json or jsonl."`

	Repl     replCommand     `cmd:"" default:"withargs" help:"Start the terminal (the default), or run code with -e, or ask the model with -p."`
	Run      runCommand      `cmd:"" help:"Run a Lua file."`
	Query    queryCommand    `cmd:"" help:"Search the catalog."`
	Describe describeCommand `cmd:"" help:"Print the exact specs of actions."`
	Sessions sessionsCommand `cmd:"" help:"List the sessions that are kept, and show one."`
	Config   configCommand   `cmd:"" help:"Show what is configured and where that comes from; write a first file; approve a project's file."`
	Doctor   doctorCommand   `cmd:"" help:"Say how each source is doing and what became of all it holds."`
	Serve    serveCommand    `cmd:"" help:"Serve the catalog to other programs as an MCP server."`
	Eval     evalCommand     `cmd:"" help:"Measure how well things work."`
	Version  versionCommand  `cmd:"" help:"Print the version."`

	Completion completionCommand `cmd:"" help:"Print the completion for a shell."`
	Man        manCommand        `cmd:"" help:"Print the manual page, for man -l - or a file."`

	// config is what the files and the environment say.
	config *config
	// origins tell, by flag, which ones the command line names.
	origins map[string]bool
	// past is the session that this one goes on from; the zero Thread is none.
	past trace.Thread
	// leftOut are entries of files of servers that are no sources, for the doctor to tell.
	leftOut []source.Status
	// stderr is where opening the sources tells what it could not use.
	stderr io.Writer
	// credentials are those of the program.
	credentials *credentials
}

// limitFlags bound what a run may do. They belong into the configuration file rather than onto a command line.
type limitFlags struct {
	Calls     int           `hidden:"" default:"50" help:"Action calls in a run."`
	Mutations int           `hidden:"" default:"20" help:"Calls that change data in a run, allowed or approved."`
	Selected  int           `hidden:"" default:"20" help:"Ids that the model may select for one script."`
	Described int           `hidden:"" default:"10" help:"Ids that are described at once."`
	Shown     int           `hidden:"" default:"20" help:"Hits that a query lists."`
	Wait      time.Duration `hidden:"" default:"60s" help:"One action call, when the action does not say."`
	ModelTime time.Duration `hidden:"" default:"1500ms" help:"How long a script of the model's may run, without the time of its calls."`
}

// uiFlags say how the terminal looks and feels.
type uiFlags struct {
	Theme       string `hidden:"" default:"ansi" help:"Colours: ansi, those of the terminal, or dark or light, true colours for such a background."`
	Screen      string `hidden:"" enum:"inline,full,auto" default:"inline" help:"inline, full or auto."`
	Title       bool   `hidden:"" help:"Tell in the window's title what happens."`
	Progress    bool   `hidden:"" help:"Tell the terminal's progress bar (OSC 9;4) that something runs."`
	Bell        bool   `hidden:"" help:"Ring when an approval is waited for."`
	EditingMode string `hidden:"" enum:"emacs,vi" default:"emacs" help:"Keys of the input: emacs or vi."`
}

// dispatch parses args and runs the command they name. The context is the one it ran under: its cause tells whether a
// signal ended it.
func dispatch(args []string, p *program) (context.Context, error) {
	if len(args) == 1 && args[0] == "--version" {
		args = []string{"version"}
	}
	if len(args) > 0 && args[0] == completeWord {
		return context.Background(), complete(args[1:], p)
	}
	cli, parsed, err := parse(args, p, nil)
	if err == nil && parsed != nil && cli.needsApproval(parsed.Command()) {
		if cli.Repl.interactive() && typed(p.stdin) && parsed.Command() == "repl" {
			if err = cli.config.askApproval(p); err == nil {
				cli, parsed, err = parse(args, p, cli.config.unapproved)
			}
		} else {
			err = misconfigured(&unapprovedError{cli.config.project.path, cli.config.wants()})
		}
	}
	if err != nil || parsed == nil {
		return context.Background(), err
	}
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if parsed.Command() == "repl" && cli.Repl.interactive() {
		signals = signals[1:] // Ctrl+C is a key there
	}
	ctx, stop := until(signals...)
	defer stop()
	parsed.BindTo(ctx, (*context.Context)(nil))
	return ctx, parsed.Run(cli, p)
}

// parse reads the command line and all that is configured. Without an error parsed is nil where there is nothing to run:
// help was printed. refused are keys of the project's file that the person did not approve.
func parse(args []string, p *program, refused []string) (cli *commandLine, parsed *kong.Context, err error) {
	cli = &commandLine{stderr: p.stderr, credentials: p.credentials, origins: map[string]bool{}}
	left := false // kong printed its help and would have ended the process
	parser, err := newParser(cli, p, func(int) { left = true })
	if err != nil {
		return nil, nil, err
	}
	var wrong error
	cli.config, wrong = readConfig(parser.Model)
	if len(refused) > 0 {
		cli.config.unapproved = refused
	}
	if err := kong.Resolvers(cli.config).Apply(parser); err != nil {
		return nil, nil, err
	}
	parsed, err = parser.Parse(args)
	switch {
	case left:
		return cli, nil, nil
	case err != nil && wrong == nil:
		return nil, nil, usage("%v%s; see almanac --help", err, nearCommand(err, parser.Model))
	case wrong != nil && (err != nil || !looksOnly(parsed.Command())):
		return nil, nil, misconfigured(wrong)
	case wrong != nil:
		fmt.Fprintf(p.stderr, "almanac: %v\n", wrong)
	}
	for _, path := range parsed.Path {
		if path.Flag != nil && !path.Resolved {
			cli.origins[path.Flag.Name] = true
		}
	}
	return cli, parsed, nil
}

// nearCommand is the command that was perhaps meant by an argument that is none.
func nearCommand(err error, model *kong.Application) string {
	word, unexpected := strings.CutPrefix(err.Error(), "unexpected argument ")
	if !unexpected || strings.Contains(word, ", did you mean") {
		return ""
	}
	var names []string
	for _, c := range model.Children {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	if near := spelling.Nearest(word, names); near != "" {
		return ": did you mean almanac " + near
	}
	return ""
}

// newParser returns the parser of the command line. Its model is what help, completion and the manual page are made of.
func newParser(cli *commandLine, p *program, exit func(int)) (*kong.Kong, error) {
	return kong.New(cli,
		kong.Name("almanac"),
		kong.Description("A terminal where you and a language model share one Lua session over a large catalog of actions. Without a command the terminal starts; almanac repl --help lists its flags, among them -e CODE, -p TEXT, --continue, --resume ID and --plain. Every flag can also be set in a file or in the environment: see almanac config."),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.Vars{"version": version, "sources": strings.Join(kinds().Forms(), ", ")},
	)
}

// looksOnly tells the commands that run nothing: they work also with a configuration that is wrong or not approved.
func looksOnly(command string) bool {
	word, _, _ := strings.Cut(command, " ")
	return slices.Contains([]string{"version", "config", "sessions", "completion", "man"}, word)
}

func (cli *commandLine) needsApproval(command string) bool {
	return len(cli.config.unapproved) > 0 && !looksOnly(command)
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

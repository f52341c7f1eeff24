package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/catalog/search"
	"almanac/catalog/search/spelling"
	"almanac/catalog/source"
	"almanac/catalog/team"
	"almanac/catalog/web/login"
	"almanac/llm/tools"
	"almanac/session/effect"
	"almanac/session/trace"
)

// version is what `almanac version` prints.
const version = "0.1.0"

// A program is one invocation of the command: its streams and its credentials.
type program struct {
	stdin  io.Reader
	stdout *output
	stderr io.Writer
	// credentials are redacted from all output.
	credentials *credentials
}

// commandLine is the command line as kong parses it.
type commandLine struct {
	Catalog       []string      `placeholder:"SRC" help:"Load actions from SRC: ${sources}. Prefix it with NAME= to name the source. Repeatable."`
	Base          []string      `placeholder:"NAME=URL" help:"Server URL of the source NAME, instead of those in its document."`
	View          string        `placeholder:"FILE" help:"Limit what can be seen and called: a TOML file with actor, tenant, namespaces, denied_operations."`
	Role          string        `placeholder:"NAME" help:"Narrow the session to a role, a [roles.NAME] table of the configuration with a view, policy, prompt and model; none for none. See almanac roles."`
	Policy        string        `enum:",ask,readonly,session" default:"" help:"Policy for calls that change data: ask, readonly or session. Default: ask at a terminal, else readonly."`
	PolicyFile    string        `placeholder:"FILE" help:"Rules for calls in a TOML file: which are allowed, asked about or denied, by id, risk, arguments, actor. See almanac policy list."`
	Allow         []string      `sep:"none" placeholder:"ID" help:"Allow writes without asking: an action id or a pattern such as crm.*, optionally with bounds on arguments: 'ID amount_cents<=500'. Repeatable."`
	LooseReads    []string      `hidden:"" placeholder:"PATTERN" help:"Actions whose reads may return something else in a run than in the preview that was approved: ids or patterns such as crm.*."`
	ApplyEffects  []string      `hidden:"" placeholder:"KIND" help:"Kinds of effects that are applied after a run that ended well: names or patterns such as state.*. Default: none, effects are recorded."`
	ContextKeys   []string      `hidden:"" placeholder:"NAME" help:"Names that an applied effect context.set may set, for arguments that manifests fill in from set.NAME."`
	Model         string        `env:"ALMANAC_MODEL" placeholder:"NAME" help:"Language model to use."`
	Fallback      []string      `hidden:"" placeholder:"NAME" help:"Models that are asked in this order where the one before fails for good: names of [models.NAME] tables, or models of the server."`
	LocalPorts    []string      `hidden:"" placeholder:"NAME=PORT" default:"Ollama=11434,llama.cpp=8080,LM Studio=1234,vLLM=8000" help:"Where a model server on this machine is looked for, once you agree, if no model is configured."`
	ContextWindow int           `hidden:"" placeholder:"TOKENS" help:"Tokens that the model can read. Default: what its server says, or what is known of the model."`
	Images        bool          `hidden:"" help:"The model sees pictures: show it those that results have."`
	BaseURL       string        `env:"ALMANAC_BASE_URL" placeholder:"URL" help:"URL of an OpenAI-compatible server, such as http://localhost:11434/v1."`
	API           string        `name:"api" env:"ALMANAC_API" hidden:"" enum:",chat,responses" default:"" placeholder:"NAME" help:"Interface of the model's server: chat or responses. Default: chat, and responses where the server wants that of a model."`
	Prefix        string        `default:"lua_tools" help:"Name prefix of the model's three tools."`
	Direct        bool          `help:"Give the model each visible action as a tool of its own in place of the three tools: for at most ${direct} actions."`
	Data          string        `env:"ALMANAC_DATA" placeholder:"DIR" help:"Directory of the demo database and the session logs."`
	Team          string        `key:"team.name" placeholder:"NAME" help:"Join the team NAME: sessions that ask each other, share what they know and divide work, here or on other machines."`
	NATS          string        `name:"nats" key:"nats.url" placeholder:"URL" help:"NATS server or cluster of the team: nats://host:4222. Default: one that your programs on this machine share."`
	NATSFiles     natsFlags     `embed:"" prefix:"nats-"`
	TrustContext  []string      `key:"host.trust_context" hidden:"" placeholder:"NAME" help:"What an action host believes of what callers say of themselves, of actor, agent_name, team_id, tenant, session_id, messages, set. Default: agent_name, session_id, messages."`
	TrustUpdates  bool          `help:"Accept new and changed actions of all sources without review."`
	CheckResults  bool          `help:"Fail calls whose result does not match the action's declared result."`
	Transactional bool          `hidden:"" default:"true" help:"Put the globals back when a run fails, is interrupted or denied."`
	Limits        limitFlags    `embed:"" prefix:"limits-"`
	UI            uiFlags       `embed:"" prefix:"ui-"`
	Context       contextFlags  `embed:"" prefix:"context-"`
	LuaTime       time.Duration `default:"10s" help:"Time limit of your scripts, not counting calls. The model's scripts have 1.5s."`
	Output        string        `enum:"text,table,csv,json,jsonl,lua,raw" default:"text" help:"Output format: text, table, csv, json, jsonl, lua or raw."`

	Repl     replCommand     `cmd:"" default:"withargs" help:"Start the terminal (default), run code with -e, or ask the model with -p."`
	Run      runCommand      `cmd:"" help:"Run a Lua file."`
	Query    queryCommand    `cmd:"" help:"Search the catalog."`
	Describe describeCommand `cmd:"" help:"Print the specifications of actions."`
	Sessions sessionsCommand `cmd:"" help:"List saved sessions, or show one."`
	Replay   replayCommand   `cmd:"" help:"Run a saved session again from its log and show what differs. No call is made."`
	Roles    rolesCommand    `cmd:"" help:"List roles with how many actions each sees, or the actions of one."`
	Rules    policyCommand   `cmd:"" name:"policy" help:"List the rules of the policy, or say what they decide about a call."`
	Config   configCommand   `cmd:"" help:"Show the configuration and where each value comes from; create a file; approve a project's file."`
	Models   modelsCommand   `cmd:"" help:"Ask the servers of the configured models which models they have."`
	Login    loginCommand    `cmd:"" help:"Log in to the server of a source by OAuth, in a browser or by a code; list logins."`
	Logout   logoutCommand   `cmd:"" help:"Forget the logins of a source, and tell who gave them."`
	Doctor   doctorCommand   `cmd:"" help:"Check sources, model server, configuration and terminal, with remedies."`
	Test     testCommand     `cmd:"" help:"Run the recorded tests of the actions that /save made. No real call is made."`
	Agent    agentCommand    `cmd:"" help:"Run a prompt as an agent of the team, without a terminal, and stay to answer its peers where the role lets it."`
	Init     initCommand     `cmd:"" help:"Put almanac serve into the configuration of Claude, Cursor, Codex, VS Code or opencode, and their servers behind it. Shows the change first."`
	Serve    serveCommand    `cmd:"" help:"Serve the catalog to other programs over MCP."`
	Host     hostCommand     `cmd:"" help:"Serve the catalog to sessions on NATS: --catalog nats:NAME."`
	Eval     evalCommand     `cmd:"" help:"Run evaluations."`
	Version  versionCommand  `cmd:"" help:"Print the version."`

	Completion completionCommand `cmd:"" help:"Print the completion script of a shell."`
	Man        manCommand        `cmd:"" help:"Print the manual page; pipe it into man -l -."`

	// config is read from the files and the environment.
	config *config
	// origins holds the flags given on the command line.
	origins map[string]bool
	// notes are what the project says to the model.
	notes projectNotes
	// agent is set for an agent: nobody can be asked, so that its role says what it may do. spawned is set for one that
	// another session has started.
	agent   bool
	spawned *spawned
	// past is the session being resumed; the zero Thread is none.
	past trace.Thread
	// leftOut are entries of server lists that cannot be sources; doctor reports them.
	leftOut []source.Status
	// usable are the keys of [sources.NAME] that the opened sources have a use for, by name; unused says which keys and
	// tables of the user's have no effect, and idleTables which may be for the sources of other command lines.
	usable     map[string][]string
	unused     []string
	idleTables []string
	// apart says what sources are called that would have one name.
	apart []string
	// logins are those of this machine.
	logins *login.Store
	// bus is the program's connection to NATS.
	bus *sharedBus
	// stderr receives warnings about skipped sources and entries.
	stderr io.Writer
	// credentials are the program's.
	credentials *credentials
}

// What names of tools may begin with: the names have 64 bytes at most.
const (
	maxPrefix     = 48
	prefixLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
)

// Validate checks values that are given as flags or in the environment; those of files are checked as they are read.
func (cli *commandLine) Validate() error {
	for _, one := range []struct {
		key    string
		values []string
	}{
		{"loose_reads", cli.LooseReads}, {"apply_effects", cli.ApplyEffects}, {"prefix", []string{cli.Prefix}},
		{teamKey, []string{cli.Team}}, {"context_keys", cli.ContextKeys},
	} {
		if err := checkValues(one.key, one.values); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSuffix(one.key, ".name"), err)
		}
	}
	return nil
}

const teamKey = "team.name"

// checkValues says what is wrong with the values of a key whose type does not say it.
func checkValues(key string, values []string) (err error) {
	switch key {
	case "loose_reads":
		_, err = pattern.ParseAll(values)
	case "apply_effects":
		_, err = effect.ParseKinds(values)
	case "prefix":
		if name := values[0]; len(name) > maxPrefix || strings.Trim(name, prefixLetters) != "" {
			err = fmt.Errorf("want at most %d ASCII letters, digits, _ and -, which names of tools may have", maxPrefix)
		}
	case teamKey:
		if values[0] != "" {
			err = team.CheckName(values[0])
		}
	case "context_keys":
		for _, name := range values {
			err = errors.Join(err, catalog.CheckContextKey(name))
		}
	}
	return err
}

// fits says why a value does not fit the flag's type; empty if it does.
func fits(s setting, v configValue) string {
	switch s.flag.Target.Interface().(type) {
	case time.Duration:
		if d, err := time.ParseDuration(v.text); err != nil || d < 0 {
			return fmt.Sprintf("%q: want a duration like \"10s\" or \"1m30s\"", v.text)
		}
	case int:
		n, err := strconv.Atoi(v.text)
		if err != nil || n < 0 {
			return fmt.Sprintf("%q: want a whole number", v.text)
		}
		if n == 0 && strings.HasPrefix(s.key, "limits.") {
			return "0: want 1 or more; to deny every write, set policy = \"readonly\""
		}
	}
	values := v.list
	if !v.many {
		values = []string{v.text}
	}
	if err := checkValues(s.key, values); err != nil {
		return err.Error()
	}
	return ""
}

// limitFlags bound what a run may do. They are hidden: they belong in the configuration file.
type limitFlags struct {
	Calls     int `hidden:"" default:"50" help:"Action calls per run of the model's."`
	Mutations int `hidden:"" default:"20" help:"Writes (calls that change data) per run of the model's, allowed or approved."`

	YourCalls     int `hidden:"" default:"1000" help:"Action calls per run of yours; at a terminal you are then asked."`
	YourMutations int `hidden:"" default:"200" help:"Writes per run of yours, allowed or approved; at a terminal you are then asked."`

	Selected  int           `hidden:"" default:"20" help:"Ids that the model may select for a script."`
	Described int           `hidden:"" default:"10" help:"Ids described at once."`
	Shown     int           `hidden:"" default:"20" help:"Hits listed by a query."`
	Wait      time.Duration `hidden:"" default:"60s" help:"Timeout of an action call, unless the action sets its own."`
	ModelTime time.Duration `hidden:"" default:"1500ms" help:"Time limit of the model's scripts, not counting calls."`
}

// contextFlags are what the host tells actions beside their arguments.
type contextFlags struct {
	AgentName   string `placeholder:"NAME" help:"The agent that this session is: its name in the team, and for actions that take their agent_name from the host."`
	TeamID      string `hidden:"" placeholder:"ID" help:"The agent's team, for actions that take their team_id from the host."`
	ProjectPath string `hidden:"" placeholder:"DIR" help:"Folder of the project, for actions that take their project_path from the host. Default: where .almanac.toml is, else the current folder."`
}

// uiFlags set the look and behaviour of the terminal.
type uiFlags struct {
	Theme       string `hidden:"" default:"auto" help:"Colours: auto (by the terminal's background), dark, light, ansi (its own) or mono (none)."`
	Screen      string `hidden:"" enum:"inline,full,auto" default:"inline" help:"Screen layout: inline, full or auto."`
	Title       bool   `hidden:"" help:"Show the current state in the window title."`
	Progress    bool   `hidden:"" help:"Show activity in the terminal's progress bar (OSC 9;4)."`
	Bell        bool   `hidden:"" help:"Ring the bell when an approval is waiting, unless the terminal says that its window is focused."`
	Notify      bool   `hidden:"" default:"true" help:"Notify by bell, OSC 9 and title of an approval in a window that is not focused."`
	Thousands   bool   `hidden:"" help:"Separate thousands with commas in tables: 1,234,567."`
	Ghost       bool   `hidden:"" default:"true" help:"Show the rest of an earlier input behind the cursor; Right takes it."`
	EditingMode string `hidden:"" enum:"emacs,vi" default:"emacs" help:"Editing keys: emacs or vi."`
}

// dispatch parses args and runs the command. It returns the command's context, whose cause is a signalled if a signal
// ended it.
func dispatch(args []string, p *program) (context.Context, error) {
	if len(args) == 1 && args[0] == "--version" {
		args = []string{"version"}
	}
	if len(args) > 0 && args[0] == completeWord {
		return context.Background(), complete(args[1:], p)
	}
	args, err := spawnedArgs(args)
	if err != nil {
		return context.Background(), err
	}
	cli, parsed, err := parse(args, p, nil)
	if err == nil && parsed != nil && cli.needsApproval(parsed.Command()) {
		if cli.Repl.interactive() && typed(p.stdin) && parsed.Command() == "repl" {
			if err = cli.config.askApproval(p); err == nil {
				cli, parsed, err = parse(args, p, cli.config.unapproved)
			}
		} else {
			err = misconfigured(&unapprovedError{cli.config.project.path, cli.config.wants(shownValues)})
		}
	}
	if err == nil && parsed != nil {
		err = cli.tellUnused(parsed.Command())
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
	defer func() { _ = cli.bus.Close() }() // what was acknowledged is on disk
	parsed.BindTo(ctx, (*context.Context)(nil))
	return ctx, cli.aboutData(parsed.Run(cli, p))
}

// A dataError is the error of a data folder that cannot be written.
type dataError struct{ error }

func (e *dataError) Unwrap() error { return e.error }

func (e *dataError) Hint() string {
	return "--data DIR, or ALMANAC_DATA, names another folder for sessions, databases and the bus"
}

// aboutData is err, with a hint where the data folder is what it is about.
func (cli *commandLine) aboutData(err error) error {
	var at *fs.PathError
	denied := errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EROFS)
	dir := cli.dataDir()
	if denied && errors.As(err, &at) && (strings.HasPrefix(at.Path, dir) || strings.HasPrefix(dir, at.Path)) {
		return &dataError{err}
	}
	return err
}

// parse reads the command line and the configuration. A nil parsed without an error means that help was printed.
// refused are keys of the project's file that the person did not approve.
func parse(args []string, p *program, refused []string) (cli *commandLine, parsed *kong.Context, err error) {
	cli = &commandLine{stderr: p.stderr, credentials: p.credentials, origins: map[string]bool{}}
	cli.bus = cli.newBus()
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
	for _, t := range cli.config.user.models {
		p.credentials.address(t.baseURL)
		p.credentials.add(os.Getenv(t.key.env))
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
	cli.config.alone = cli.Team == ""
	cli.logins = cli.newLogins()
	for _, url := range strings.Split(cli.NATS, ",") {
		p.credentials.address(url)
	}
	for _, path := range parsed.Path {
		if path.Flag != nil && !path.Resolved {
			cli.origins[path.Flag.Name] = true
		}
	}
	return cli, parsed, nil
}

// format is the output format for a command that has the given ones beside text. Another is an error on the command
// line; from a file or the environment it is for other commands.
func (cli *commandLine) format(formats ...string) (string, error) {
	if cli.Output == "text" || slices.Contains(formats, cli.Output) {
		return cli.Output, nil
	}
	if !cli.origins["output"] {
		return "text", nil
	}
	if len(formats) == 0 {
		return "", usage("--output %s: not for the terminal; for -e, -p, run, a pipe, and commands that list", cli.Output)
	}
	return "", usage("--output %s: want text, %s here", cli.Output, strings.Join(formats, ", "))
}

// valueFormats are the formats of values beside text.
var valueFormats = []string{"table", "csv", "json", "jsonl", "lua", "raw"}

// nearCommand suggests a command for an unknown one.
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

// newParser returns the parser of the command line; help, completion and the manual page are made from its model.
func newParser(cli *commandLine, p *program, exit func(int)) (*kong.Kong, error) {
	return kong.New(cli,
		kong.Name("almanac"),
		kong.Description("A terminal where you and a language model share one Lua session over a large catalog of actions. "+
			"Without a command the terminal starts; almanac repl --help lists its flags, including -e CODE, -p TEXT, "+
			"--continue, --resume ID and --plain. Flags can also be set in a file or the environment: see almanac config."),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.Vars{
			"version": version, "sources": strings.Join(kinds().Forms(), ", "), "features": search.FeatureNames(),
			"direct": strconv.Itoa(tools.DirectLimit),
		},
	)
}

// looksOnly reports whether a command runs nothing: it works even if the configuration is wrong or not approved.
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

// readCode returns the code given to a flag, or all of standard input for "-".
func (p *program) readCode(code string) (string, error) {
	if code != "-" {
		return code, nil
	}
	return readText(p.stdin, "standard input")
}

// maxPiped is the maximum length of a script or prompt from a file or a pipe, and of a piped line.
const maxPiped = 16 << 20

// readText reads a script or a prompt of at most maxPiped bytes from a file or pipe that errors call name: one that
// never ends is an error, too.
func readText(in io.Reader, name string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxPiped+1))
	switch {
	case err != nil:
		var failed *fs.PathError // names the file, too
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return "", fmt.Errorf("%s: %w", name, err)
	case len(text) > maxPiped:
		return "", fmt.Errorf("%s: longer than %d MiB", name, maxPiped>>20)
	}
	return strings.TrimPrefix(string(text), "\ufeff"), nil
}

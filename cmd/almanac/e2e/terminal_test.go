//go:build unix

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"almanac/llm/openai/openaitest"
)

// A setup says how a test wants its terminal. The zero setup is 80 columns by 24 rows, no model, a new home.
type setup struct {
	width, height int
	home          string
	args          []string
	env           []string // NAME=VALUE
	// model is what the scripted model answers; none means that there is no model.
	model []openaitest.Reply
	// raw keeps all bytes that the program writes; see terminal.bytes.
	raw bool
	// term replaces xterm-256color.
	term string
	// first is what to wait for; empty means the prompt.
	first string
	// program runs in the place of almanac.
	program string
}

// A terminal is one program in one tmux server of its own.
type terminal struct {
	t      *testing.T
	dir    string // socket, configuration and files of the test
	home   string
	width  int
	height int
	server *openaitest.Server
	// began is when the program was started, shown when its first frame was seen.
	began, shown time.Time
}

// patience is how long a want waits: a machine with a load of twenty is slow, and only a wrong screen should fail.
const patience = 90 * time.Second

// prompt is what shows that the program takes input.
const prompt = `(lua|ask) [❯>]`

func start(t *testing.T, s setup) *terminal {
	t.Helper()
	t.Parallel()
	return open(t, s)
}

// open is start for tests that open more than one terminal.
func open(t *testing.T, s setup) *terminal {
	t.Helper()
	if s.width == 0 {
		s.width, s.height = 80, 24
	}
	if s.home == "" {
		s.home = newHome(t)
	}
	if s.term == "" {
		s.term = "xterm-256color"
	}
	if s.first == "" {
		s.first = prompt
	}
	if s.program == "" {
		s.program = suite.program
	}
	dir, err := os.MkdirTemp("", "e2e") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, dir: dir, home: s.home, width: s.width, height: s.height}
	t.Cleanup(func() {
		exec.Command("tmux", "-S", x.socket(), "kill-server").Run()
		x.exited()
		os.RemoveAll(dir)
	})
	conf := "set -g history-limit 50000\nset -g status off\nset -s escape-time 10\nset -g exit-empty off\n"
	if err := os.WriteFile(filepath.Join(dir, "conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + s.home, "TERM=" + s.term, "PATH=" + os.Getenv("PATH"), "USER=ann", "LANG=C.UTF-8"}
	if len(s.model) > 0 {
		x.server = openaitest.New(s.model...)
		t.Cleanup(x.server.Close)
		env = append(env, "OPENAI_API_KEY=sk-secret", "ALMANAC_BASE_URL="+x.server.URL(), "ALMANAC_MODEL=scripted")
	}
	x.began = time.Now()
	// The first program makes the server wait until the pipe of raw bytes is there.
	go1, go2 := filepath.Join(dir, "go"), filepath.Join(dir, "pid")
	command := fmt.Sprintf(`while [ ! -e %s ]; do sleep 0.01; done; sh -c 'echo $$ > %s; exec env -i "$@"' sh %s; echo RC=$?; exec sleep 1000`,
		go1, go2, quoted(append(append(append(env, s.env...), s.program), s.args...)))
	x.tmux("-f", filepath.Join(dir, "conf"), "new-session", "-d", "-s", "s", "-x", strconv.Itoa(s.width), "-y",
		strconv.Itoa(s.height), command)
	if s.raw {
		x.tmux("pipe-pane", "-t", "s", "exec cat > "+filepath.Join(dir, "raw"))
	}
	x.began = time.Now()
	if err := os.WriteFile(go1, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	x.want(s.first)
	x.shown = time.Now()
	return x
}

// exited waits, 5 s at most, until the program is gone: it may still write into its home.
func (x *terminal) exited() {
	text, err := os.ReadFile(filepath.Join(x.dir, "pid"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	for range 500 {
		if err != nil || pid <= 0 || syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func quoted(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(" '" + strings.ReplaceAll(w, "'", `'\''`) + "'")
	}
	return b.String()
}

func (x *terminal) socket() string { return filepath.Join(x.dir, "s") }

func (x *terminal) tmux(args ...string) string {
	x.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", x.socket()}, args...)...)
	cmd.Env = []string{"HOME=" + x.dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// keys presses keys by tmux's names.
func (x *terminal) keys(names ...string) {
	x.t.Helper()
	x.tmux(append([]string{"send-keys", "-t", "s"}, names...)...)
}

// text types text as it is.
func (x *terminal) text(s string) {
	x.t.Helper()
	if strings.HasSuffix(s, ";") { // tmux reads it as the end of its command
		s = s[:len(s)-1] + `\;`
	}
	x.tmux("send-keys", "-t", "s", "-l", "--", s)
}

// pause is how much later than the key before it a person presses Enter: what comes faster is a paste.
const pause = 40 * time.Millisecond

// line types text and presses Enter once it has shown: what a busy program reads in one go is a paste. A ? on an empty
// input opens the help, which has what follows in its head, unless it is read in one go.
func (x *terminal) line(s string) {
	x.t.Helper()
	x.text(s)
	squeezed := func(s string) string { return strings.Join(strings.Fields(s), "") }
	tail := []rune(squeezed(s))
	tail = tail[max(len(tail)-12, 0):]
	for i := len(tail) - 1; i >= 0; i-- {
		if tail[i] >= utf8.RuneSelf { // tmux may draw it in another way
			tail = tail[i+1:]
			break
		}
	}
	topic, asks := strings.CutPrefix(s, "?")
	x.wait(fmt.Sprintf("typed %q", s), func() bool {
		screen := squeezed(x.screen())
		return strings.Contains(screen, string(tail)) || asks && strings.Contains(screen, squeezed("Help · "+topic))
	})
	time.Sleep(pause)
	x.keys("Enter")
}

// paste puts text in as a terminal pastes it, with brackets where the program asked for them.
func (x *terminal) paste(s string) {
	x.t.Helper()
	x.pasteWith(s, "-p")
}

// pasteBare pastes text as a terminal without bracketed paste does.
func (x *terminal) pasteBare(s string) {
	x.t.Helper()
	x.pasteWith(s)
}

func (x *terminal) pasteWith(s string, flags ...string) {
	x.t.Helper()
	file := filepath.Join(x.dir, "paste")
	if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
		x.t.Fatal(err)
	}
	x.tmux("load-buffer", file)
	x.tmux(append([]string{"paste-buffer", "-t", "s"}, flags...)...)
}

func (x *terminal) resize(width, height int) {
	x.t.Helper()
	x.tmux("resize-window", "-t", "s", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
	x.width, x.height = width, height
}

// screen is what is on the screen, scrollback what was ever there and is still kept; both without colours.
func (x *terminal) screen() string {
	x.t.Helper()
	return trimmed(x.tmux("capture-pane", "-p", "-J", "-t", "s"))
}

func (x *terminal) scrollback() string {
	x.t.Helper()
	return trimmed(x.tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "s"))
}

// trimmed is a capture without blanks at the end of its rows: whether a row was cleared with spaces or with a sequence
// depends on which frames the program had time to draw.
func trimmed(capture string) string {
	rows := strings.Split(strings.TrimRight(capture, "\n"), "\n")
	for i, row := range rows {
		rows[i] = strings.TrimRight(row, " ")
	}
	return strings.Join(rows, "\n")
}

// colors is the screen with its colours.
func (x *terminal) colors() string {
	x.t.Helper()
	return strings.TrimRight(x.tmux("capture-pane", "-p", "-e", "-t", "s"), "\n")
}

// rows are the rows of the screen as the terminal has them, not joined.
func (x *terminal) rows() []string {
	x.t.Helper()
	return strings.Split(strings.TrimRight(x.tmux("capture-pane", "-p", "-t", "s"), "\n"), "\n")
}

// wait polls until ok, and fails with the screen when patience ends. It returns how long it took.
func (x *terminal) wait(what string, ok func() bool) time.Duration {
	x.t.Helper()
	from := time.Now()
	for {
		if ok() {
			return time.Since(from)
		}
		if time.Since(from) > patience {
			x.t.Fatalf("no %s on the screen:\n%s", what, x.screen())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// want waits until the screen has a match of each pattern.
func (x *terminal) want(patterns ...string) time.Duration {
	x.t.Helper()
	var took time.Duration
	for _, p := range patterns {
		re := regexp.MustCompile("(?m)" + p)
		took += x.wait("/"+p+"/", func() bool { return re.MatchString(x.screen()) })
	}
	return took
}

// idle waits until nothing runs: the terminal's cursor is hidden meanwhile.
func (x *terminal) idle() {
	x.t.Helper()
	x.wait("cursor", func() bool { return strings.TrimSpace(x.tmux("display", "-p", "-t", "s", "#{cursor_flag}")) == "1" })
}

// gone waits until the screen has no match of pattern.
func (x *terminal) gone(pattern string) {
	x.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	x.wait("end of /"+pattern+"/", func() bool { return !re.MatchString(x.screen()) })
}

// ended waits for the end of the program and returns its exit code.
func (x *terminal) ended() int {
	x.t.Helper()
	re := regexp.MustCompile(`(?m)RC=(\d+)\s*$`)
	x.wait("end of the program", func() bool { return re.MatchString(x.screen()) })
	code, _ := strconv.Atoi(re.FindStringSubmatch(x.screen())[1])
	return code
}

// pid is the program's.
func (x *terminal) pid() int {
	x.t.Helper()
	text, err := os.ReadFile(filepath.Join(x.dir, "pid"))
	if err != nil {
		x.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		x.t.Fatal(err)
	}
	return pid
}

func (x *terminal) signal(s syscall.Signal) {
	x.t.Helper()
	if err := syscall.Kill(x.pid(), s); err != nil {
		x.t.Fatal(err)
	}
}

// bytes are all that the program wrote, where the setup asked for them.
func (x *terminal) bytes() []byte {
	x.t.Helper()
	text, err := os.ReadFile(filepath.Join(x.dir, "raw"))
	if err != nil && !os.IsNotExist(err) {
		x.t.Fatal(err)
	}
	return text
}

// quiet waits until the program has written nothing for d, and returns how much it wrote so far.
func (x *terminal) quiet(d time.Duration) int {
	x.t.Helper()
	size, since := len(x.bytes()), time.Now()
	x.wait("silence", func() bool {
		if n := len(x.bytes()); n != size {
			size, since = n, time.Now()
		}
		return time.Since(since) > d
	})
	return size
}

// run types a line of Lua and waits for the mark of its cell and for what it shows.
func (x *terminal) run(line string, want ...string) {
	x.t.Helper()
	x.line(line)
	x.want(want...)
}

// attributes are the modes of the terminal: mouse reports and the alternate screen.
func (x *terminal) attributes() string {
	return strings.TrimSpace(x.tmux("display", "-p", "-t", "s", "#{mouse_any_flag} #{alternate_on}"))
}

// log is what the session logs of the home hold.
func (x *terminal) log() string {
	x.t.Helper()
	files, err := filepath.Glob(filepath.Join(x.home, ".local/share/almanac/sessions/*/*/*/*.jsonl"))
	if err != nil {
		x.t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			x.t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

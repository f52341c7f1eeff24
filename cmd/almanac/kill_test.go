package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/llm/openai/openaitest"
	"almanac/session/trace"
)

// TestKilled shows that what a person saw of a script is in the log, whenever the program is killed, and that a change
// that was under way is told as one that may or may not have happened.
func TestKilled(t *testing.T) {
	server := newStuckServer(t)
	dir := t.TempDir()
	manifest := filepath.Join(dir, "slow.yaml")
	text := fmt.Sprintf("almanac: 1\nname: slow\nactions:\n  get: {description: Get., http: {url: %s/}}\n  put:\n    description: Put.\n    mutates: true\n    risk: low\n"+
		"    input: {text: str, idempotency_key: str}\n    http: {url: %s/put, method: POST}\n", server.URL, server.URL)
	if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const script = `for i = 1, 40 do print("line " .. i) slow.get{} end slow.put{text = "x", idempotency_key = "k-17"}`
	for _, c := range []struct {
		name, last string
		now        chan struct{}
	}{{"between prints", "line 20", nil}, {"during a change", "", server.arrived}} {
		t.Run(c.name, func(t *testing.T) {
			data := t.TempDir()
			reached := func(line string) bool { return c.last != "" && line == c.last }
			shown := killed(t, []string{"--plain", "--catalog", manifest, "--policy", "session"}, data, script, reached, c.now)
			s, _, err := trace.Archive{Dir: filepath.Join(data, "sessions")}.Latest("")
			if err != nil {
				t.Fatal(err)
			}
			records, _, err := trace.Read(s.Path)
			if err != nil {
				t.Fatal(err)
			}
			var logged, lines strings.Builder
			for _, r := range records {
				if r.Kind == trace.KindOutput {
					logged.WriteString(r.Text)
				}
			}
			for _, line := range shown {
				if strings.HasPrefix(line, "line ") {
					lines.WriteString(line + "\n")
				}
			}
			if lines.Len() < 100 || !strings.HasPrefix(logged.String(), lines.String()) {
				t.Errorf("shown:\n%slogged:\n%s", lines.String(), logged.String())
			}
			t.Setenv("ALMANAC_DATA", data)
			var out, errs bytes.Buffer
			run([]string{"sessions", "show", s.ID}, strings.NewReader(""), &out, &errs)
			const told = "slow.put may or may not have happened: it was started, but the log has no result; its idempotency key is k-17"
			if got := strings.Contains(out.String(), told); got != (c.now != nil) {
				t.Errorf("sessions show:\n%s%s", out.String(), errs.String())
			}
			if !strings.Contains(out.String(), "It had printed:\n\n```\nline 1\n") {
				t.Errorf("sessions show:\n%s", out.String())
			}
		})
	}
}

// A stuckServer never answers what is sent to /put, and remembers the paths of all requests.
type stuckServer struct {
	*httptest.Server
	arrived chan struct{} // has a signal for each request to /put

	mu   sync.Mutex
	made []string
}

func newStuckServer(t *testing.T) *stuckServer {
	s := &stuckServer{arrived: make(chan struct{}, 10)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.made = append(s.made, r.URL.Path)
		s.mu.Unlock()
		if r.URL.Path == "/put" {
			s.arrived <- struct{}{}
			<-r.Context().Done()
		}
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(s.Close)
	return s
}

// killed starts the program, types a line, and kills it when reached says so of a line that it shows, or when now
// says so. It returns what was shown.
func killed(t *testing.T, args []string, data, line string, reached func(string) bool,
	now <-chan struct{}) (shown []string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: exe, Args: append([]string{"almanac"}, args...), Dir: data}
	cmd.Env = append(os.Environ(), "ALMANAC_DATA="+data, "ALMANAC_CONFIG="+os.DevNull, "XDG_CACHE_HOME="+data)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if _, err := io.WriteString(in, line+"\n"); err != nil {
		t.Fatal(err)
	}
	go func() {
		select {
		case <-now:
		case <-t.Context().Done():
		}
		_ = cmd.Process.Kill()
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		shown = append(shown, lines.Text())
		if reached(lines.Text()) {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait() // it was killed
	return shown
}

// TestKilledAmidAPrompt shows that after a kill amid a script of the model's the model is told what of it was made, the
// person too, and that /retry goes on from there.
func TestKilledAmidAPrompt(t *testing.T) {
	server := newStuckServer(t)
	data := t.TempDir()
	manifest := filepath.Join(data, "slow.yaml")
	text := "almanac: 1\nname: slow\nactions:\n"
	for _, name := range []string{"note", "put", "drop"} {
		text += fmt.Sprintf("  %s:\n    description: Keep a text.\n    mutates: true\n    risk: low\n    input: {text: str}\n"+
			"    http: {url: %s/%s, method: POST}\n", name, server.URL, name)
		if name == "note" {
			text += "    compensate: {action: slow.drop, args: {text: $args.text}}\n"
		}
	}
	if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	call := func(script string) openaitest.Call {
		return openaitest.Call{Name: "lua_tools_execute",
			Args: fmt.Sprintf(`{"script":%q,"actions":["slow.note","slow.put"]}`, script)}
	}
	model := openaitest.New(openaitest.Reply{Calls: []openaitest.Call{
		call(`for _, s in ipairs{"one", "two"} do slow.note{text = s} end slow.put{text = "three"}`),
		call(`slow.note{text = "four"}`),
	}}, openaitest.Reply{Text: "I looked first."})
	t.Cleanup(model.Close)
	t.Setenv("OPENAI_API_KEY", "sk-very-secret")
	t.Setenv("ALMANAC_BASE_URL", model.URL())
	t.Setenv("ALMANAC_MODEL", "scripted")
	args := []string{"--plain", "--catalog", manifest, "--policy", "session"}
	killed(t, args, data, "? keep them", func(string) bool { return false }, server.arrived)
	t.Setenv("ALMANAC_DATA", data)
	t.Setenv("ALMANAC_CONFIG", os.DevNull)
	t.Chdir(data)
	var out, errs bytes.Buffer
	code := run(append(args, "--continue"), strings.NewReader("/retry\n"), &out, &errs)
	if code != exitOK || !strings.Contains(out.String(), "I looked first.") {
		t.Errorf("exit %d: %s%s", code, out.String(), errs.String())
	}
	for _, want := range []string{
		"[1] was cut off after 2 writes, not undone: slow.note x2",
		"slow.put may or may not have happened",
		"the last prompt has no answer: /retry goes on from there",
	} {
		if !strings.Contains(out.String()+errs.String(), want) {
			t.Errorf("%q is not told:\n%s%s", want, out.String(), errs.String())
		}
	}
	var undone, shown bytes.Buffer
	all, _ := trace.Archive{Dir: filepath.Join(data, "sessions")}.List(trace.Filter{})
	code = run(append(args, "--resume", all[len(all)-1].ID), strings.NewReader("/undo --compensate\n"), &undone, &shown)
	for _, want := range []string{
		"slow.note x2; /undo --compensate takes back what can be", "took back [1]",
		"slow.drop W changed ×2",
	} {
		if said := undone.String() + shown.String(); code != exitOK || !strings.Contains(said, want) {
			t.Errorf("exit %d, %q is not there:\n%s", code, want, said)
		}
	}
	requests := model.Requests()
	var told []string
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == "tool" {
			told = append(told, m.Content)
		}
	}
	want := []string{`no answer: the program ended while this ran; its result is lost
  slow.note({ text = "one" }): ok, changed data
  slow.note({ text = "two" }): ok, changed data
  slow.put({ text = "three" }): may or may not have happened
what changed data stays changed: do not repeat those calls, nor those that may have happened before you have looked`,
		"not run: the program ended before it"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("the model was told (-want +got)\n%s", diff)
	}
}

// TestKilledAmidCompensation shows that where the program is killed inside of with_compensation, what was made and what
// may have been is in the log and told when the session goes on; what is taken back then is what the person asks for.
func TestKilledAmidCompensation(t *testing.T) {
	server := newStuckServer(t)
	data := t.TempDir()
	manifest := filepath.Join(data, "slow.yaml")
	text := "almanac: 1\nname: slow\nactions:\n"
	for _, name := range []string{"note", "put", "drop"} {
		text += fmt.Sprintf("  %s:\n    mutates: true\n    risk: low\n    input: {text: str}\n"+
			"    http: {url: %s/%[1]s, method: POST}\n", name, server.URL)
		if name == "note" {
			text += "    compensate: {action: slow.drop, args: {text: $args.text}}\n" +
				"    effects: [{kind: state.set, target: noted, value: $args.text}]\n"
		}
	}
	if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--plain", "--catalog", manifest, "--policy", "session", "--apply-effects", "state.*"}
	killed(t, args, data, `x = 1 with_compensation(function() slow.note{text = "one"} slow.put{text = "two"} end)`,
		func(string) bool { return false }, server.arrived)
	s, _, err := trace.Archive{Dir: filepath.Join(data, "sessions")}.Latest("")
	if err != nil {
		t.Fatal(err)
	}
	records, _, err := trace.Read(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, r := range records {
		if c := r.Call; c != nil {
			kept = append(kept, fmt.Sprintf("%s %s %v", r.Kind, c.ID, c.Undo != nil && c.Undo.ID == "slow.drop"))
		} else if r.Kind == trace.KindOutcome {
			kept = append(kept, "outcome")
		}
	}
	want := "begin slow.note false, call slow.note true, begin slow.put false"
	if got := strings.Join(kept, ", "); got != want {
		t.Errorf("on disk: %s\nwant %s", got, want)
	}
	t.Setenv("ALMANAC_DATA", data)
	t.Setenv("ALMANAC_CONFIG", os.DevNull)
	t.Chdir(data)
	var out, errs bytes.Buffer
	code := run(append(args, "--continue"), strings.NewReader("return x, state.noted\n/undo --compensate\n"), &out, &errs)
	for _, want := range []string{
		"[1] was cut off after 1 write, not undone: slow.note", "slow.put may or may not have happened", "\nnil\nnil\n",
		"slow.drop W changed",
	} {
		if said := out.String() + errs.String(); code != exitOK || !strings.Contains(said, want) {
			t.Errorf("exit %d, %q is not told:\n%s", code, want, said)
		}
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	if got := strings.Join(server.made, " "); got != "/note /put /drop" {
		t.Errorf("requests: %s", got)
	}
}

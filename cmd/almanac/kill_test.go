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
	"testing"
	"time"

	"almanac/session/trace"
)

// TestKilled shows that what a person saw of a script is in the log, whenever the program is killed, and that a change
// that was under way is told as one that may or may not have happened.
func TestKilled(t *testing.T) {
	arrived := make(chan struct{}, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			arrived <- struct{}{}
			<-r.Context().Done()
		}
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	manifest := filepath.Join(dir, "slow.yaml")
	text := fmt.Sprintf("almanac: 1\nname: slow\nactions:\n  get: {description: Get., http: {url: %s/}}\n  put:\n    description: Put.\n    mutates: true\n    risk: low\n"+
		"    input: {text: str, idempotency_key: str}\n    http: {url: %s/, method: POST}\n", server.URL, server.URL)
	if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const script = `for i = 1, 40 do print("line " .. i) slow.get{} end slow.put{text = "x", idempotency_key = "k-17"}`
	for _, c := range []struct {
		name, last string
		now        chan struct{}
	}{{"between prints", "line 20", nil}, {"during a change", "", arrived}} {
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

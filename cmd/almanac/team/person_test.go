//go:build linux

package team

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A person has the built program open, in a session of the team, on the machine with one server.
type person struct {
	in io.Writer

	mu    sync.Mutex
	lines []string
}

// sits starts the program.
func (w *world) sits(t *testing.T, program string, m *machine) *person {
	home := t.TempDir()
	c := m.command(program, "--plain", "--team", "shop", "--nats", w.url(m), "--allow", "peer.*", "--catalog", "demo")
	c.Dir = home
	c.Env = []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "USER=eve", "ALMANAC_DATA=" + home, "ALMANAC_CONFIG=" + os.DevNull,
	}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, into, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = into, into
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = into.Close()
	p, done := &person{in: in}, make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, lines.Text())
			p.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-done
		_ = c.Wait()
		t.Logf("eve saw:\n%s", strings.Join(p.shown(), "\n"))
	})
	return p
}

// shown is what the program has printed, and not what was typed.
func (p *person) shown() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines)
}

// types types a line.
func (p *person) types(line string) { _, _ = io.WriteString(p.in, line+"\n") }

// sees says whether a line with the text was shown after the first ones.
func (p *person) sees(text string, after int) bool {
	return slices.ContainsFunc(p.shown()[after:], func(line string) bool { return strings.Contains(line, text) })
}

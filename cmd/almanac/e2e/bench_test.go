//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"almanac/llm/openai/openaitest"
)

// This file measures the terminal; see make bench-ui. It prints figures beside their aims and beside the same stream in
// the bare program. Nothing fails but what cannot be measured.

// A bench is a program in a pseudo-terminal, and what it has written.
type bench struct {
	t     *testing.T
	cmd   *exec.Cmd
	pty   *os.File
	began time.Time

	mu  sync.Mutex
	out []byte
}

func inTerminal(t *testing.T, cmd *exec.Cmd) *bench {
	t.Helper()
	b := &bench{t: t, cmd: cmd, began: time.Now()}
	var err error
	if b.pty, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := b.pty.Read(buf)
			b.mu.Lock()
			b.out = append(b.out, buf[:n]...)
			b.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		b.pty.Close()
	})
	return b
}

// almanac starts the program under test in a new home.
func almanac(t *testing.T, model *openaitest.Server, args ...string) *bench {
	t.Helper()
	cmd := exec.Command(suite.program, args...)
	cmd.Env = []string{"HOME=" + newHome(t), "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
	if model != nil {
		cmd.Env = append(cmd.Env, "OPENAI_API_KEY=sk-x", "ALMANAC_BASE_URL="+model.URL(), "ALMANAC_MODEL=scripted")
	}
	return inTerminal(t, cmd)
}

func (b *bench) written() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.out)
}

// find waits until text was written at or after offset from, and says when that was seen.
func (b *bench) find(text string, from int) time.Time {
	b.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(500 * time.Microsecond) {
		b.mu.Lock()
		found := bytes.Contains(b.out[from:], []byte(text))
		b.mu.Unlock()
		if found {
			return time.Now()
		}
	}
	b.t.Fatalf("no %q was written", text)
	return time.Time{}
}

func (b *bench) typed(text string) {
	b.t.Helper()
	if _, err := b.pty.WriteString(text); err != nil {
		b.t.Fatal(err)
	}
}

// enter types a line as a person does.
func (b *bench) enter(text string) {
	b.t.Helper()
	b.typed(text)
	time.Sleep(pause)
	b.typed("\r")
}

// cpu is the processor time of the process itself, rss its memory.
func (b *bench) cpu() time.Duration {
	b.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", b.cmd.Process.Pid))
	if err != nil {
		b.t.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

func (b *bench) rss() int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.cmd.Process.Pid))
	_, after, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.Atoi(fields[0])
	return kb / 1024
}

func needBench(t *testing.T) {
	t.Helper()
	if os.Getenv("ALMANAC_BENCH_UI") == "" {
		t.Skip("make bench-ui")
	}
}

func tell(format string, args ...any) { fmt.Printf("UI  "+format+"\n", args...) }

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func TestBenchStart(t *testing.T) {
	needBench(t)
	const runs = 11
	var version, cold, many, bareFirst []time.Duration
	catalog := filepath.Join(t.TempDir(), "many.jsonl")
	if err := os.Rename(hundredThousand(t), catalog); err != nil {
		t.Fatal(err)
	}
	for range runs {
		from := time.Now()
		if err := exec.Command(suite.program, "--version").Run(); err != nil {
			t.Fatal(err)
		}
		version = append(version, time.Since(from))
		b := almanac(t, nil)
		cold = append(cold, b.find("lua ", 0).Sub(b.began))
		b.cmd.Process.Kill()
		b = almanac(t, nil, "--catalog", "demo", "--catalog", catalog)
		many = append(many, b.find("lua ", 0).Sub(b.began))
		b.cmd.Process.Kill()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), bareEnv+"=http://127.0.0.1:1", "TERM=xterm-256color")
		b = inTerminal(t, cmd)
		bareFirst = append(bareFirst, b.find("status", 0).Sub(b.began))
		b.cmd.Process.Kill()
	}
	tell("--version                       %6.1f ms   aim   40 ms   median of %d", ms(median(version)), runs)
	tell("first frame, demo               %6.1f ms   aim  100 ms   bare %.1f ms", ms(median(cold)), ms(median(bareFirst)))
	tell("first frame, 100,000 actions    %6.1f ms   aim  100 ms   first start: the catalog is read behind the prompt",
		ms(median(many)))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

const benchTokens = 10_000

// tokens is an answer of short words at 2,000 a second, as many lines as an answer of prose has.
func tokens() openaitest.Reply {
	var text strings.Builder
	for i := range benchTokens {
		text.WriteString([]string{"word ", "some ", "text ", "that ", "goes "}[i%5])
		if i%15 == 14 {
			text.WriteString("\n\n")
		}
	}
	text.WriteString("last")
	// Three words a piece: a timer of this system ends a millisecond late.
	return openaitest.Reply{Text: text.String(), Chunk: 15, Delay: 500 * time.Microsecond}
}

func TestBenchStream(t *testing.T) {
	needBench(t)
	model := openaitest.New(tokens(), tokens())
	defer model.Close()

	b := almanac(t, model)
	b.find("ask ", 0)
	before, cpu := b.written(), b.cpu()
	b.enter("go")
	b.find("word", before)
	from := time.Now()
	var echo []time.Duration
	for i := 0; ; i++ {
		at := b.written()
		key := string(rune('A' + i%26))
		sent := time.Now()
		b.typed(key)
		echo = append(echo, b.find(key, at).Sub(sent))
		time.Sleep(25 * time.Millisecond)
		if i == 100 {
			break
		}
	}
	b.find("last", before)
	took := time.Since(from)
	wrote, used := b.written()-before, b.cpu()-cpu
	slices.Sort(echo)
	tell("tokens a second                 %6.0f", benchTokens/took.Seconds())
	tell("echo while tokens stream        %6.1f ms   p99 %.1f ms, aim 50 ms, of %d keys", ms(echo[len(echo)/2]),
		ms(echo[len(echo)*99/100]), len(echo))

	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), bareEnv+"="+model.URL(), "TERM=xterm-256color")
	bare := inTerminal(t, cmd)
	bare.find("END", 0)
	bareWrote, bareUsed := bare.written(), bare.cpu()
	tell("bytes for 1,000 tokens          %6.1f KB   aim   20 KB   bare %.1f KB", float64(wrote)/benchTokens,
		float64(bareWrote)/benchTokens)
	tell("CPU for 1,000 tokens            %6.1f ms                 bare %.1f ms",
		ms(used)*1000/benchTokens, ms(bareUsed)*1000/benchTokens)
}

func TestBenchIdleAndMemory(t *testing.T) {
	needBench(t)
	b := almanac(t, nil, "--lua-time", "5m")
	b.find("lua ", 0)
	at := b.written()
	b.enter("1 + 1")
	b.find("[1]", at)
	time.Sleep(time.Second)
	small := b.rss()
	bytes, cpu := b.written(), b.cpu()
	time.Sleep(10 * time.Second)
	wrote, used := b.written()-bytes, b.cpu()-cpu
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), bareEnv+"=http://127.0.0.1:1", "TERM=xterm-256color")
	bare := inTerminal(t, cmd)
	bare.find("END", 0)
	time.Sleep(time.Second)
	bareCPU := bare.cpu()
	time.Sleep(10 * time.Second)
	tell("idle for 10 s                   %6d bytes aim    0     CPU %.0f ms, bare %.0f ms", wrote,
		ms(used), ms(bare.cpu()-bareCPU))
	for i := range 20 {
		at := b.written()
		b.enter(fmt.Sprintf(`for i=1,5000 do print("transcript line", i, %d) end print("end", "of", %d)`, i, i))
		b.find(fmt.Sprintf("end    of    %d", i), at)
		time.Sleep(300 * time.Millisecond)
	}
	time.Sleep(time.Second)
	tell("memory after 100,000 lines      %6d MB    before %d MB", b.rss(), small)
}

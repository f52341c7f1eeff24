//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// This file holds the bare program that figures are compared with: Bubble Tea alone, an input line, and the same
// stream, collected and printed 30 times a second as the documentation of Bubble Tea shows.

// bareEnv holds the address of the model and makes the test binary be the bare program.
const bareEnv = "ALMANAC_E2E_BARE"

type bare struct {
	mu    sync.Mutex
	got   string // what has come and was not taken
	done  bool
	text  string // the unfinished line
	input string
	width int
}

type bareTick struct{}

func bareMain() {
	b := &bare{}
	go b.stream(os.Getenv(bareEnv))
	if _, err := tea.NewProgram(b, tea.WithFPS(30)).Run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func (b *bare) stream(url string) {
	resp, err := http.Post(url+"/chat/completions", "application/json",
		strings.NewReader(`{"model":"m","stream":true,"messages":[{"role":"user","content":"go"}]}`))
	defer func() {
		b.mu.Lock()
		b.done = true
		b.mu.Unlock()
	}()
	if err != nil {
		return
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || json.Unmarshal([]byte(data), &chunk) != nil || len(chunk.Choices) == 0 {
			continue
		}
		b.mu.Lock()
		b.got += chunk.Choices[0].Delta.Content
		b.mu.Unlock()
	}
}

func tickBare() tea.Cmd {
	return tea.Tick(33*time.Millisecond, func(time.Time) tea.Msg { return bareTick{} })
}

func (b *bare) Init() tea.Cmd { return tickBare() }

func (b *bare) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		b.width = msg.Width
	case tea.KeyPressMsg:
		if msg.String() == "ctrl+c" {
			return b, tea.Quit
		}
		b.input += msg.Text
	case bareTick:
		b.mu.Lock()
		got, done := b.got, b.done
		b.got = ""
		b.mu.Unlock()
		b.text += got
		var print tea.Cmd
		if at := strings.LastIndexByte(b.text, '\n'); at >= 0 {
			print, b.text = tea.Println(b.text[:at]), b.text[at+1:]
		}
		if done {
			b.input += "END"
			return b, print
		}
		return b, tea.Batch(print, tickBare())
	}
	return b, nil
}

func (b *bare) View() tea.View {
	text := lipgloss.NewStyle().Width(max(b.width-1, 1)).Render(b.text)
	rule := strings.Repeat("─", max(b.width-1, 0))
	return tea.NewView(text + "\n" + rule + "\n> " + b.input + "\nstatus")
}

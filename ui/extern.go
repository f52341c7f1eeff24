package ui

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"

	"almanac/catalog/text"
	"almanac/repl/input"
)

// This file hands the input to an external editor and takes it back.

// editedMsg says that the external editor ended.
type editedMsg struct {
	path   string
	before string
	err    error
}

// openEditor writes the input to a file and runs the editor on it. The screen stands still meanwhile.
func (m *model) openEditor() tea.Cmd {
	suffix := ".md"
	if m.shell.Mode() == input.LuaMode {
		suffix = ".lua"
	}
	before := m.full()
	path, err := draftFile(before, suffix)
	if err != nil {
		m.notice = text.SanitizeLine(err.Error())
		return nil
	}
	cmd := editorCommand(path)
	cmd.Stdin, cmd.Stdout = m.in, m.out
	return tea.Sequence(m.lent(), tea.ExecProcess(cmd, func(err error) tea.Msg { return editedMsg{path, before, err} }))
}

func draftFile(text, suffix string) (string, error) {
	f, err := os.CreateTemp("", "almanac-*"+suffix)
	if err != nil {
		return "", fmt.Errorf("editor: %w", err)
	}
	_, err = f.WriteString(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("editor: %w", err)
	}
	return f.Name(), nil
}

// editorCommand runs $VISUAL, $EDITOR or vi on path. The variables are shell text, as git reads them.
func editorCommand(path string) *exec.Cmd {
	editor := "vi"
	for _, name := range []string{"EDITOR", "VISUAL"} {
		if v := strings.TrimSpace(os.Getenv(name)); v != "" {
			editor = v
		}
	}
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(editor), path)
		return exec.Command(words[0], words[1:]...)
	}
	return exec.Command("sh", "-c", editor+` "$@"`, "sh", path)
}

// edited takes the text back. An editor that fails or changes nothing leaves the draft as it was.
func (m *model) edited(msg editedMsg) {
	defer os.Remove(msg.path)
	if msg.err != nil {
		m.notice = text.SanitizeLine(fmt.Sprintf("editor: %v: input not changed", msg.err))
		return
	}
	written, err := os.ReadFile(msg.path)
	if err != nil {
		m.notice = text.SanitizeLine(fmt.Sprintf("editor: %v", err))
		return
	}
	after := strings.TrimSuffix(cleanPaste(string(written)), "\n")
	if after == strings.TrimSuffix(msg.before, "\n") {
		return
	}
	m.past = nil
	m.edit.set(after)
}

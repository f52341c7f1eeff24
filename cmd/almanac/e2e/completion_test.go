//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Each shell completes commands, values, files, and the ids of actions segment by segment, without a blank in between.
func TestShellCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []struct {
		name, rc, text string
		args           []string
	}{
		{"bash", ".bashrc", "HISTFILE=; PS1='type> '; source <(almanac completion bash)\n", []string{"--noprofile"}},
		{"zsh", ".zshrc", "PS1='type> '; autoload -Uz compinit; compinit -u; source <(almanac completion zsh)\n", nil},
		{"fish", ".config/fish/config.fish", "set -g fish_history ''; function fish_prompt; echo 'type> '; end; set -U fish_greeting; almanac completion fish | source\n", nil},
	} {
		t.Run(shell.name, func(t *testing.T) {
			if _, err := exec.LookPath(shell.name); err != nil {
				notRun(t, "there is no "+shell.name+": apt-get install "+shell.name)
			}
			home := newHome(t)
			rc := filepath.Join(home, shell.rc)
			if err := os.MkdirAll(filepath.Dir(rc), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(rc, []byte(shell.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, "some_file.lua"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if r := headless(t, home, "", nil, "query", "refund"); r.code != 0 {
				t.Fatal(r)
			}
			x := start(t, setup{
				home: home, program: shell.name, args: shell.args, first: "type> ?",
				env: []string{"PATH=" + filepath.Dir(suite.program) + ":" + os.Getenv("PATH")},
			})
			x.text("cd; clear")
			x.keys("Enter")
			x.text("almanac desc")
			x.keys("Tab")
			x.want(`almanac describe`)
			x.text("bil")
			x.keys("Tab")
			x.want(`describe billing\.`)
			x.text("refund.is")
			x.keys("Tab")
			x.want(`describe billing\.refund\.issue`)
			x.keys("C-u")
			x.text("almanac --policy reado")
			x.keys("Tab")
			x.want(`--policy readonly`)
			x.keys("C-u")
			x.text("almanac run some_f")
			x.keys("Tab")
			x.want(`run some_file\.lua`)
		})
	}
}

//go:build !unix

package subprocess

import "os/exec"

// OwnGroup does nothing: there are no process groups on this system, so what the command starts must end by itself.
func OwnGroup(*exec.Cmd) {}

// Apart does nothing: what the command starts outlives this program here.
func Apart(*exec.Cmd) {}

func EndGroup(*exec.Cmd) {}

func KillGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

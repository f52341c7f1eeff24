//go:build !unix

package mcp

import "os/exec"

// ownGroup does nothing: there are no process groups on this system, so what the command starts must end by itself.
func ownGroup(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

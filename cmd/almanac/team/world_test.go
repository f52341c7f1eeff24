//go:build linux

package team

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// This file is the world of the play: two machines, which are network namespaces joined by a cable, and a cluster of
// three NATS servers, two on the one and one on the other.

// A machine is a network namespace with an address.
type machine struct{ space, device, address string }

// A node is a server of the cluster.
type node struct {
	on      *machine
	port    int
	config  string
	program string
	process *exec.Cmd
}

// A world has what the test made; all of it is gone with the test.
type world struct {
	t        *testing.T
	machines [2]*machine
	nodes    [3]*node
}

func newWorld(t *testing.T, server string) *world {
	w := &world{t: t}
	for i, letter := range []string{"a", "b"} {
		name := fmt.Sprintf("almanac-%d%s", os.Getpid(), letter)
		w.machines[i] = &machine{
			space: name, device: fmt.Sprintf("alm%d%s", os.Getpid(), letter), address: fmt.Sprintf("192.0.2.%d", i+1),
		}
		w.ip("netns", "add", name)
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", name).Run() })
	}
	a, b := w.machines[0], w.machines[1]
	w.ip("link", "add", a.device, "netns", a.space, "type", "veth", "peer", "name", b.device, "netns", b.space)
	for _, m := range w.machines {
		w.ip("-n", m.space, "addr", "add", m.address+"/30", "dev", m.device)
		w.ip("-n", m.space, "link", "set", m.device, "up")
		w.ip("-n", m.space, "link", "set", "lo", "up")
	}
	dir := t.TempDir()
	for i, m := range []*machine{a, a, b} {
		w.nodes[i] = &node{on: m, port: 4222 + i, config: filepath.Join(dir, fmt.Sprintf("n%d.conf", i+1)), program: server}
		text := fmt.Sprintf(`
			server_name: n%d
			listen: "%s:%d"
			jetstream { store_dir: %q }
			cluster {
				name: almanac, listen: "%[2]s:%[5]d", ping_interval: "1s"
				routes: ["nats://192.0.2.1:6222", "nats://192.0.2.1:6223", "nats://192.0.2.2:6224"]
			}`, i+1, m.address, 4222+i, filepath.Join(dir, fmt.Sprint("n", i+1)), 6222+i)
		if err := os.WriteFile(w.nodes[i].config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w.start(w.nodes[i])
		t.Cleanup(func() { kill(w.nodes[i].process) })
	}
	return w
}

// url are the servers of the cluster, those on the machine first.
func (w *world) url(m *machine) string {
	var here, there []string
	for _, n := range w.nodes {
		address := fmt.Sprintf("nats://%s:%d", n.on.address, n.port)
		if n.on == m {
			here = append(here, address)
		} else {
			there = append(there, address)
		}
	}
	return strings.Join(append(here, there...), ",")
}

func (w *world) ip(args ...string) {
	w.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		w.t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// cable joins or parts the machines.
func (w *world) cable(state string) {
	w.ip("-n", w.machines[0].space, "link", "set", w.machines[0].device, state)
}

// command is a program on the machine.
func (m *machine) command(program string, args ...string) *exec.Cmd {
	// ip becomes the program: its process is the one to kill.
	return exec.Command("ip", append([]string{"netns", "exec", m.space, program}, args...)...)
}

func (w *world) start(n *node) {
	w.t.Helper()
	n.process = n.on.command(n.program, "-c", n.config)
	log, err := os.OpenFile(n.config+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer log.Close()
	n.process.Stderr = log
	if err := n.process.Start(); err != nil {
		w.t.Fatal(err)
	}
}

// kill ends a process as nothing else would, and waits for it.
func kill(c *exec.Cmd) {
	_ = c.Process.Kill()
	_ = c.Wait()
}

// await waits until something holds.
func (w *world) await(what string, longest time.Duration, holds func() bool) {
	w.t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > longest {
			w.t.Fatalf("%s: not after %v", what, longest)
		}
	}
}

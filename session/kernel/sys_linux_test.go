package kernel

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// running tells whether a process exists and is no zombie: an orphan's new parent may be slow to reap it.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

// The walls, tried from inside.
func TestConfined(t *testing.T) {
	command := acting(t, "probe")
	cmd := exec.Command(command[0], command[1:]...)
	inherited, err := os.Create(filepath.Join(t.TempDir(), "inherited"))
	if err != nil {
		t.Fatal(err)
	}
	defer inherited.Close()
	// Descriptors 3 to 7 of the probe.
	for range 5 {
		cmd.ExtraFiles = append(cmd.ExtraFiles, inherited)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	results := map[string]string{}
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	missing := results["missing"]
	delete(results, "missing")
	t.Logf("missing: %s", missing)
	if strings.Contains(missing, "seccomp") {
		t.Skip("no seccomp here")
	}
	for attempt, result := range results {
		if result == "done" {
			t.Errorf("could %s", attempt)
		}
		t.Logf("%s: %s", attempt, result)
	}
	if info, err := inherited.Stat(); err != nil || info.Size() > 0 {
		t.Errorf("the inherited file holds %d bytes, %v", info.Size(), err)
	}
}

// The kernel, seen from outside.
func TestKernelProcess(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	k := get(t, newPool(t, options(t)))
	read := func(name string) string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", k.PID(), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for setting := range strings.SplitSeq(strings.TrimSuffix(read("environ"), "\x00"), "\x00") {
		switch name, _, _ := strings.Cut(setting, "="); name {
		case "GOTRACEBACK", "GOMAXPROCS", "GOGC", "TZ", "GORACE":
		default:
			t.Errorf("environment holds %s", setting)
		}
	}
	status := read("status")
	for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(status, want) {
			t.Errorf("status lacks %q", want)
		}
	}
	limits := read("limits")
	for _, want := range []string{"Max core file size        0", "Max open files            16",
		"Max file size             0"} {
		if !strings.Contains(limits, want) {
			t.Errorf("limits lack %q:\n%s", want, limits)
		}
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", k.PID()))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", k.PID(), fd.Name()))
		if !strings.HasPrefix(target, "pipe:") && !strings.HasPrefix(target, "anon_inode:") {
			t.Errorf("descriptor %s is %s", fd.Name(), target)
		}
	}
}

// A kernel ends with its parent, however that ends and whatever the kernel does.
func TestParentKilled(t *testing.T) {
	command := acting(t, "parent")
	parent := exec.Command(command[0], command[1:]...)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(line)
	}
	if !alive(pid) {
		t.Fatalf("kernel %d is not there", pid)
	}
	parent.Process.Kill()
	parent.Wait()
	waitFor(t, "the end of the kernel", func() bool { return !running(pid) })
}

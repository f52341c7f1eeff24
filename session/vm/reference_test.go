package vm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReference runs the files of testdata/reference here and by lua5.2, where that is installed: both must print the
// same. What differs on purpose is in testdata/differences.lua.
func TestReference(t *testing.T) {
	reference, err := exec.LookPath("lua5.2")
	if err != nil {
		t.Skip("lua5.2 is not installed")
	}
	files, err := filepath.Glob("testdata/reference/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".lua"), func(t *testing.T) {
			command := exec.Command(reference, file)
			command.Env = []string{"TZ=UTC", "LC_ALL=C"}
			want, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, want)
			}
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r := newRig(t, Limits{Steps: 1 << 40})
			if e := r.run(string(source)).Err; e != nil {
				t.Errorf("%v\n%s", e, strings.Join(e.Traceback, "\n"))
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(r.printed[Stdout], "\n")); diff != "" {
				t.Errorf("-lua5.2 +here:\n%s", diff)
			}
		})
	}
}

package repl

import (
	"os"
	"testing"

	"almanac/session/kernel"
)

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	os.Exit(m.Run())
}

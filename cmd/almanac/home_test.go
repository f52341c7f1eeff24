package main

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/adrg/xdg"
)

// Without a home folder, or with a relative one, everything is in that of the user.
func TestSettleHome(t *testing.T) {
	want, err := user.Current()
	if err != nil || !filepath.IsAbs(want.HomeDir) || runtime.GOOS == "windows" {
		t.Skip("NOT RUN: the user has no home folder")
	}
	t.Cleanup(xdg.Reload)
	t.Setenv("XDG_CONFIG_HOME", "")
	for _, home := range []string{"", "relative"} {
		t.Setenv("HOME", home)
		xdg.Reload()
		settleHome()
		if got := os.Getenv("HOME"); got != want.HomeDir || !filepath.IsAbs(userConfigPath()) {
			t.Errorf("%q: %s, %s", home, got, userConfigPath())
		}
	}
	own := t.TempDir()
	t.Setenv("HOME", own)
	if settleHome(); os.Getenv("HOME") != own {
		t.Error("a home folder was replaced")
	}
}

//go:build unix

package bus

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// maxSocket is how long the path of a socket may be on all systems, in bytes.
const maxSocket = 103

// socketPath is where the server is offered: in the folder of the data, or where that path is too long for a socket in
// one of the user's among the temporary files.
func socketPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if path := filepath.Join(dir, "socket"); len(path) <= maxSocket {
		return path, os.Chmod(dir, 0o700)
	}
	private := filepath.Join(os.TempDir(), fmt.Sprintf("almanac-%d-%.6x", os.Getuid(), sha256.Sum256([]byte(dir))))
	if err := os.Mkdir(private, 0o700); err != nil && !os.IsExist(err) {
		return "", err
	}
	// Anybody may create folders there: one of another user's is not entered.
	info, err := os.Lstat(private)
	if err != nil {
		return "", err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(owner.Uid) != os.Getuid() || info.Mode().Perm() != 0o700 {
		return "", fmt.Errorf("%s: want a folder of this user's own with mode 0700: remove it", private)
	}
	return filepath.Join(private, "socket"), nil
}

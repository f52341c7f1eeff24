package database

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestPostgresAddresses: an address may leave all to the service file, and a file of passwords that others may read is
// not used.
func TestPostgresAddresses(t *testing.T) {
	dir := t.TempDir()
	services, passwords := filepath.Join(dir, "services"), filepath.Join(dir, "passwords")
	for name, text := range map[string]string{
		services: "[svc]\nhost=db.example\nport=5433\ndbname=shop\nuser=reader\n", passwords: "*:*:*:*:from-the-file\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PGSERVICEFILE", services)
	t.Setenv("PGPASSFILE", passwords)
	for _, name := range []string{"PGHOST", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGSERVICE"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	password := func(address, at string) string {
		t.Helper()
		d, err := Open(address, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if at != "" && d.at != at {
			t.Errorf("%s is %s, want %s", address, d.at, at)
		}
		s, err := d.server()
		if err != nil {
			t.Fatal(err)
		}
		return s.(*postgres).pool.Config().ConnConfig.Password
	}
	for _, address := range []string{"postgres://?service=svc", "postgres:///?service=svc"} {
		if got := password(address, "postgres://db.example:5433/shop"); got != "from-the-file" {
			t.Errorf("%s has the password %q", address, got)
		}
	}
	password("postgres://", "")
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(passwords, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := password("postgres://?service=svc", ""); got != "" {
		t.Errorf("a file that others may read gave %q", got)
	}
}

// A server that does not listen is told once, whatever ways there are to it.
func TestPostgresNotThere(t *testing.T) {
	config, err := pgconn.ParseConfig("postgres://ann@127.0.0.1:1/shop?connect_timeout=5")
	if err != nil {
		t.Fatal(err)
	}
	_, wrong := pgconn.ConnectConfig(t.Context(), config)
	said, transient := (&postgres{}).explained(wrong)
	if n := strings.Count(said, "connection refused"); n != 1 || !transient || strings.Contains(said, ";") {
		t.Errorf("told %d times, %t: %q", n, transient, said)
	}
}

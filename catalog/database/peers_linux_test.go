package database

// This file starts PostgreSQL and MariaDB, where make peers-sql asks for it, and runs the cases on both.

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"almanac/catalog"
)

// A peer is a database server in a folder of its own, reached over a socket there.
type peer struct {
	address func(database string) string
	process *exec.Cmd
}

// kill ends the server at once.
func (p *peer) kill() {
	_ = p.process.Process.Kill()
	_ = p.process.Wait()
}

func wanted(t *testing.T) {
	t.Helper()
	if os.Getenv("ALMANAC_PEERS_SQL") == "" {
		t.Skip("make peers-sql")
	}
}

// folder is one that the user who runs the servers can write.
func folder(t *testing.T, owner string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "almanac-sql")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if os.Getuid() == 0 {
		if out, err := exec.Command("chown", owner, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

// as is a command as another user, where this one is root: no database server runs as root.
func as(ctx context.Context, owner string, words ...string) *exec.Cmd {
	if os.Getuid() == 0 {
		words = append([]string{"setpriv", "--reuid=" + owner, "--regid=" + owner, "--clear-groups", "--"}, words...)
	}
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return c
}

// serve starts a server and waits until it answers.
func serve(t *testing.T, owner string, address func(string) string, first string, words ...string) *peer {
	t.Helper()
	var said bytes.Buffer
	p := &peer{address: address, process: as(context.Background(), owner, words...)}
	p.process.Stdout, p.process.Stderr = &said, &said
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	d, err := Open(address(first), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for began := time.Now(); d.Check(t.Context()) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("%s does not answer: %v: %s", words[0], d.Health(), said.String())
		}
	}
	return p
}

func startPostgres(t *testing.T) *peer {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) == 0 {
		t.Fatal("there is no PostgreSQL")
	}
	bin, dir := found[len(found)-1], folder(t, "postgres")
	made, err := as(t.Context(), "postgres", bin+"/initdb", "-D", dir+"/data", "-U", "owner", "--auth=trust", "--no-sync",
		"--no-instructions", "-E", "UTF8", "--locale=C.UTF-8").CombinedOutput()
	if err != nil {
		t.Fatalf("initdb: %v: %s", err, made)
	}
	address := func(name string) string { return "postgres://owner@/" + name + "?host=" + dir }
	return serve(t, "postgres", address, "postgres", bin+"/postgres", "-D", dir+"/data", "-k", dir,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "timezone=UTC", "-c", "max_locks_per_transaction=1024")
}

func startMariaDB(t *testing.T) *peer {
	t.Helper()
	dir := folder(t, "mysql")
	made, err := as(t.Context(), "mysql", "mariadb-install-db", "--no-defaults", "--datadir="+dir+"/data",
		"--skip-test-db", "--auth-root-authentication-method=normal").CombinedOutput()
	if err != nil {
		t.Fatalf("mariadb-install-db: %v: %s", err, made)
	}
	address := func(name string) string { return "mysql://root@localhost/" + name + "?socket=" + dir + "/s" }
	return serve(t, "mysql", address, "mysql", "mariadbd", "--no-defaults", "--datadir="+dir+"/data", "--socket="+dir+"/s",
		"--skip-networking", "--innodb-flush-log-at-trx-commit=0", "--default-time-zone=+00:00", "--pid-file="+dir+"/pid")
}

// create makes a database of the server.
func (p *peer) create(t *testing.T, first, name string) string {
	t.Helper()
	d, err := Open(p.address(first), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	run(t, d, "create database "+name)
	return p.address(name)
}

// run runs a statement outside of any transaction of ours.
func run(t *testing.T, d *Database, statement string) {
	t.Helper()
	if err := d.within(t.Context(), true, func(tx transaction) error {
		end := "COMMIT"
		if _, err := tx.run(t.Context(), end, nil, nil); err != nil {
			return err
		}
		_, err := tx.run(t.Context(), statement, nil, nil)
		return err
	}); err != nil && !strings.Contains(err.Error(), "rolled back") {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestPeersSQL(t *testing.T) {
	wanted(t)
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		p := startPostgres(t)
		d := opened(t, p.create(t, "postgres", "shop"), "postgres")
		cases(t, d, "postgres")
		interrupted(t, d, "select pg_sleep(60)", "select count(*) from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active' and pid <> pg_backend_pid()")
		conflict(t, d)
		large(t, p.create(t, "postgres", "large"), 5000, `do $$ begin for i in 0..4999 loop
			execute format('create table t%s (id int primary key, a text, b numeric(10,2), c timestamptz, d jsonb, e int references t%s)', i, greatest(i - 1, 0));
			end loop; end $$`)
		lost(t, p, d, "select pg_sleep(60)")
	})
	t.Run("mariadb", func(t *testing.T) {
		t.Parallel()
		p := startMariaDB(t)
		d := opened(t, p.create(t, "mysql", "shop"), "mysql")
		cases(t, d, "mysql")
		interrupted(t, d, "select sleep(60)", "select count(*) from information_schema.processlist where info = 'select sleep(60)'")
		conflict(t, d)
		large(t, p.create(t, "mysql", "large"), 300, "for i in 0..299 do execute immediate concat('create table t', i, ' (id int primary key, a text, "+
			"b numeric(10,2), c datetime, d json, e int, foreign key (e) references t', greatest(cast(i as signed) - 1, 0), '(id))'); end for")
		lost(t, p, d, "select sleep(60)")
	})
}

// interrupted ends a statement by its context; the server has to end it, too.
func interrupted(t *testing.T, d *Database, slow, count string) {
	all, _ := actions(t, d)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := all["query"].Action(ctx, catalog.Call{Args: map[string]any{"sql": slow}})
		ended <- err
	}()
	running := func(want string) {
		t.Helper()
		args := map[string]any{"sql": strings.Replace(count, "count(*)", "count(*) as n", 1)}
		for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
			got := called(t.Context(), all["query"], false, args)
			if got == `{"more":false,"rows":[{"n":`+want+`}]}` {
				return
			}
			if time.Since(began) > 10*time.Second {
				t.Fatalf("%s: got %s, want %s", count, got, want)
			}
		}
	}
	running("1")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted statement: got %v", err)
	}
	running("0")
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := all["query"].Action(ctx, catalog.Call{Args: map[string]any{"sql": slow}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a slow statement: got %v", err)
	}
	running("0")
}

// conflict has two transactions wait for each other: one of them fails, and may be tried again.
func conflict(t *testing.T, d *Database) {
	set := func(tx transaction, id int) error {
		_, err := tx.run(t.Context(), "update customers set name = 'x' where id = "+strconv.Itoa(id), nil, nil)
		return err
	}
	locked := make(chan bool, 2)
	results := make(chan error, 2)
	for _, ids := range [][]int{{1, 2}, {2, 1}} {
		go func() {
			results <- d.within(t.Context(), true, func(tx transaction) error {
				err := set(tx, ids[0])
				locked <- true
				for len(locked) < 2 {
					time.Sleep(time.Millisecond)
				}
				if err == nil {
					err = set(tx, ids[1])
				}
				return err
			})
		}()
	}
	failed := 0
	for range 2 {
		var transient *catalog.Transient
		if err := <-results; err != nil {
			failed++
			if !errors.As(err, &transient) {
				t.Errorf("a deadlock: got %v, want one that is Transient", err)
			}
		}
	}
	if failed != 1 {
		t.Errorf("%d of two transactions in a deadlock failed, want 1", failed)
	}
}

// large reads the schema of many tables.
func large(t *testing.T, address string, tables int, made string) {
	d, err := Open(address, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	run(t, d, made)
	began := time.Now()
	batch, err := d.load(t.Context(), "db.")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tables, %d actions: %v", tables, len(batch.Entries), time.Since(began))
	if want := 6*tables + 2; len(batch.Entries) != want {
		t.Errorf("%d actions of %d tables, want %d", len(batch.Entries), tables, want)
	}
}

// lost kills the server in the middle of a statement.
func lost(t *testing.T, p *peer, d *Database, slow string) {
	all, _ := actions(t, d)
	ended := make(chan error, 1)
	go func() {
		_, err := all["query"].Action(t.Context(), catalog.Call{Args: map[string]any{"sql": slow}})
		ended <- err
	}()
	time.Sleep(100 * time.Millisecond)
	p.kill()
	var transient *catalog.Transient
	if err := <-ended; !errors.As(err, &transient) {
		t.Errorf("a killed server: got %v, want one that is Transient", err)
	}
	_, err := all["log.insert"].Action(t.Context(), catalog.Call{Args: map[string]any{"message": "x"}})
	if !errors.As(err, &transient) || d.Health() == nil {
		t.Errorf("a server that is gone: got %v, health %v", err, d.Health())
	}
	t.Log(err)
}

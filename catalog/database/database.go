// Package database makes actions of a database: PostgreSQL, MySQL or MariaDB, or a file of SQLite.
//
//	Kinds      the kinds of sources, as written on a command line
//	Database   one database, which connects when it is needed
//	Statement  one scanned SQL statement
//	schema     what a database has: tables with their columns and keys, functions
//	table      the actions of one table: list, get, count, insert, update, delete
//	server     what differs between the three: connections, transactions, values, reading the schema
//
// Arguments of actions become values of parameters or names that the schema has; they never become SQL. What only reads
// runs in a read-only transaction that is rolled back; what changes something is one transaction.
//
// Start at Kinds for sources, and at Open for the SQL of manifests.
package database

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/text"
	"almanac/catalog/web"
)

// A server is a database system. Its functions may be called from several goroutines.
type server interface {
	// begin starts a transaction; the context bounds it, and when that ends so does a statement on the server.
	begin(ctx context.Context, writes bool) (transaction, error)
	// schema reads what is there.
	schema(ctx context.Context) (*schema, error)
	// explained is an error of the server in its words; transient tells that another attempt may succeed.
	explained(err error) (message string, transient bool)
	// refused reports an error of who may not connect.
	refused(err error) bool
	// secrets are values that must never be shown.
	secrets() []string
	close()
}

// A transaction runs statements one after the other.
type transaction interface {
	// run runs one statement and hands each row to each; an error of that ends it.
	run(ctx context.Context, sql string, args []any, each func(row) error) (done, error)
	// end commits or rolls back.
	end(ctx context.Context, commit bool) error
}

// done is what a statement did.
type done struct {
	affected int64
	lastID   int64 // the number that the database gave to the row, where it has no RETURNING
}

// A row is one row by the names of its columns.
type row = map[string]any

// A Database is one database. It connects when it is first used. It is safe for concurrent use.
type Database struct {
	dialect
	// name is what errors call it: shop.db, pg. at is where it is, without credentials.
	name, at string
	timeout  time.Duration
	schemas  []string
	file     string // of SQLite
	make     func() (server, error)
	written  []string // secrets in the address
	vault    *web.Vault
	variable string // the name that the password is looked up by
	ignored  string // a file of passwords that others may read; empty for none

	mu     sync.Mutex
	opened server
	closed bool
	down   error
}

// Options say how a database is opened.
type Options struct {
	// Name is the source's, by which its password is looked up; may be empty.
	Name string
	// Vault looks the password up.
	Vault *web.Vault
}

// defaultTimeout bounds one call, loadTime reading the schema.
const (
	defaultTimeout = time.Minute
	loadTime       = 2 * time.Minute
)

// Is reports whether text is the address of a database server.
func Is(text string) bool {
	scheme, rest, _ := strings.Cut(text, ":")
	return strings.HasPrefix(rest, "//") && slices.Contains([]string{"postgres", "postgresql", "mysql", "mariadb"}, scheme)
}

// Open returns the database at an address: postgres://user@host:port/name, mysql://..., or the path of a SQLite file.
// Nothing is connected to yet.
func Open(address string, o Options) (*Database, error) {
	if !Is(address) {
		return openSQLite(address), nil
	}
	_, d := Shown(address)
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address cannot be read: " + secret.New(d, 1).Text(errors.Unwrap(err).Error()))
	}
	db := &Database{timeout: defaultTimeout, written: d, name: o.Name, vault: o.Vault, variable: variable(o.Name)}
	query := u.Query()
	if limit := query.Get("timeout"); limit != "" {
		if db.timeout, err = time.ParseDuration(limit); err != nil || db.timeout <= 0 {
			return nil, fmt.Errorf("timeout: want a duration such as 30s, got %s", text.LineBytes(limit, 40))
		}
	}
	if only := query.Get("schemas"); only != "" {
		db.schemas = strings.Split(only, ",")
	}
	query.Del("timeout")
	query.Del("schemas")
	u.RawQuery = query.Encode()
	if u.Scheme == "postgres" || u.Scheme == "postgresql" {
		err = db.postgres(u)
	} else {
		err = db.mysql(u)
	}
	if err != nil {
		return nil, errors.New(secret.New(db.written, 1).Text(err.Error()))
	}
	if db.name == "" {
		db.name = db.at
	}
	return db, nil
}

// variable is the name that the password of a source is looked up by.
func variable(name string) string {
	if name == "" {
		return ""
	}
	return "ALMANAC_" + strings.ToUpper(name) + "_PASSWORD"
}

// password is what the vault has for a source whose address has none; empty for none. The caller holds mu.
func (d *Database) password() string {
	value, ok := d.vault.Value(d.variable)
	if ok {
		d.written = append(d.written, value)
	}
	return value
}

// Name is what errors call the database.
func (d *Database) Name() string { return d.name }

// Secrets are values that must never be shown.
func (d *Database) Secrets() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := slices.Clone(d.written)
	if d.opened != nil {
		all = append(all, d.opened.secrets()...)
	}
	return all
}

// Close ends all connections.
func (d *Database) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.opened != nil {
		d.opened.close()
	}
	return nil
}

// Health says why the database could not be reached the last time; nil when it could, or was not needed yet.
func (d *Database) Health() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file != "" && d.down != nil {
		if _, err := os.Stat(d.file); err == nil {
			d.down = nil
		}
	}
	return d.down
}

// Check tries to reach the database.
func (d *Database) Check(ctx context.Context) error {
	err := d.within(ctx, false, func(transaction) error { return nil })
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("database %s: no answer", d.name)
		d.mu.Lock()
		d.down = err
		d.mu.Unlock()
	}
	return err
}

func (d *Database) server() (s server, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errors.New("the source is closed")
	}
	if d.opened == nil {
		d.opened, err = d.make()
	}
	return d.opened, err
}

// begins is how often a transaction is begun anew: as often as connections may lie in a pool whose server is gone.
const begins = maxConnections + 1

// maxConnections is how many connections there are to a server.
const maxConnections = 4

// within runs f in one transaction: committed if it writes and succeeds, else rolled back.
func (d *Database) within(ctx context.Context, writes bool, f func(transaction) error) error {
	s, err := d.server()
	if err != nil {
		return d.plain(nil, err)
	}
	tx, err := s.begin(ctx, writes)
	for n := 1; n < begins && err != nil && ctx.Err() == nil && stale(err); n++ {
		tx, err = s.begin(ctx, writes) // nothing was sent that matters
	}
	err = d.plain(s, err)
	if ctx.Err() == nil {
		d.mu.Lock()
		d.down = err
		d.mu.Unlock()
	}
	if err != nil {
		return cause(ctx, err)
	}
	err = f(tx)
	if err != nil || !writes {
		_ = tx.end(ctx, false) // what was not committed is not there
		return cause(ctx, d.plain(s, err))
	}
	if err = tx.end(ctx, true); err == nil {
		return nil
	}
	message, transient := s.explained(err)
	if transient { // the server said so, and has rolled back
		return d.plain(s, err)
	}
	return fmt.Errorf("%s: %s; it is not known whether the change was made", d.name, d.clean(message))
}

// cause is the reason why ctx ended, if it did, and else err.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// A callError is an error of this package about a call, not of a server.
type callError string

func (e callError) Error() string { return string(e) }

func wrong(format string, args ...any) error { return callError(fmt.Sprintf(format, args...)) }

// plain is an error of the server with the name of the database and without credentials. It is Transient where another
// attempt may succeed.
func (d *Database) plain(s server, err error) error {
	known := callError("")
	var told *catalog.CallError
	if err == nil || errors.As(err, &known) || errors.As(err, &told) {
		return err
	}
	message, transient := err.Error(), false
	if s != nil {
		message, transient = s.explained(err)
	}
	if s != nil && s.refused(err) && d.variable != "" {
		message += ": the password is looked up as " + d.variable
	}
	if s != nil && s.refused(err) && d.ignored != "" {
		message += fmt.Sprintf(": %s is not used, since others may read it: chmod 600 %[1]s", d.ignored)
	}
	err = fmt.Errorf("database %s: %s", d.name, d.clean(message))
	if transient {
		return &catalog.Transient{Err: err}
	}
	return err
}

// clean is a message of a server without credentials, on one line.
func (d *Database) clean(message string) string {
	return text.LineBytes(secret.New(d.Secrets(), secret.Least).Text(message), 1000)
}

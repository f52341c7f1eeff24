package database

// This file reaches PostgreSQL. All values go and come as text, in the server's own form, so that none loses anything.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"almanac/catalog/text"
)

// A postgres is a pool of connections.
type postgres struct {
	pool *pgxpool.Pool
	only []string // schemas; nil for all

	types *pgtype.Map // those that come with the server

	mu sync.Mutex
	// elements are types of elements, by those of arrays; 0 for a type that is none.
	elements map[uint32]uint32
}

const (
	connectTime = 10 * time.Second
	// cancelTime is how long a statement may go on once the server was told to end it; then its connection is closed.
	cancelTime = 3 * time.Second
	// grace is how much longer than the call a statement may run by the server's own clock, should nothing tell it.
	grace = time.Second
)

func (d *Database) postgres(u *url.URL) error {
	if u.Host == "" && u.Path == "" {
		u.Path = "/" // or url.URL leaves the slashes out
	}
	d.ignorePasswords(u)
	config, err := pgxpool.ParseConfig(u.String())
	if err != nil {
		return err
	}
	c := config.ConnConfig
	if !u.Query().Has("pool_max_conns") {
		config.MaxConns = maxConnections
	}
	if c.ConnectTimeout == 0 || c.ConnectTimeout > connectTime {
		c.ConnectTimeout = connectTime
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "almanac"
	}
	c.RuntimeParams["datestyle"] = "ISO"
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelTime}
	}
	d.dialect = postgresDialect()
	host := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	if strings.HasPrefix(c.Host, "/") {
		host = c.Host
	}
	d.at = "postgres://" + host + "/" + c.Database
	_, given := u.User.Password()
	d.make = func() (server, error) {
		if password := d.password(); password != "" && !given {
			c.Password = password
		}
		pool, err := pgxpool.NewWithConfig(context.Background(), config)
		return &postgres{pool: pool, only: d.schemas, types: pgtype.NewMap(), elements: map[uint32]uint32{}}, err
	}
	return nil
}

// ignorePasswords leaves a file of passwords out that others may read, as libpq does.
func (d *Database) ignorePasswords(u *url.URL) {
	query := u.Query()
	name := orElse(query.Get("passfile"), os.Getenv("PGPASSFILE"))
	if name == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return
		}
		name = filepath.Join(home, ".pgpass")
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o077 == 0 || runtime.GOOS == "windows" {
		return
	}
	d.ignored = name
	query.Set("passfile", os.DevNull)
	u.RawQuery = query.Encode()
}

func (p *postgres) close() { p.pool.Close() }

func (p *postgres) secrets() []string { return []string{p.pool.Config().ConnConfig.Password} }

// begin starts a transaction. A read has a snapshot from the start: PostgreSQL lets nobody make it a write after that.
func (p *postgres) begin(ctx context.Context, writes bool) (transaction, error) {
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	start := "BEGIN READ WRITE"
	if !writes {
		start = "BEGIN READ ONLY"
	}
	if until, ok := ctx.Deadline(); ok {
		start += fmt.Sprintf("; SET LOCAL statement_timeout = %d", (max(time.Until(until), 0) + grace).Milliseconds())
	}
	tx := &postgresTx{server: p, conn: conn, pg: conn.Conn().PgConn(), reads: !writes}
	if _, err := tx.pg.Exec(ctx, start+"; SELECT 1").ReadAll(); err != nil {
		tx.drop()
		return nil, err
	}
	return tx, nil
}

type postgresTx struct {
	server *postgres
	conn   *pgxpool.Conn
	pg     *pgconn.PgConn
	reads  bool
}

// drop gives up the connection.
func (t *postgresTx) drop() {
	ctx, cancel := context.WithTimeout(context.Background(), cancelTime)
	defer cancel()
	_ = t.pg.Close(ctx) // it was no good
	t.conn.Release()
}

func (t *postgresTx) end(ctx context.Context, commit bool) error {
	statement := "COMMIT"
	if !commit {
		// What outlives a transaction that is rolled back does not outlive this one, either.
		statement = "ROLLBACK; SELECT pg_advisory_unlock_all()"
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
		defer cancel()
		ctx = limited
	}
	results, err := t.pg.Exec(ctx, statement).ReadAll()
	if err == nil && commit && len(results) == 1 && results[0].CommandTag.String() != "COMMIT" {
		err = errors.New("the transaction was rolled back")
	}
	if err != nil && t.pg.TxStatus() != 'I' {
		t.drop()
		return err
	}
	t.conn.Release()
	return err
}

func (t *postgresTx) run(ctx context.Context, sql string, args []any, each func(row) error) (done, error) {
	prepared, err := t.pg.Prepare(ctx, "", sql, nil)
	if err == nil && slices.ContainsFunc(prepared.Fields, t.server.unknown) {
		if err = t.learn(ctx, prepared.Fields); err == nil {
			prepared, err = t.pg.Prepare(ctx, "", sql, nil) // the look-up took the place of the first
		}
	}
	if err != nil {
		return done{}, err
	}
	if len(args) != len(prepared.ParamOIDs) {
		return done{}, wrong("the statement takes %s, got %d", text.Count(len(prepared.ParamOIDs), "argument"), len(args))
	}
	values := make([][]byte, len(args))
	for i, arg := range args {
		if values[i], err = t.server.encode(prepared.ParamOIDs[i], arg); err != nil {
			return done{}, err
		}
	}
	names := make([]string, len(prepared.Fields))
	for i, field := range prepared.Fields {
		names[i] = field.Name
	}
	names = unique(names)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	result := t.pg.ExecPrepared(reading, "", values, nil, nil)
	for err == nil && result.NextRow() {
		if each == nil {
			continue
		}
		r := make(row, len(names))
		for i, raw := range result.Values() {
			r[names[i]] = t.server.decode(prepared.Fields[i].DataTypeOID, raw)
		}
		if err = each(r); err != nil && t.reads {
			stop() // the server has more rows, which nobody wants
		}
	}
	tag, closed := result.Close()
	if err == nil {
		err = closed
	}
	return done{affected: tag.RowsAffected()}, err
}

// voidOID is the type of what is nothing.
const voidOID = 2278

// firstOwnType is the first number of a type that does not come with the server.
const firstOwnType = 16384

// learn looks up the element types of arrays that do not come with the server, so that they can be read.
func (t *postgresTx) learn(ctx context.Context, fields []pgconn.FieldDescription) error {
	known := map[uint32]uint32{}
	for _, f := range fields {
		known[f.DataTypeOID] = 0
	}
	result := t.pg.ExecParams(ctx, `SELECT a.oid, a.typelem FROM pg_type a JOIN pg_type e ON e.oid = a.typelem
		WHERE a.typcategory = 'A' AND a.oid >= $1::oid AND e.typtype <> 'c'`, [][]byte{[]byte(strconv.Itoa(firstOwnType))},
		nil, nil, nil)
	for result.NextRow() {
		from, _ := strconv.ParseUint(string(result.Values()[0]), 10, 32)
		to, _ := strconv.ParseUint(string(result.Values()[1]), 10, 32)
		known[uint32(from)] = uint32(to)
	}
	_, err := result.Close()
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	maps.Copy(t.server.elements, known)
	return err
}

// unknown reports whether nothing is known yet of the type of a field.
func (p *postgres) unknown(f pgconn.FieldDescription) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.elements[f.DataTypeOID]
	return f.DataTypeOID >= firstOwnType && !known
}

// element is the type of the elements of an array; 0 of a type that is none.
func (p *postgres) element(oid uint32) uint32 {
	if oid >= firstOwnType {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.elements[oid]
	}
	if known, ok := p.types.TypeForOID(oid); ok {
		if list, ok := known.Codec.(*pgtype.ArrayCodec); ok {
			return list.ElementType.OID
		}
	}
	return 0
}

// encode is an argument in the server's text form.
func (p *postgres) encode(oid uint32, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		if strings.ContainsRune(v, 0) {
			return nil, wrong("PostgreSQL has no texts with a zero byte")
		}
		return []byte(v), nil
	case []byte:
		return []byte(hexadecimal(v)), nil
	case bool:
		return strconv.AppendBool(nil, v), nil
	case int64:
		return strconv.AppendInt(nil, v, 10), nil
	case uint64:
		return strconv.AppendUint(nil, v, 10), nil
	case float64:
		return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
	case []any:
		if oid != pgtype.JSONOID && oid != pgtype.JSONBOID {
			return appendArray(nil, v)
		}
	}
	return json.Marshal(v)
}

// decode is what the server sent as plain data.
func (p *postgres) decode(oid uint32, raw []byte) any {
	if raw == nil {
		return nil
	}
	s := string(raw)
	switch oid {
	case pgtype.BoolOID:
		return s == "t"
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID:
		return number(s)
	case pgtype.Float4OID, pgtype.Float8OID:
		return floating(s)
	case pgtype.JSONOID, pgtype.JSONBOID:
		return parsed(s)
	case pgtype.TimestampOID, pgtype.TimestamptzOID:
		return instant(s)
	case voidOID:
		return nil
	}
	if elem := p.element(oid); elem != 0 {
		if list, ok := readArray(s, func(item string) any { return p.decode(elem, []byte(item)) }); ok {
			return list
		}
	}
	return s
}

// explained is an error in PostgreSQL's words, with its code.
func (p *postgres) explained(err error) (string, bool) {
	var told *pgconn.PgError
	if !errors.As(err, &told) {
		var connect *pgconn.ConnectError
		if errors.As(err, &connect) { // which says the same of each way that was tried
			ways := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\t' })
			return strings.Replace(strings.Join(slices.Compact(ways), "; "), ":; ", ": ", 1), true
		}
		if stale(err) {
			return "the connection was lost: " + err.Error(), true
		}
		return err.Error(), false
	}
	message := told.Message + " (" + told.Code + ")"
	for _, more := range []string{told.Detail, told.Hint} {
		if more != "" {
			message += ": " + more
		}
	}
	class := told.Code[:min(2, len(told.Code))]
	return message, class == "08" || class == "53" || class == "40" || class == "57" && told.Code != "57014" ||
		told.Code == "55P03"
}

func (p *postgres) refused(err error) bool {
	var told *pgconn.PgError
	return errors.As(err, &told) && strings.HasPrefix(told.Code, "28")
}

// stale reports an error of a connection that was there and is gone.
func stale(err error) bool {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return false
	}
	var told *pgconn.PgError
	if errors.As(err, &told) {
		return strings.HasPrefix(told.Code, "57P")
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		pgconn.SafeToRetry(err) || mysqlStale(err)
}

package database

// This file reaches MySQL and MariaDB.

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"
)

// A mysqlServer is a pool of connections.
type mysqlServer struct {
	database string
	pool     *sql.DB
	// ends kills statements, when all connections of the pool are busy.
	ends     *sql.DB
	password string
}

func (d *Database) mysql(u *url.URL) error {
	c := mysql.NewConfig()
	c.User, c.DBName = u.User.Username(), strings.TrimPrefix(u.Path, "/")
	if c.User == "" {
		c.User = os.Getenv("USER")
	}
	if c.DBName == "" {
		return errors.New("the address names no database: mysql://user@host/NAME")
	}
	given := false
	c.Passwd, given = u.User.Password()
	c.Net, c.Addr = "tcp", net.JoinHostPort(orElse(u.Hostname(), "localhost"), orElse(u.Port(), "3306"))
	c.Timeout, c.ClientFoundRows, c.Collation = connectTime, true, "utf8mb4_unicode_ci"
	c.Logger = &mysql.NopLogger{}
	query := u.Query()
	for name := range query {
		switch value := query.Get(name); name {
		case "socket":
			c.Net, c.Addr = "unix", value
		case "tls":
			c.TLSConfig = value
		default:
			return fmt.Errorf("unknown option %s: want socket, tls, timeout", name)
		}
	}
	d.dialect = mysqlDialect()
	d.at = "mysql://" + c.Addr + "/" + c.DBName
	d.make = func() (server, error) {
		if !given {
			c.Passwd = orElse(d.password(), os.Getenv("MYSQL_PWD"))
		}
		connector, err := mysql.NewConnector(c)
		if err != nil {
			return nil, err
		}
		s := &mysqlServer{database: c.DBName, pool: sql.OpenDB(connector), ends: sql.OpenDB(connector), password: c.Passwd}
		s.pool.SetMaxOpenConns(maxConnections)
		s.pool.SetConnMaxIdleTime(5 * time.Minute)
		s.ends.SetMaxIdleConns(0)
		return s, nil
	}
	return nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (s *mysqlServer) close() {
	s.pool.Close()
	s.ends.Close()
}

func (s *mysqlServer) secrets() []string { return []string{s.password} }

func (s *mysqlServer) begin(ctx context.Context, writes bool) (transaction, error) {
	conn, err := s.pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var id int64
	begin := func() error {
		if err := conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
			return err
		}
		if until, ok := ctx.Deadline(); ok {
			// MariaDB and MySQL have different names for it, and each takes the other's for a comment.
			left := max(time.Until(until), 0) + grace
			if _, err := conn.ExecContext(ctx, fmt.Sprintf(
				"SET SESSION /*M! max_statement_time = %.3f */ /*!50708 max_execution_time = %d */", left.Seconds(),
				left.Milliseconds())); err != nil {
				return err
			}
		}
		start := "START TRANSACTION READ ONLY"
		if writes {
			start = "START TRANSACTION READ WRITE"
		}
		_, err := conn.ExecContext(ctx, start)
		return err
	}
	if err := begin(); err != nil {
		_ = conn.Raw(func(any) error { return errDrop })
		conn.Close()
		return nil, err
	}
	return &plainTx{
		conn: conn, reads: !writes, decode: mysqlValue,
		bracket: func(ctx context.Context, run func(ctx context.Context) error) error { return s.bracket(ctx, id, run) },
	}, nil
}

// bracket runs a statement of the connection id. When ctx ends, the server is told to end the statement; the driver
// alone would close the connection, and the statement would go on.
func (s *mysqlServer) bracket(ctx context.Context, id int64, run func(ctx context.Context) error) error {
	inner, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	over, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
		defer cancel()
		_, err := s.ends.ExecContext(limited, fmt.Sprintf("KILL QUERY %d", id))
		if err == nil {
			select {
			case <-over:
				return
			case <-limited.Done():
			}
		}
		abandon()
	}()
	err := run(inner)
	close(over)
	<-watched
	return err
}

// mysqlValue is a value as plain data.
func mysqlValue(column *sql.ColumnType, v any) any {
	switch v := v.(type) {
	case []byte:
		return mysqlText(column.DatabaseTypeName(), v)
	case uint64:
		if v > 1<<63-1 {
			return fmt.Sprint(v)
		}
		return int64(v)
	case float32:
		return floating(fmt.Sprint(v))
	}
	return v
}

func mysqlText(typ string, v []byte) any {
	switch s := string(v); typ {
	case "DECIMAL", "VARCHAR", "CHAR", "TEXT", "ENUM", "SET", "DATE", "TIME":
		if utf8.Valid(v) {
			return s
		}
		return hexadecimal(v)
	case "DATETIME", "TIMESTAMP":
		return instant(s)
	case "JSON":
		return parsed(s)
	case "BIT":
		var n [8]byte
		copy(n[8-min(len(v), 8):], v)
		return mysqlValue(nil, binary.BigEndian.Uint64(n[:]))
	case "FLOAT", "DOUBLE":
		return floating(s)
	case "BLOB", "BINARY", "VARBINARY", "GEOMETRY":
		return hexadecimal(v)
	default:
		if strings.HasSuffix(typ, "INT") || typ == "YEAR" {
			return number(s)
		}
		return s
	}
}

// mysqlAgain are the numbers of errors after which another attempt may succeed: deadlocks, waiting for locks, too many
// connections, a server that stops.
var mysqlAgain = []uint16{1213, 1205, 1040, 1203, 1053, 1927}

func (s *mysqlServer) explained(err error) (string, bool) {
	var told *mysql.MySQLError
	if errors.As(err, &told) {
		return fmt.Sprintf("%s (%d)", told.Message, told.Number), slices.Contains(mysqlAgain, told.Number)
	}
	var network net.Error
	if mysqlStale(err) {
		return "the connection was lost", true
	}
	return err.Error(), errors.As(err, &network)
}

func (s *mysqlServer) refused(err error) bool {
	var told *mysql.MySQLError
	return errors.As(err, &told) && told.Number == 1045
}

// mysqlStale reports an error of a connection that is gone.
func mysqlStale(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn)
}

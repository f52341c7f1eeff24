// Package kept stores large values of a session in one file beside its log: earlier states of the globals, and results
// too large for the log. A value is found by the SHA-256 of its bytes and stored once; parts that several values share
// are stored once too.
//
//	Open      the store in a file, or in memory
//	Store     Put and Get values, Forget them; Write and Read small records by name
//	Copy      takes values over from another store
//	Taken     how much room values take
//
// # What happens to a damaged file?
//
// Whatever it returns is what was put: a value with a missing or changed part is an error, and so is a file that is no
// store. The caller tells the person and goes on without what was kept.
//
// # Who may write?
//
// A file belongs to the session that made it, as a log does: one that exists can only be read, and the first write
// makes a new one. Other processes may read it meanwhile.
package kept

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	// MaxValue is how large a value may be, in bytes.
	MaxValue = 64 << 20
	// MaxFile is how large the file gets, in bytes.
	MaxFile = 512 << 20
)

var (
	// ErrFull says that the store has reached MaxFile. What is there can be read, and forgetting makes room.
	ErrFull = fmt.Errorf("it has reached its limit of %d MiB", MaxFile>>20)
	// ErrClosed says that the store was closed.
	ErrClosed = errors.New("closed")
)

// A Store holds values. Safe for concurrent use.
type Store struct {
	path string // empty: in memory
	// reads tells that the file is another session's.
	reads bool

	mu     sync.Mutex
	db     *sql.DB // nil before the first write
	closed bool
}

// Put stores data, unless it is there already, and returns its digest, the SHA-256 in hexadecimal. Each Put of a value
// counts: it stays until it was forgotten as often.
func (s *Store) Put(data []byte) (digest string, err error) {
	if len(data) > MaxValue {
		return "", s.named(fmt.Errorf("a value of %d bytes: larger than %d MiB", len(data), MaxValue>>20))
	}
	sum := sha256.Sum256(data)
	err = s.change(func(tx *sql.Tx) error {
		done, err := tx.Exec(`UPDATE value SET uses = uses + 1 WHERE digest = ?`, sum[:])
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); n > 0 || err != nil {
			return err
		}
		parts, err := putParts(tx, data)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO value (digest, size, parts, uses) VALUES (?, ?, ?, 1)`, sum[:], len(data), parts)
		return err
	})
	return hex.EncodeToString(sum[:]), err
}

// putParts stores the parts of data that are new and returns the numbers of all.
func putParts(tx *sql.Tx, data []byte) ([]byte, error) {
	use, err := tx.Prepare(`UPDATE part SET uses = uses + 1 WHERE digest = ? RETURNING id`)
	if err != nil {
		return nil, err
	}
	defer use.Close()
	add, err := tx.Prepare(`INSERT INTO part (digest, size, data, uses) VALUES (?, ?, ?, 1) RETURNING id`)
	if err != nil {
		return nil, err
	}
	defer add.Close()
	press, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	var ids []uint64
	var small bytes.Buffer
	for part := range parts(data) {
		sum := sha256.Sum256(part)
		var id uint64
		err := use.QueryRow(sum[:]).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			small.Reset()
			press.Reset(&small)
			_, err = press.Write(part) // neither fails: it goes to memory
			stored := part
			if err = errors.Join(err, press.Close()); small.Len() < len(part) {
				stored = small.Bytes()
			}
			if err == nil {
				err = add.QueryRow(sum[:], len(part), stored).Scan(&id)
			}
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return packed(ids), nil
}

// packed are the numbers of parts as bytes; numbersOf is the reverse.
func packed(ids []uint64) []byte {
	b := []byte{}
	for _, id := range ids {
		b = binary.AppendUvarint(b, id)
	}
	return b
}

func numbersOf(parts []byte) (ids []uint64, err error) {
	for len(parts) > 0 {
		id, n := binary.Uvarint(parts)
		if n <= 0 {
			return nil, errDamaged
		}
		ids, parts = append(ids, id), parts[n:]
	}
	return ids, nil
}

// Get returns the value with that digest. The error is an fs.ErrNotExist where there is none.
func (s *Store) Get(digest string) ([]byte, error) {
	var data []byte
	err := s.look(func(db *sql.DB) (err error) {
		data, err = value(db, digest)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("value %.12s: %w", digest, err)
	}
	return data, nil
}

func value(db *sql.DB, digest string) ([]byte, error) {
	ids, sum, size, err := partsOf(db, digest)
	if err != nil {
		return nil, err
	}
	if size < 0 || size > MaxValue {
		return nil, errDamaged
	}
	get, err := db.Prepare(`SELECT size, data FROM part WHERE id = ?`)
	if err != nil {
		return nil, err
	}
	defer get.Close()
	data := make([]byte, 0, size)
	open := flate.NewReader(nil)
	for _, id := range ids {
		var n int
		var stored []byte
		switch err := get.QueryRow(id).Scan(&n, &stored); {
		case errors.Is(err, sql.ErrNoRows) || n < 0 || n > maxPart:
			return nil, errDamaged
		case err != nil:
			return nil, err
		}
		if len(stored) < n {
			if err := open.(flate.Resetter).Reset(bytes.NewReader(stored), nil); err != nil {
				return nil, err
			}
			if stored, err = io.ReadAll(io.LimitReader(open, int64(n)+1)); err != nil {
				return nil, errDamaged
			}
		}
		if len(stored) != n || len(data)+n > size {
			return nil, errDamaged
		}
		data = append(data, stored...)
	}
	if found := sha256.Sum256(data); !bytes.Equal(found[:], sum) {
		return nil, errDamaged
	}
	return data, nil
}

// Forget takes back one Put of the value with that digest. One that is not there is forgotten already.
func (s *Store) Forget(digest string) error {
	sum, err := hex.DecodeString(digest)
	if err != nil {
		return s.named(fmt.Errorf("value %.12s: %w", digest, err))
	}
	return s.change(func(tx *sql.Tx) error {
		var numbers []byte
		var uses int
		row := tx.QueryRow(`UPDATE value SET uses = uses - 1 WHERE digest = ? RETURNING parts, uses`, sum)
		err := row.Scan(&numbers, &uses)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil || uses > 0 {
			return err
		}
		ids, err := numbersOf(numbers)
		if err != nil {
			return err
		}
		less, err := tx.Prepare(`UPDATE part SET uses = uses - 1 WHERE id = ?`)
		if err != nil {
			return err
		}
		defer less.Close()
		for _, id := range ids {
			if _, err := less.Exec(id); err != nil {
				return err
			}
		}
		_, err = tx.Exec(`DELETE FROM part WHERE uses <= 0; DELETE FROM value WHERE digest = ?`, sum)
		return err
	})
}

// Write replaces the record of that name, in one step: whoever reads it finds the old one or the new one.
func (s *Store) Write(name string, data []byte) error {
	if len(data) > MaxValue {
		return s.named(fmt.Errorf("%s: larger than %d MiB", name, MaxValue>>20))
	}
	return s.change(func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT OR REPLACE INTO record (name, data) VALUES (?, ?)`, name, data)
		return err
	})
}

// Read returns the record of that name. The error is an fs.ErrNotExist where there is none.
func (s *Store) Read(name string) (data []byte, err error) {
	err = s.look(func(db *sql.DB) error {
		return db.QueryRow(`SELECT data FROM record WHERE name = ?`, name).Scan(&data)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// change runs do in a transaction. Without a file it makes one.
func (s *Store) change(do func(*sql.Tx) error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return s.named(ErrClosed)
	case s.reads:
		return s.named(errors.New("it belongs to another session and can only be read"))
	}
	if s.db == nil {
		if err := s.create(); err != nil {
			return s.named(err)
		}
	}
	tx, err := s.db.Begin()
	if err != nil {
		return s.named(err)
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // the first error tells
		return s.named(err)
	}
	return s.named(tx.Commit())
}

// look runs do if there is anything to look at.
func (s *Store) look(do func(*sql.DB) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return s.named(ErrClosed)
	case s.db == nil:
		return s.named(fs.ErrNotExist)
	}
	return s.named(do(s.db))
}

// A noSpaceError is an ErrFull of the disk: forgetting makes room there too.
type noSpaceError struct{}

func (noSpaceError) Error() string        { return "no space left on the disk" }
func (noSpaceError) Is(target error) bool { return target == ErrFull }

// size is how large the file is, in bytes.
func (s *Store) size() int64 {
	info, err := os.Stat(s.path)
	if err != nil {
		return MaxFile
	}
	return info.Size()
}

// errDamaged says that what is in the file is not what was put there.
var errDamaged = errors.New("damaged")

// named says of which store err is, and what is wrong with it.
func (s *Store) named(err error) error {
	if err == nil {
		return nil
	}
	var bad *sqlite.Error
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = fs.ErrNotExist
	case errors.As(err, &bad) && bad.Code()&0xff == sqlite3.SQLITE_FULL:
		if err = ErrFull; s.size() < MaxFile/2 {
			err = noSpaceError{}
		}
	case errors.As(err, &bad) && (bad.Code()&0xff == sqlite3.SQLITE_CORRUPT || bad.Code()&0xff == sqlite3.SQLITE_NOTADB):
		err = errDamaged
	}
	if s.path == "" {
		return fmt.Errorf("session store: %w", err)
	}
	return fmt.Errorf("session store %s: %w", s.path, err)
}

// Close closes the file. The store can no longer be used.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	db := s.db
	s.db, s.closed = nil, true
	if db == nil {
		return nil
	}
	return s.named(db.Close())
}

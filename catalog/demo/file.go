package demo

// This file inspects the file at a path, and makes a new one. A new file is filled under a temporary name and renamed
// when it is complete and on disk, so that a killed process cannot leave half a back office behind. A lock file keeps
// others from making it at the same time.

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"almanac/catalog/regular"
)

// The header of a back office: "ALMA" in ASCII, and the version of its tables and contents.
const (
	applicationID = 0x414c4d41
	schemaVersion = 1
)

//go:embed schema.sql
var schemaSQL string

//go:embed views.sql
var viewsSQL string

// A fileError says why the file at Path cannot be used as a back office. The file was not touched.
type fileError struct {
	Path, Reason, Hint string
}

// Hints of a fileError.
const (
	another = "move it away, or name another file"
	anew    = "move it away and a new one is made"
)

// unusable is the error of a file that could be opened and not be read.
func unusable(path string, err error) error {
	var told *sqlite.Error
	if errors.As(err, &told) {
		switch told.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return &fileError{path, "damaged: " + err.Error(), anew}
		case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL:
			return &fileError{path, err.Error(), "there may be no room on the disk"}
		}
	}
	return fmt.Errorf("back office %s: %w", path, err)
}

func (e *fileError) Error() string {
	return fmt.Sprintf("back office %s: %s (%s)", e.Path, e.Reason, e.Hint)
}

// ready makes sure that a complete back office is at path.
func ready(ctx context.Context, path string, size sizes) error {
	there, err := inspect(path)
	if there || err != nil {
		return err
	}
	unlock, err := lock(ctx, path+".lock")
	if err != nil {
		return fmt.Errorf("back office %s: %w", path, err)
	}
	there, err = inspect(path) // somebody may have made it while we waited
	if !there && err == nil {
		err = create(ctx, path, size)
	}
	return errors.Join(err, unlock(err == nil))
}

// inspect reports whether there is a back office; a missing file gives false. It only reads.
func inspect(path string) (bool, error) {
	refuse := func(reason, hint string) (bool, error) {
		return false, &fileError{Path: path, Reason: reason, Hint: hint}
	}
	stat, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("back office: %w", err)
	case !stat.Mode().IsRegular():
		return refuse("not a file", another)
	case stat.Size() == 0:
		return refuse("empty: what was in it is lost", anew)
	}
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("back office: %w", err)
	}
	defer f.Close()
	head := make([]byte, 100)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, fmt.Errorf("back office: %w", err)
	}
	if string(head[:16]) != "SQLite format 3\x00" {
		return refuse("not a back office but some other file", another)
	}
	if n < len(head) {
		return refuse(fmt.Sprintf("cut short: %d bytes", n), anew)
	}
	if binary.BigEndian.Uint32(head[68:]) != applicationID {
		return refuse("a database of another program", another)
	}
	if v := binary.BigEndian.Uint32(head[60:]); v != schemaVersion {
		return refuse(fmt.Sprintf("made by another version (tables %d, this program has %d)", v, schemaVersion), anew)
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 65536
	}
	if want := page * int64(binary.BigEndian.Uint32(head[28:])); stat.Size() < want {
		return refuse(fmt.Sprintf("cut short: %d bytes of %d", stat.Size(), want), anew)
	}
	return true, nil
}

// create makes the back office. The caller holds the lock, so leftovers of a killed process can be removed.
func create(ctx context.Context, path string, size sizes) error {
	part := path + ".part"
	leftovers := []string{part, part + "-journal", part + "-wal", part + "-shm"}
	// SQLite would take a log without its database for the new one's.
	for _, name := range append(leftovers, path+"-wal", path+"-shm", path+"-journal") {
		if err := remove(name); err != nil {
			return fmt.Errorf("back office: %w", err)
		}
	}
	err := build(ctx, part, size)
	if err == nil {
		err = syncFile(part)
	} else if ctx.Err() != nil {
		err = ctx.Err() // the driver may say only that its statement was closed
	}
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		for _, name := range leftovers {
			err = errors.Join(err, remove(name))
		}
		return fmt.Errorf("back office %s: %w", path, err)
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // not all systems can; the file is then at worst made again
		_ = dir.Close()
	}
	return nil
}

func remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// build fills a new file, without journal or syncing: nobody sees the file before it is complete.
func build(ctx context.Context, path string, size sizes) error {
	const unsafe = "_pragma=journal_mode(off)&_pragma=synchronous(off)"
	db, err := sql.Open("sqlite", dsn(path, unsafe+"&_pragma=locking_mode(exclusive)&_pragma=cache_size(-65536)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	return errors.Join(populate(ctx, db, size), db.Close())
}

func populate(ctx context.Context, db *sql.DB, size sizes) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after Commit this does nothing; before, the file is thrown away anyway
	if _, err := tx.ExecContext(ctx, schemaSQL); err != nil {
		return err
	}
	if err := fill(ctx, tx, size); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, viewsSQL); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO dataset_rows SELECT * FROM dataset_source`); err != nil {
		return err
	}
	if err := checkReferences(ctx, tx); err != nil {
		return err
	}
	marks := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, schemaVersion)
	if _, err := tx.ExecContext(ctx, marks); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "PRAGMA journal_mode = wal")
	return err
}

// checkReferences checks the foreign keys, which are not enforced while filling.
func checkReferences(ctx context.Context, tx *sql.Tx) error {
	var table, parent string
	var row, key any
	err := tx.QueryRowContext(ctx, "PRAGMA foreign_key_check").Scan(&table, &row, &parent, &key)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("table %s: a row names a %s that does not exist", table, parent)
}

// lock acquires a lock file, which the system releases when the process ends. unlock removes the file after success:
// whoever still waits for it, or makes a new one, finds the work done. After a failure it stays, so that waiting
// processes keep taking turns on the same file.
func lock(ctx context.Context, name string) (unlock func(done bool) error, err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		free, err := regular.TryLock(f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if free {
			return func(done bool) error {
				err := f.Close()
				if done {
					_ = os.Remove(name) // on Windows the last one to close it can
				}
				return err
			}, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

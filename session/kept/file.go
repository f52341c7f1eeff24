package kept

// This file opens and makes the database that a store is, and refuses what is none.

import (
	"database/sql"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"almanac/catalog/regular"
)

// The header of a store: "ALMK" in ASCII, and the version of its tables.
const (
	applicationID = 0x414c4d4b
	schemaVersion = 1
)

//go:embed schema.sql
var schemaSQL string

const (
	head     = 100     // bytes of a database's header
	pageSize = 4 << 10 // SQLite's own default
)

// Open opens the store at path for reading, or a new one, which is made at the first write; an empty path means one in
// memory. The error says what is wrong with the file that is there.
func Open(path string) (*Store, error) {
	s := &Store{path: path}
	if path == "" {
		return s, nil
	}
	there, err := s.inspect()
	if err == nil && there {
		// Reading may have to complete what a killed process left half written.
		s.reads = true
		err = s.connect(path, "mode=rw&_pragma=query_only(1)")
	}
	if err != nil {
		return nil, s.named(err)
	}
	return s, nil
}

// inspect tells whether there is a store; the error says why what is there is none. SQLite opens the files beside it by
// their names, so they are looked at too.
func (s *Store) inspect() (bool, error) {
	for _, beside := range []string{"-wal", "-shm", "-journal"} {
		info, err := os.Stat(s.path + beside)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return false, err
		case !info.Mode().IsRegular() || info.Size() > 2*MaxFile:
			return false, fmt.Errorf("damaged: %s: not a file of its own", filepath.Base(s.path)+beside)
		}
	}
	file, err := regular.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return false, err
	case info.Size() == 0:
		return false, errors.New("empty: what was in it is lost")
	case info.Size() > 2*MaxFile:
		return false, fmt.Errorf("larger than %d MiB", 2*MaxFile>>20)
	}
	b := make([]byte, head)
	if _, err := io.ReadFull(file, b); err != nil || string(b[:16]) != "SQLite format 3\x00" ||
		binary.BigEndian.Uint32(b[68:]) != applicationID {
		return false, errors.New("not a session store")
	}
	if v := binary.BigEndian.Uint32(b[60:]); v != schemaVersion {
		return false, fmt.Errorf("version %d, want version %d", v, schemaVersion)
	}
	return true, nil
}

// create makes the database. A file is made under another name first, so that a killed process leaves no half of one.
func (s *Store) create() error {
	if s.path == "" {
		return s.connect("", "")
	}
	for _, name := range []string{s.path, s.path + "-wal", s.path + "-shm", s.path + "-journal"} {
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s: a file of that name is there already", filepath.Base(name))
		}
	}
	part := s.path + ".part"
	file, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) // only the user can read it
	if err != nil {
		return err
	}
	if err = file.Close(); err == nil {
		err = s.connect(part, "mode=rw&_pragma=synchronous(off)")
	}
	if err == nil {
		err = errors.Join(s.db.Close(), os.Rename(part, s.path))
		s.db = nil
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return s.connect(s.path, "mode=rw&_txlock=immediate")
}

// connect opens the database at path, on one connection, and makes the tables of a new one.
func (s *Store) connect(path, options string) error {
	address := ":memory:"
	if path != "" {
		path, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		file := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}
		address = file.String() + "?_pragma=busy_timeout(10000)&_pragma=synchronous(normal)&" + options +
			fmt.Sprintf("&_pragma=max_page_count(%d)", MaxFile/pageSize)
	}
	db, err := sql.Open("sqlite", address)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	var version int
	err = db.QueryRow(`PRAGMA user_version`).Scan(&version)
	if err == nil && version == 0 {
		_, err = db.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; PRAGMA journal_mode = wal;",
			applicationID, schemaVersion) + schemaSQL)
	}
	if err == nil { // a damaged one says so now
		err = db.QueryRow(`SELECT count(*) FROM value, part, record WHERE 0`).Scan(&version)
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	s.db = db
	return nil
}

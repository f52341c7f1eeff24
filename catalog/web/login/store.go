package login

// This file keeps logins. Each has a file; its tokens are in the keyring where there is one, else in the file too.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog/regular"
	"almanac/catalog/task"
)

// A Keyring is the system's. A nil function is one that is not there. It may wait for its person.
type Keyring struct {
	Get    func(name string) (string, error)
	Set    func(name, value string) error
	Delete func(name string) error
}

// A Store has the logins of this machine. It is safe for concurrent use, by other programs too; a nil *Store is empty.
type Store struct {
	dir  string
	ring Keyring

	mu     sync.Mutex
	issued []string // every secret that was read or received
}

// NewStore returns the store in a folder, which need not exist.
func NewStore(dir string, ring Keyring) *Store { return &Store{dir: dir, ring: ring} }

// Secrets are the values that this program has come to know and must never show. It waits for nothing.
func (s *Store) Secrets() []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.issued)
}

func (s *Store) issue(t tokens) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range []string{t.Access, t.Refresh, t.Client} {
		if value != "" && !slices.Contains(s.issued, value) {
			s.issued = append(s.issued, value)
		}
	}
}

// id names a login: linear@mcp.linear.app_443. One source at two servers has two.
func (l Login) id() string {
	u, err := url.Parse(l.Origins[0])
	if err != nil {
		return l.Source
	}
	return l.Source + "@" + strings.NewReplacer(":", "_", "[", "", "]", "").Replace(u.Host)
}

func (s *Store) path(id string) string { return filepath.Join(s.dir, id+".json") }

// File is where a login is kept.
func (s *Store) File(l Login) string { return s.path(l.id()) }

// ringName is the name of a login in the keyring.
func ringName(id string) string { return "login " + id }

// files are those of the logins of a source; all of them where source is empty.
func (s *Store) files(source string) []string {
	if s == nil {
		return nil
	}
	all, err := os.ReadDir(s.dir)
	if err != nil {
		return nil
	}
	var found []string
	for _, f := range all {
		id, ok := strings.CutSuffix(f.Name(), ".json")
		if name, _, _ := strings.Cut(id, "@"); ok && (source == "" || name == source) {
			found = append(found, id)
		}
	}
	return found
}

// maxFile bounds the file of a login, in bytes.
const maxFile = 1 << 20

// note reads the file of a login: all but the tokens where those are in the keyring. raw changes with the login. The
// error is a *NeededError where the file is not good for a login.
func (s *Store) note(id string) (l Login, raw string, err error) {
	text, err := regular.Read(s.path(id), maxFile)
	if err != nil {
		return Login{}, "", err
	}
	source, _, _ := strings.Cut(id, "@")
	if err := json.Unmarshal(text, &l); err != nil || len(l.Origins) == 0 || l.id() != id {
		return Login{}, "", &NeededError{Source: source, Reason: s.path(id) + " is damaged"}
	}
	s.issue(l.Tokens)
	info, err := os.Stat(s.path(id))
	if err != nil {
		return Login{}, "", err
	}
	if !l.InKeyring && info.Mode()&0o077 != 0 && runtime.GOOS != "windows" {
		return Login{}, "", &NeededError{Source: source, Reason: s.path(id) + " has its tokens, and others can read it"}
	}
	return l, string(text), nil
}

// read reads a login with its tokens. What the keyring has is what counts: the file beside it may have been changed.
func (s *Store) read(id string) (Login, error) {
	l, _, err := s.note(id)
	if err != nil || !l.InKeyring {
		return l, err
	}
	text, err := s.ask(func() (string, error) { return s.ring.Get(ringName(id)) })
	if err != nil {
		return Login{}, fmt.Errorf("%s: its login is in the system keyring, which does not give it (%v): unlock it, or run "+
			"almanac login %s", l.Source, err, l.Source)
	}
	kept := Login{}
	if err := json.Unmarshal([]byte(text), &kept); err != nil || len(kept.Origins) == 0 || kept.id() != id {
		return Login{}, &NeededError{Source: l.Source, Reason: "its login in the system keyring is damaged"}
	}
	s.issue(kept.Tokens)
	return kept, nil
}

// ringWait bounds one request of the keyring.
const ringWait = 10 * time.Second

// ask asks the keyring. If it does not answer, its goroutine is abandoned.
func (s *Store) ask(request func() (string, error)) (string, error) {
	if s.ring.Get == nil || s.ring.Set == nil || s.ring.Delete == nil {
		return "", errors.New("there is none")
	}
	type answer struct {
		text string
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		text, err := request()
		done <- answer{text, err}
	}()
	timer := time.NewTimer(ringWait)
	defer timer.Stop()
	select {
	case got := <-done:
		return got.text, got.err
	case <-timer.C:
		return "", errors.New("no answer")
	}
}

// write keeps a login. Where the keyring does not take it, the file has the tokens; a login that was in a file before
// stays there.
func (s *Store) write(l Login, ring bool) (Login, error) {
	s.issue(l.Tokens)
	l.InKeyring = ring
	text, err := json.Marshal(l)
	if err != nil {
		return l, err
	}
	if ring {
		_, err = s.ask(func() (string, error) { return "", s.ring.Set(ringName(l.id()), string(text)) })
		l.InKeyring = err == nil
	}
	noted := l
	if l.InKeyring {
		noted.Tokens = tokens{}
	}
	if text, err = json.MarshalIndent(noted, "", "  "); err != nil {
		return l, err
	}
	return l, s.replace(s.path(l.id()), append(text, '\n'))
}

// replace writes a file that only its owner can read, whole or not at all.
func (s *Store) replace(path string, text []byte) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, ".new-*") // of mode 600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // nothing uses it
	}
	return err
}

const (
	// lockWait bounds how long one waits for another program that renews the same login, and lockPause is how often one
	// looks.
	lockWait  = 30 * time.Second
	lockPause = 20 * time.Millisecond
)

// lock waits until no other program, and nobody else in this one, changes the login. The lock ends with unlock, or with
// the program.
func (s *Store) lock(ctx context.Context, id string) (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, id+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, errors.New("another program holds its login"))
	defer cancel()
	for {
		free, err := regular.TryLock(f)
		if err == nil && !free {
			err = task.Sleep(ctx, lockPause)
			if err == nil {
				continue
			}
			err = cmp.Or(context.Cause(ctx), err)
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		return func() { f.Close() }, nil
	}
}

// A Status is a login as it is told to people: without its tokens.
type Status struct {
	Login
	// Err is why it cannot be read; nil when it can.
	Err error
	// Renews is that of the Login, which has no tokens here.
	Renews bool
}

// List is what is kept of a source; of all where source is empty. It asks the keyring.
func (s *Store) List(source string) []Status {
	var all []Status
	for _, id := range s.files(source) {
		l, _, err := s.note(id)
		if err == nil {
			var whole Login
			if whole, err = s.read(id); err == nil {
				l = whole
			}
		}
		renews := l.Renews()
		l.Tokens = tokens{}
		name, _, _ := strings.Cut(id, "@")
		l.Source = cmp.Or(l.Source, name)
		all = append(all, Status{Login: l, Err: err, Renews: renews})
	}
	return all
}

// Logout forgets the logins of a source, and tells who gave them, where they take that. It returns how many there were;
// the error is that of forgetting.
func (s *Store) Logout(ctx context.Context, source string) (int, error) {
	var errs []error
	all := s.files(source)
	for _, id := range all {
		unlock, err := s.lock(ctx, id)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if l, err := s.read(id); err == nil {
			_ = l.revoke(ctx) // it is forgotten here either way
		}
		if l, _, err := s.note(id); err != nil || l.InKeyring {
			_, err = s.ask(func() (string, error) { return "", s.ring.Delete(ringName(id)) })
			if err != nil && l.InKeyring {
				errs = append(errs, fmt.Errorf("%s: the system keyring keeps it: %w", id, err))
			}
		}
		errs = append(errs, os.Remove(s.path(id)))
		unlock()
	}
	return len(all), errors.Join(errs...)
}

package bus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nats-io/nats-server/v2/server"
)

// This file is what happens where the disk takes no more. A stream of the server that could not be written to takes
// nothing until the server is started again, and its clients wait for answers in vain. So whoever runs the server ends
// it then and gives the lock back, and nobody starts it before there is room.

// A roomError says that the data of the shared server cannot be written.
type roomError struct {
	dir string
	err error
}

// newRoomError leaves out of err which file it was.
func newRoomError(dir string, err error) error {
	if failed := (*os.PathError)(nil); errors.As(err, &failed) {
		err = failed.Err
	}
	return &roomError{dir, err}
}

func (e *roomError) Error() string {
	return fmt.Sprintf("nothing can be kept in %s: %v: it goes on when there is room", e.dir, e.err)
}

func (e *roomError) Unwrap() error { return e.err }

// enoughRoom is how many bytes have to be free: what one message may have.
const enoughRoom = 1 << 20

// checkRoom says why nothing can be kept in a folder.
func checkRoom(dir string) error {
	path := filepath.Join(dir, "room")
	err := os.WriteFile(path, make([]byte, enoughRoom), 0o600)
	if removed := os.Remove(path); err == nil && !errors.Is(removed, os.ErrNotExist) {
		err = removed
	}
	if err == nil {
		return nil
	}
	return newRoomError(dir, err)
}

// giveUp ends a server that cannot write, if it still runs here.
func (s *shared) giveUp(broken *server.Server, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == broken && s.ctx.Err() == nil {
		s.failed(newRoomError(s.dir, err))
		_ = s.release() // the next attempt to connect finds out what is wrong
	}
}

// room is what the shared server waits for; nil where it does not wait for room.
func (b *Bus) room() error {
	full := (*roomError)(nil)
	if b.shared == nil || !errors.As(b.shared.why(nil), &full) {
		return nil
	}
	return full
}

// Stuck tells whether the shared server cannot go on until somebody makes room for its data.
func (b *Bus) Stuck() bool { return b.room() != nil }

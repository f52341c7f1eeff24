package bus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"almanac/catalog/regular"
)

// This file shares one server between the programs of a user.

// How long the shared server may take to start, one attempt to reach it, and the whole of an attempt to connect.
const (
	startTime = 10 * time.Second
	dialTime  = time.Second
	lockTime  = 5 * time.Second
)

// syncTime is how often what was written is forced to the disk. What was acknowledged has been handed to the operating
// system before, which keeps it whatever happens to programs; a power cut may take this much.
const syncTime = time.Second

// maxStore and maxMemory are more than there is: what may be kept is for streams and buckets to say, and for the disk.
// The server would refuse to make one that might become larger than three quarters of what is free when it starts.
const (
	maxStore  = 1 << 50
	maxMemory = 1 << 40
)

// shared is the server that the programs of a user share, as one of them sees it.
type shared struct {
	dir, socket string
	damaged     func(stream string)
	ctx         context.Context // done when the Bus closes
	cancel      context.CancelFunc

	mu       sync.Mutex // held while connecting
	server   *server.Server
	lock     *os.File // has the number of the process that holds it
	resting  bool     // another program is to run the server
	listener net.Listener
	serving  sync.WaitGroup

	ending sync.WaitGroup        // of a server that cannot write
	last   atomic.Pointer[error] // of the last attempt to connect; nil for none
}

// newShared prepares the folder of the data. damaged is told of streams of which something could not be read.
func newShared(dir string, damaged func(stream string)) (*shared, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("team bus: %w: its data needs a folder that can be written to", err)
	}
	socket, err := socketPath(dir)
	if err != nil {
		return nil, fmt.Errorf("team bus: %w", err)
	}
	s := &shared{dir: dir, socket: socket, damaged: damaged}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// InProcessConn connects to the server: the one that runs here, the one that another program runs, or a new one.
func (s *shared) InProcessConn() (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	conn, err := s.connect()
	s.failed(err)
	return conn, err
}

// failed keeps what came of an attempt to connect.
func (s *shared) failed(err error) {
	if err == nil {
		s.last.Store(nil)
	} else {
		s.last.Store(&err)
	}
}

// connect does it; mu is held.
func (s *shared) connect() (net.Conn, error) {
	ctx, cancel := context.WithTimeout(s.ctx, lockTime)
	defer cancel()
	for {
		if s.server != nil {
			return s.server.InProcessConn()
		}
		attempt, end := context.WithTimeout(ctx, dialTime)
		conn, err := (&net.Dialer{}).DialContext(attempt, "unix", s.socket)
		end()
		if err == nil {
			return conn, nil
		}
		if s.resting {
			return nil, err
		}
		if held, lockErr := s.hold(); lockErr != nil {
			return nil, lockErr
		} else if held {
			continue
		}
		select {
		case <-ctx.Done():
			if s.ctx.Err() != nil {
				return nil, s.ctx.Err()
			}
			return nil, fmt.Errorf("another program has %s and does not answer: %w: end it, or let it go on",
				filepath.Join(s.dir, "lock"), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// hold takes the lock, if no other program has it, and starts the server.
func (s *shared) hold() (held bool, err error) {
	lock, err := os.OpenFile(filepath.Join(s.dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	held, err = regular.TryLock(lock)
	if err != nil || !held {
		lock.Close()
		return false, err
	}
	s.lock = lock
	if err = checkRoom(s.dir); err == nil {
		s.server, err = s.start()
	}
	if err == nil {
		err = s.listen()
	}
	if err == nil {
		err = s.sign()
	}
	if err != nil {
		return false, errors.Join(err, s.release())
	}
	return true, nil
}

// start runs the server on the data. One that has met damage there has a wrong picture of what is left, in which it
// does not find what comes later; one that is started behind it has not.
func (s *shared) start() (*server.Server, error) {
	var known []string
	for attempt := 1; ; attempt++ {
		h := &heard{damaged: s.damaged, known: known}
		runs, err := s.run(h)
		met := false
		if known, met = h.damage(); err != nil || attempt == 3 || !met {
			return runs, err
		}
		runs.Shutdown()
		runs.WaitForShutdown()
	}
}

// run starts a server, which h listens to.
func (sh *shared) run(h *heard) (*server.Server, error) {
	dir := sh.dir
	s, err := server.NewServer(&server.Options{
		ServerName: "almanac", DontListen: true, NoSigs: true, NoLog: true, MaxPayload: 1 << 20,
		StoreDir: filepath.Join(dir, "jetstream"), SyncInterval: syncTime,
	})
	if err != nil {
		return nil, err
	}
	h.failed = func(err error) { sh.ending.Go(func() { sh.giveUp(s, err) }) }
	s.SetLoggerV2(h, false, false, false)
	s.Start()
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		return nil, fmt.Errorf("not ready after %v", startTime)
	}
	// Not by an option of the server, which would take the program with it where this fails.
	err = s.EnableJetStream(&server.JetStreamConfig{
		StoreDir: filepath.Join(dir, "jetstream"), MaxStore: maxStore, MaxMemory: maxMemory, Strict: true,
		SyncInterval: syncTime,
	})
	if err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("%w: its data is kept there: free or allow the room, or name another folder", err)
	}
	return s, nil
}

// listen offers the server to the user's other programs.
func (s *shared) listen() error {
	if err := os.Remove(s.socket); err != nil && !errors.Is(err, os.ErrNotExist) { // of a holder that was killed
		return err
	}
	l, err := net.Listen("unix", s.socket)
	if err != nil {
		return err
	}
	if err := os.Chmod(s.socket, 0o600); err != nil {
		return errors.Join(err, l.Close())
	}
	s.listener = l
	accept := s.server.InProcessConn
	s.serving.Go(func() {
		for {
			client, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				time.Sleep(10 * time.Millisecond) // out of descriptors
				continue
			}
			inside, err := accept()
			if err != nil {
				client.Close()
				continue
			}
			s.serving.Go(func() { pipe(client, inside) })
			s.serving.Go(func() { pipe(inside, client) })
		}
	})
	return nil
}

// pipe copies until one end closes, and closes the other.
func pipe(to, from net.Conn) {
	_, _ = io.Copy(to, from) // either end may go at any time
	to.Close()
	from.Close()
}

// release ends the server, if it runs here, and gives the lock back, in this order: the next holder opens the data.
func (s *shared) release() error {
	var errs []error
	if s.listener != nil {
		errs = append(errs, s.listener.Close())
	}
	if s.server != nil {
		s.server.Shutdown()
		s.server.WaitForShutdown()
	}
	s.serving.Wait()
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	s.listener, s.server, s.lock = nil, nil, nil
	return errors.Join(errs...)
}

// rest gives up what runs here, and does not start it again until it ends.
func (s *shared) rest(rests bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resting = rests
	if !rests {
		return nil
	}
	return s.release()
}

// close gives up what runs here.
func (s *shared) close() error {
	s.cancel()
	s.mu.Lock()
	err := s.release()
	s.mu.Unlock()
	s.ending.Wait()
	return err
}

// why is the reason for which the client library could not connect.
func (s *shared) why(err error) error {
	if last := s.last.Load(); last != nil {
		return *last
	}
	return err
}

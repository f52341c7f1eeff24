package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// This file is about the program that runs the shared server: others reach it, and say so when it is stopped.

// joins is how often a connection may break while it is made, as when the holder is killed in the middle of it.
const joins = 5

// join connects.
func (s *shared) join(ctx context.Context, options []nats.Option) (conn *nats.Conn, err error) {
	for range joins {
		conn, err = nats.Connect("", options...)
		late := net.Error(nil)
		if err == nil || s.last.Load() != nil || ctx.Err() != nil || errors.As(err, &late) && late.Timeout() {
			break
		}
		time.Sleep(20 * time.Millisecond) // the next holder takes the lock
	}
	if err == nil {
		return conn, nil
	}
	if stopped := s.stopped(); stopped != "" {
		return nil, errors.New(stopped)
	}
	return nil, s.why(err)
}

// sign notes in the lock which process has it, for people.
func (s *shared) sign() error {
	if err := s.lock.Truncate(0); err != nil {
		return err
	}
	_, err := s.lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// holder is the process that runs the server, or did last; 0 if it is not known.
func (s *shared) holder() int {
	signed, _ := os.ReadFile(filepath.Join(s.dir, "lock"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(signed)))
	return pid
}

// stopped says that the process that runs the server is stopped, with what to do; empty where that is not known.
func (s *shared) stopped() string {
	pid := s.holder()
	if pid <= 0 || pid == os.Getpid() {
		return ""
	}
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The name of the program stands in parentheses, and may hold some.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) == 0 || string(fields[0]) != "T" {
		return ""
	}
	return fmt.Sprintf("process %d runs it and is stopped: fg in its terminal, or kill -CONT %[1]d, lets it go on; "+
		"kill -KILL %[1]d has another program take it over", pid)
}

package kernel

// This file transfers snapshots: the globals of one kernel as bytes, opaque to the parent, and back into another
// kernel. Both sides are here. A snapshot may be larger than a frame and is sent in pieces.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"time"

	"almanac/session/vm"
)

const (
	// maxSnapshot is the largest snapshot, in bytes; a kernel with less memory than usual has a smaller one.
	maxSnapshot = 32 << 20
	// snapshotTime is how long the machine may take to make one.
	snapshotTime = 500 * time.Millisecond
	// snapshotTimeout bounds the whole exchange on a machine under load.
	snapshotTimeout = 10 * time.Second
	// pieceSize is how much of a snapshot goes into one frame.
	pieceSize = 1 << 20
)

// A snapshotRequest asks for a snapshot of at most Bytes in at most Time, unless the machine holds more than Heap
// bytes: the work needs memory too.
type snapshotRequest struct {
	Bytes int
	Heap  uint64
	Time  time.Duration
}

// A piece is some of a snapshot, in order.
type piece struct {
	_    struct{} `cbor:",toarray"`
	Data []byte
	Last bool
}

// A snapshotEnd comes after the last piece. Error is why there is no snapshot.
type snapshotEnd struct {
	Error        string
	Own, Globals int
	Left         []vm.Left
}

// restored answers the last piece of a snapshot that the parent sent.
type restored struct {
	Error   string
	Globals []vm.Global
}

// Snapshot returns the globals of the kernel's machine, for Restore in another kernel with the same prelude. The error
// is a *vm.SnapshotError if they cannot be kept, and the kernel is still usable; else a *Lost, or ctx's own if the turn
// never came.
func (k *Kernel) Snapshot(ctx context.Context) (vm.Snapshot, error) {
	if err := k.take(ctx); err != nil {
		return vm.Snapshot{}, err
	}
	defer k.release()
	request := snapshotRequest{
		Bytes: int(min(maxSnapshot, k.memory/8)), Heap: uint64(k.memory / 2), Time: snapshotTime,
	}
	stop, err := k.begin(kindSnapshot, request)
	if err != nil {
		return vm.Snapshot{}, err
	}
	defer stop()
	var s vm.Snapshot
	for {
		got, payload, err := k.in.next()
		if err != nil {
			return vm.Snapshot{}, k.fell(err)
		}
		switch got {
		case kindPiece:
			var p piece
			if err = k.codec.decode(payload, &p); err == nil && len(s.Data)+len(p.Data) > request.Bytes+pieceSize {
				err = errors.New("the snapshot is larger than requested")
			}
			s.Data = append(s.Data, p.Data...)
		case kindSnapshotEnd:
			var end snapshotEnd
			if err = k.codec.decode(payload, &end); err != nil {
				break
			}
			if end.Error != "" {
				return vm.Snapshot{}, &vm.SnapshotError{Reason: end.Error[:min(len(end.Error), maxReason)]}
			}
			if end.Own < 0 || end.Own > len(s.Data) {
				err = errors.New("the snapshot is smaller than it says")
				break
			}
			s.Own, s.Globals, s.Left = end.Own, end.Globals, end.Left
			return s, nil
		default:
			err = fmt.Errorf("unexpected frame %q", byte(got))
		}
		if err != nil {
			return vm.Snapshot{}, k.fell(err)
		}
	}
}

// Restore replaces the globals of the kernel's machine by those of a snapshot, and lists them. Errors are as for
// Snapshot; after a *vm.SnapshotError the machine is unchanged.
func (k *Kernel) Restore(ctx context.Context, data []byte) ([]vm.Global, error) {
	if err := k.take(ctx); err != nil {
		return nil, err
	}
	defer k.release()
	first, rest := cut(data)
	stop, err := k.begin(kindPiece, piece{Data: first, Last: len(rest) == 0})
	if err != nil {
		return nil, err
	}
	defer stop()
	for len(rest) > 0 {
		first, rest = cut(rest)
		frame, err := k.codec.frame(kindPiece, piece{Data: first, Last: len(rest) == 0})
		if err != nil {
			return nil, k.fell(err)
		}
		_ = k.out.send(frame) // a broken pipe shows in what is read
	}
	var r restored
	if err := k.expect(kindRestored, &r); err != nil {
		return nil, err
	}
	if r.Error != "" {
		return nil, &vm.SnapshotError{Reason: r.Error[:min(len(r.Error), maxReason)]}
	}
	return r.Globals, nil
}

// begin sends the first frame of an exchange that may take snapshotTimeout. The caller has the turn and calls stop at
// the end.
func (k *Kernel) begin(request kind, body any) (stop func(), err error) {
	if lost := k.gone(); lost != nil {
		return nil, lost
	}
	frame, err := k.codec.frame(request, body)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	timer := time.AfterFunc(snapshotTimeout, func() { k.end(&Lost{Reason: "no answer"}) })
	_ = k.out.send(frame) // a broken pipe shows in what is read
	return func() { timer.Stop() }, nil
}

// Ping returns nil when the kernel answers, which takes some 20 microseconds, and why not otherwise: a *Lost, or ctx's
// error when the turn never came.
func (k *Kernel) Ping(ctx context.Context) error { return k.ping(ctx, askTimeout) }

// ping is Ping with a timeout, after which the kernel is ended.
func (k *Kernel) ping(ctx context.Context, timeout time.Duration) error {
	var pong bool
	return k.ask(ctx, timeout, kindPing, nil, kindPong, &pong)
}

// cut takes one piece off data.
func cut(data []byte) (first, rest []byte) {
	n := min(len(data), pieceSize)
	return data[:n], data[n:]
}

// snapshot answers a snapshotRequest.
func (c *child) snapshot(r snapshotRequest) {
	if !roomy(r.Heap) {
		c.reply(kindSnapshotEnd, snapshotEnd{Error: "with more than " + mib(int64(r.Heap)) + " of memory in use"})
		return
	}
	s, err := c.machine.Snapshot(vm.SnapshotLimits{Bytes: r.Bytes, Time: r.Time})
	if err != nil {
		c.reply(kindSnapshotEnd, snapshotEnd{Error: reason(err)})
		return
	}
	for rest := s.Data; len(rest) > 0; {
		var first []byte
		first, rest = cut(rest)
		c.reply(kindPiece, piece{Data: first, Last: len(rest) == 0})
	}
	c.reply(kindSnapshotEnd, snapshotEnd{Own: s.Own, Globals: s.Globals, Left: s.Left[:min(len(s.Left), maxLeft)]})
}

const (
	// maxLeft is how many globals that were left out are named.
	maxLeft = 100
	// maxReason is how many bytes of a child's reason the parent takes.
	maxReason = 300
)

// reason is the text of a *vm.SnapshotError without what it is about.
func reason(err error) string {
	if bad := (*vm.SnapshotError)(nil); errors.As(err, &bad) {
		return bad.Reason
	}
	return err.Error()
}

// roomy reports whether the heap is within limit bytes, if necessary after a collection.
func roomy(limit uint64) bool {
	if heap() <= limit {
		return true
	}
	runtime.GC()
	return heap() <= limit
}

// heap is how many bytes the objects on the heap take.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// restore takes a piece of a snapshot, and after the last one restores it.
func (c *child) restore(p piece) {
	if len(c.pieces)+len(p.Data) > maxSnapshot+pieceSize {
		os.Exit(exitProtocol)
	}
	c.pieces = append(c.pieces, p.Data...)
	if !p.Last {
		return
	}
	data := c.pieces
	c.pieces = nil
	if err := c.machine.Restore(data); err != nil {
		c.reply(kindRestored, restored{Error: reason(err)})
		return
	}
	c.reply(kindRestored, restored{Globals: c.machine.Globals()})
}

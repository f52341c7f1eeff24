package keeper

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog/task"
	"almanac/catalog/text"
)

// MaxStored is how many bytes a keeper may have on the server, below the largest message that one takes by default.
const MaxStored = 900 << 10

// maxDecoded is how many bytes of JSON are read of a stored keeper.
const maxDecoded = 8 << 20

// A Store is the keepers of a team on JetStream, each of them one value, and a Library of them that follows. Whatever
// ends a program, what was put stays; what is found comes from the Library, also while the server does not answer. Safe
// for concurrent use.
type Store struct {
	Library
	open  func(context.Context) (jetstream.KeyValue, error)
	ready chan struct{} // closed when all has been read once
}

// NewStore is the store of a bucket, which open opens when it is first needed. Someone calls Follow.
func NewStore(open func(context.Context) (jetstream.KeyValue, error)) *Store {
	return &Store{open: open, ready: make(chan struct{})}
}

// Bucket is the configuration of a bucket of keepers.
func Bucket() jetstream.KeyValueConfig {
	return jetstream.KeyValueConfig{TTL: MaxAge, MaxBytes: 4 * MaxTotal, MaxValueSize: 1 << 20, Compression: true}
}

// again is how long Follow waits before it watches again.
const again = time.Second

// Follow keeps the Library as the bucket is, until ctx ends.
func (s *Store) Follow(ctx context.Context) {
	for ctx.Err() == nil {
		if kv, err := s.open(ctx); err == nil {
			s.watch(ctx, kv)
		}
		if task.Sleep(ctx, again) != nil {
			return
		}
	}
}

// watch reads what the bucket has and what changes, until ctx ends or the watch does.
func (s *Store) watch(ctx context.Context, kv jetstream.KeyValue) {
	watcher, err := kv.WatchAll(ctx)
	if err != nil {
		return
	}
	defer watcher.Stop()      //nolint:errcheck // the connection may be gone
	seen := map[string]bool{} // nil once all has been read
	for {
		select {
		case <-ctx.Done():
			return
		case entry, open := <-watcher.Updates():
			switch {
			case !open:
				return
			case entry == nil:
				s.settle(seen)
				seen = nil
			case s.apply(entry) && seen != nil:
				seen[entry.Key()] = true
			}
		}
	}
}

// settle forgets the keepers that are not on the server, all of which have been seen.
func (s *Store) settle(seen map[string]bool) {
	for _, k := range s.Keepers() {
		if !seen[k.ID] {
			s.Remove(k.ID)
		}
	}
	select {
	case <-s.ready:
	default:
		close(s.ready)
	}
}

// apply takes over a change, and tells whether the keeper is there now.
func (s *Store) apply(entry jetstream.KeyValueEntry) bool {
	if entry.Operation() == jetstream.KeyValuePut {
		if k, err := decode(entry); err == nil {
			s.Add(*k)
			return true
		}
	}
	s.Remove(entry.Key())
	return false
}

// Wait waits until what the server has was read once, and no longer than ctx. It reports whether it was.
func (s *Store) Wait(ctx context.Context) bool {
	select {
	case <-s.ready:
		return true
	case <-ctx.Done():
		return false
	}
}

// Put keeps messages, and returns them with their id and what went for them: the oldest keepers, where there are too
// many. Messages that were put before under the same topic have the keeper that they got then, so that Put may be tried
// again.
func (s *Store) Put(ctx context.Context, k Keeper) (kept *Keeper, gone []*Keeper, err error) {
	kv, err := s.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	k.clean()
	if k.At = time.Now(); len(k.Messages) == 0 {
		return nil, nil, errors.New("no messages to keep")
	}
	before := s.Keepers()
	for _, wide := range []bool{false, true} {
		k.ID = k.id(wide)
		raw, err := encode(&k)
		if err != nil {
			return nil, nil, err
		}
		_, err = kv.Create(ctx, k.ID, raw)
		if err == nil {
			gone, err := s.make(ctx, kv, before, k)
			return &k, gone, err
		}
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return nil, nil, fmt.Errorf("keeper %s: %w", k.ID, err)
		}
		entry, err := kv.Get(ctx, k.ID)
		if err != nil {
			return nil, nil, fmt.Errorf("keeper %s: %w", k.ID, err)
		}
		if old, err := decode(entry); err == nil && old.id(true) == k.id(true) {
			s.Add(*old)
			return old, nil, nil
		}
	}
	return nil, nil, fmt.Errorf("keeper %s: another has the name", k.ID)
}

// make adds a keeper that is on the server, and takes those from it that go for it.
func (s *Store) make(ctx context.Context, kv jetstream.KeyValue, before []*Keeper, k Keeper) ([]*Keeper, error) {
	var gone []*Keeper
	if len(before) > 0 && before[0].At.After(k.At) {
		k.At = before[0].At // the server's clock is ahead of ours
	}
	s.Add(k)
	for _, old := range surplus(append(before, &k)) { // Follow may have come first
		if err := kv.Delete(ctx, old.ID); err != nil {
			return gone, fmt.Errorf("keeper %s: kept; %s, which is to go for it: %w", k.ID, old.ID, err)
		}
		gone = append(gone, old)
	}
	return gone, nil
}

func encode(k *Keeper) ([]byte, error) {
	raw, err := json.Marshal(k)
	if err != nil {
		return nil, fmt.Errorf("keeper %s: %w", k.ID, err)
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(raw)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil && b.Len() > MaxStored {
		err = fmt.Errorf("%s compressed: want at most %s; keep fewer messages", text.Bytes(int64(b.Len())),
			text.Bytes(MaxStored))
	}
	if err != nil {
		return nil, fmt.Errorf("keeper %s: %w", k.ID, err)
	}
	return b.Bytes(), nil
}

// decode reads a keeper that anybody may have written. It is as old as the server says.
func decode(entry jetstream.KeyValueEntry) (*Keeper, error) {
	var k Keeper
	id := entry.Key()
	all, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(entry.Value())), maxDecoded))
	if err == nil {
		err = json.Unmarshal(all, &k)
	}
	if err == nil && (k.ID != id || !isID(id) || len(k.Messages) == 0) {
		err = errors.New("not a keeper")
	}
	if err != nil {
		return nil, fmt.Errorf("keeper %.60s: %w", id, err)
	}
	k.clean()
	k.At = entry.Created()
	return &k, nil
}

// isID tells whether an id can be one of Keeper.id.
func isID(id string) bool {
	return len(id) <= 60 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

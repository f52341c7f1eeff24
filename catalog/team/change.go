package team

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// This file changes what a bucket has, from what it was.

// errSame ends a change that changes nothing.
var errSame = errors.New("nothing to change")

// A place is where values of a kind are kept: its bucket, and how one is read there with its revision, which is 0 for a
// value that may be created.
type place[T any] struct {
	bucket func(ctx context.Context) (jetstream.KeyValue, error)
	read   func(ctx context.Context, id string) (T, uint64, error)
}

// changed changes a value as f says, which is called again with what another session has made of it meanwhile. f must
// know its own change: an attempt without an answer may have been done. An error of f ends it; errSame is none.
func changed[T any](ctx context.Context, t *Team, at place[T], id string, f func(*T) error) (v T, err error) {
	err = t.try(ctx, func(ctx context.Context) error {
		for {
			var revision uint64
			if v, revision, err = at.read(ctx, id); err != nil {
				return err
			}
			if err := f(&v); err != nil {
				if errors.Is(err, errSame) {
					err = nil
				}
				return err
			}
			raw, err := json.Marshal(v)
			if err != nil {
				return err
			}
			kv, err := at.bucket(ctx)
			if err != nil {
				return err
			}
			if revision == 0 {
				_, err = kv.Create(ctx, id, raw)
			} else {
				_, err = kv.Update(ctx, id, raw, revision)
			}
			if !isTaken(err) {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	})
	return v, err
}

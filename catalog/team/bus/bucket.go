package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// This file opens what is kept on the server. What is there stays as it is: its members need not have the right to
// change it.

// Bucket opens a bucket, which is created with the configuration if it is not there.
func (b *Bus) Bucket(ctx context.Context, c jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	kv, err := b.stream.KeyValue(ctx, c.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		err = b.Replicated(func(replicas int) error {
			_, err := b.stream.CreateStream(ctx, bucketStream(c, replicas))
			return err
		})
		if err == nil {
			kv, err = b.stream.KeyValue(ctx, c.Bucket)
		}
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			err = nats.ErrTimeout // this server of a cluster does not know of it yet
		}
	}
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", c.Bucket, err)
	}
	return kv, nil
}

// bucketStream is the stream of a bucket, as the client makes it, but for one thing: where there are copies, only their
// leader answers. Another one may not have what was just acknowledged.
func bucketStream(c jetstream.KeyValueConfig, replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: "KV_" + c.Bucket, Description: c.Description, Subjects: []string{"$KV." + c.Bucket + ".>"},
		MaxMsgsPerSubject: 1, MaxBytes: c.MaxBytes, MaxAge: c.TTL, MaxMsgSize: c.MaxValueSize, Replicas: replicas,
		Discard: jetstream.DiscardNew, AllowRollup: true, DenyDelete: true, AllowDirect: replicas == 1,
	}
}

// Objects opens an object store, which is created with the configuration if it is not there.
func (b *Bus) Objects(ctx context.Context, c jetstream.ObjectStoreConfig) (store jetstream.ObjectStore, err error) {
	store, err = b.stream.ObjectStore(ctx, c.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		err = b.Replicated(func(replicas int) (err error) {
			c.Replicas = replicas
			store, err = b.stream.CreateObjectStore(ctx, c)
			return err
		})
		if errors.Is(err, jetstream.ErrBucketExists) { // another program was faster
			store, err = b.stream.ObjectStore(ctx, c.Bucket)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("object store %s: %w", c.Bucket, err)
	}
	return store, nil
}

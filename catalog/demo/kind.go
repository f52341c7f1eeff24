package demo

// This file opens the office as a source.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"almanac/catalog"
	"almanac/catalog/source"
)

// Kind is demo, the office in the program's data folder, and demo:FILE.
func Kind() source.Kind {
	return source.Kind{
		Prefix: "demo", Alone: true, Forms: []string{"demo", "demo:FILE"}, About: "the embedded back office",
		Beside:   true,
		Harmless: func(r source.Ref) bool { return r.Spec == "demo" },
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			return []source.Source{asSource(r, h.Data)}, nil, nil
		},
	}
}

// File is the path of the office in the program's data folder.
func File(data string) string { return filepath.Join(data, "office.db") }

func asSource(r source.Ref, data string) source.Source {
	var mu sync.Mutex
	var office *Office
	load := func(ctx context.Context, _ func(source.Reading)) (catalog.Batch, error) {
		mu.Lock()
		defer mu.Unlock()
		file := r.Rest
		if file == "" {
			file = File(data)
			if err := os.MkdirAll(data, 0o700); err != nil {
				return catalog.Batch{}, fmt.Errorf("data folder: %w", err)
			}
		}
		if office == nil {
			opened, err := Open(ctx, file)
			if err != nil {
				return catalog.Batch{}, err
			}
			office = opened
		}
		entries := office.Entries()
		return catalog.Batch{Entries: entries, Found: len(entries)}, nil
	}
	return source.Source{Name: r.As(r.Spec), Own: true, Load: load, Close: func() error {
		mu.Lock()
		defer mu.Unlock()
		if office == nil {
			return nil
		}
		return office.Close()
	}}
}

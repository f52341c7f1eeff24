package remote

// This file opens the hosts of a name as a source.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/catalog/team/bus"
)

// A Connect gives the program's connection to the bus; whoever gave it closes it.
type Connect func(ctx context.Context) (*bus.Bus, error)

// Kind is nats:NAME, on the bus that connect gives. Server tells buses apart; may be empty.
func Kind(connect Connect, server string) source.Kind {
	return source.Kind{
		Prefix: "nats", Forms: []string{"nats:NAME"}, About: "the action hosts of that name on NATS (almanac host)",
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			if err := bus.CheckName("host", r.Rest); err != nil {
				return nil, nil, err
			}
			s := newHosts(r.Rest, r.Name, r.As("nats:"+r.Rest), connect)
			sum := sha256.Sum256([]byte(server))
			s.file = filepath.Join(h.Data, "hosts", r.Rest+"-"+hex.EncodeToString(sum[:4])+".pages")
			return []source.Source{{
				Name: s.source, Load: s.load, Watch: s.watch, Health: s.wrong, Close: s.Close,
			}}, nil, nil
		},
	}
}

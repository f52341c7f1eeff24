package manifest

// This file opens manifests and lists of actions as sources.

import (
	"context"
	"strings"

	"almanac/catalog"
	"almanac/catalog/source"
)

// accessKeys are the keys of [sources.NAME] that HTTP actions have a use for. Their servers are in the manifest.
var accessKeys = []string{"allow", "auth", "ca", "cert", "headers", "key", "query", "timeout"}

// Kind is a manifest: a YAML or JSON file that declares itself one, or that cannot be read.
func Kind() source.Kind {
	return source.Kind{
		Endings: []string{".yaml", ".yml", ".json"}, Forms: []string{"FILE.yaml", "FILE.json"}, TopKeys: []string{"almanac"},
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			o := options{Name: r.Name}
			o.Vault, o.Access = h.Requests(r.Name, accessKeys...)
			return []source.Source{asSource(r.As(r.Spec), r.Spec, o)}, nil, nil
		},
	}
}

// ListKind is a list of actions, which can be described but not called.
func ListKind() source.Kind {
	return source.Kind{
		Endings: []string{".jsonl", ".jsonl.gz"}, Forms: []string{"FILE.jsonl", "FILE.jsonl.gz"},
		Harmless: func(r source.Ref) bool { return !strings.Contains(r.Spec, ":") },
		Open: func(r source.Ref, _ source.Host) ([]source.Source, []catalog.Skip, error) {
			return []source.Source{{
				Name: r.Spec,
				Load: func(ctx context.Context, progress func(source.Reading)) (catalog.Batch, error) {
					before, _ := key(r.Spec)
					batch, err := Load(ctx, r.Spec, progress)
					if after, _ := key(r.Spec); after == before { // else it was changed while it was read
						batch.Key = after
					}
					return batch, err
				},
				Key: func(context.Context) (string, error) { return key(r.Spec) },
			}}, nil, nil
		},
	}
}

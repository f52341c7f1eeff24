package manifest

// This file opens manifests and lists of actions as sources.

import (
	"context"
	"fmt"
	"slices"

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
			o := options{Name: r.Name, Outside: outsideOf(h, r.Name)}
			return []source.Source{asSource(r.As(r.Spec), r.Spec, o)}, nil, nil
		},
	}
}

// ListKind is a list of actions. Those that say how they are called can be called.
func ListKind() source.Kind {
	return source.Kind{
		Endings: []string{".jsonl", ".jsonl.gz"}, Forms: []string{"FILE.jsonl", "FILE.jsonl.gz"},
		Open: func(r source.Ref, h source.Host) ([]source.Source, []catalog.Skip, error) {
			out := outsideOf(h, r.Name)
			return []source.Source{{
				Name: r.As(r.Spec), Secrets: out.secrets, Health: out.health, Close: out.close, Recall: out.recall,
				Load: func(ctx context.Context, progress func(source.Reading)) (catalog.Batch, error) {
					batch, err := load(ctx, r.Spec, r.As(r.Spec), out, progress)
					if batch.Key = listKey(batch.Key, out); out.literal() {
						batch.Key = ""
					}
					return batch, err
				},
				Key: func(context.Context) (string, error) {
					sum, err := key(r.Spec)
					return listKey(sum, out), err
				},
			}}, nil, nil
		},
	}
}

// listKey names what a list of that sum and the configuration make together; empty without a sum.
func listKey(sum string, out *outside) string {
	if places := out.access.Places(); sum != "" && len(places)+int(out.access.Timeout) > 0 {
		slices.Sort(places)
		sum = fmt.Sprintf("%s %q %v", sum, places, out.access.Timeout)
	}
	return sum
}

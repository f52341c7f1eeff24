package eval

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"almanac/catalog"
	"almanac/catalog/manifest"
)

func TestScore(t *testing.T) {
	alt := map[string][]string{"b": {"b2"}}
	for _, test := range []struct {
		name   string
		gold   []string
		ranked []string
		want   Score
	}{
		{"first", []string{"a"}, []string{"a", "x"},
			Score{Recall1: 1, Recall5: 1, Recall10: 1, Recall20: 1, NDCG10: 1, Complete10: 1}},
		{"second", []string{"a"}, []string{"x", "a"},
			Score{Recall5: 1, Recall10: 1, Recall20: 1, NDCG10: 1 / math.Log2(3), Complete10: 1}},
		{"by an alternative, once", []string{"a", "b"}, []string{"b2", "b"},
			Score{Recall1: .5, Recall5: .5, Recall10: .5, Recall20: .5, NDCG10: 1 / (1 + 1/math.Log2(3))}},
		{"eleventh", []string{"a"}, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a"}, Score{Recall20: 1}},
		{"nothing", []string{"a"}, nil, Score{}},
	} {
		if got := score(&Query{Gold: test.gold, Alt: alt}, test.ranked); got != test.want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", test.name, got, test.want)
		}
	}
}

// folder writes two sets that share one catalog.
func folder(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mail_steps/actions.jsonl": `{"id":"mail.send","description":"Send a message."}
{"id":"mail.delete","description":"Delete a message."}
{"id":"mail.list","description":"List all messages of a folder."}
`,
		"mail_steps/queries.jsonl":     `{"qid":"1","query":"send a message","gold":["mail.send"]}`,
		"mail_workflows/queries.jsonl": `{"qid":"2","query":"delete it","gold":["mail.list","mail.gone"],"alt":{"mail.list":["mail.delete"]}}`,
		"bad_one/queries.jsonl":        `{"qid":"2","query":"x","gold":["a"]}`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDiscovery(t *testing.T) {
	dir := folder(t)
	if _, err := OpenSet(filepath.Join(dir, "bad_one")); err == nil {
		t.Error("a set without a catalog opens")
	}
	s, err := OpenSet(filepath.Join(dir, "mail_workflows"))
	if err != nil {
		t.Fatal(err)
	}
	entries, _, err := manifest.ReadFile(t.Context(), s.Catalog)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := catalog.New(entries, catalog.Options{})
	got, misses, err := Discovery(context.Background(), all.View(), s, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got.Recall1 != .5 || got.Unknown != 1 || got.Complete10 != 0 || got.Actions != 3 {
		t.Errorf("score: %+v", got)
	}
	if len(misses) != 1 || misses[0].Lost != "mail.gone" {
		t.Errorf("misses: %+v", misses)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Discovery(ctx, all.View(), s, 0); err == nil {
		t.Error("a cancelled evaluation goes on")
	}
}

package bus

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// Data that was damaged on the disk is told of once, and what stands before the damage is there.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	const stream = "almanac_shop_mail"
	first, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	mail := jetstream.StreamConfig{Name: stream, Subjects: []string{"x"}}
	if _, err := first.stream.CreateStream(t.Context(), mail); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if _, err := first.stream.Publish(t.Context(), "x", []byte("the migration is done")); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	blocks, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "*", "streams", stream, "msgs", "*.blk"))
	if err != nil || len(blocks) != 1 {
		t.Fatalf("blocks %q, %v", blocks, err)
	}
	data, err := os.ReadFile(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	copy(data[len(data)/2:], strings.Repeat("\xA7", 40))
	if err := os.WriteFile(blocks[0], data, 0o600); err != nil {
		t.Fatal(err)
	}

	var told []State
	for range 2 { // the second time nothing is damaged any more
		again, err := Open(t.Context(), Options{Dir: dir, State: func(s State) { told = append(told, s) }})
		if err != nil {
			t.Fatal(err)
		}
		kept, err := again.stream.Stream(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		if n := kept.CachedInfo().State.Msgs; n < 20 || n > 30 {
			t.Errorf("%d of 50 are there", n)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := State{Connected: true, Damage: true, Text: "team bus: data of " + stream + " in " + dir +
		" was damaged: what cannot be read is lost, the rest is there"}
	if !slices.Equal(told, []State{want}) {
		t.Errorf("told %+v", told)
	}
}

//go:build unix

package kernel

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"almanac/session/vm"
)

func TestState(t *testing.T) {
	p := newPool(t, options(t))
	k, other := get(t, p), get(t, p)
	ctx := context.Background()
	if s, err := k.State(ctx); err != nil || s.Data != nil || s.Taken {
		t.Fatal(s, err)
	}
	data := map[string]any{"n": int64(1) << 60, "list": []any{nil, 1.5, map[string]any{}, []any{}}, "text": "ä"}
	globals, changed, err := k.SetState(ctx, data)
	if err != nil || len(globals) != 1 || !reflect.DeepEqual(changed, vm.Diff{Added: []string{"state"}}) {
		t.Fatal(globals, changed, err)
	}
	snapshot, err := k.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Restore(ctx, snapshot.Data); err != nil {
		t.Fatal(err)
	}
	if s, err := other.State(ctx); err != nil || !reflect.DeepEqual(s.Data, data) {
		t.Error(s, err)
	}
	deep := map[string]any{}
	for range 190 {
		deep = map[string]any{"in": deep}
	}
	if _, _, err := k.SetState(ctx, deep); err != nil {
		t.Error(err)
	}
	third := get(t, p)
	runLua(t, third, "state = 5", Host{})
	if s, err := third.State(ctx); err != nil || !s.Taken {
		t.Error(s, err)
	}
	if _, _, err := third.SetState(ctx, data); err == nil || !strings.Contains(err.Error(), "a variable of that name") {
		t.Error(err)
	}
	if got := value(t, runLua(t, third, "return state", Host{})); got != int64(5) {
		t.Error(got)
	}
	third.Close()
	if _, err := third.State(ctx); err == nil {
		t.Error("a closed kernel answers")
	}
}

package team

import (
	"context"
	"encoding/json"
	"testing"

	"almanac/catalog"
)

// TestSpawnArguments tells what a program is asked for, of the arguments of a script, in which {} may be a table: what
// is zero or empty is not taken for what is missing.
func TestSpawnArguments(t *testing.T) {
	asked := ""
	e := (&Team{options: Options{Spawn: func(_ context.Context, r SpawnRequest) (string, error) {
		text, err := json.Marshal(r)
		asked = string(text)
		return "clerk-1", err
	}}}).agentEntries()[0]
	for args, want := range map[string]string{
		`{}`:                         `{"prompt":"p"}`,
		`{"actions": {}}`:            `{"prompt":"p","actions":[]}`,
		`{"mutations": 0}`:           `{"prompt":"p","mutations":0}`,
		`{"calls": 2, "seconds": 3}`: `{"prompt":"p","calls":2,"seconds":3}`,
		`{"calls": 0}`:               "calls: want 1 or more",
		`{"seconds": 0}`:             "seconds 0: want 1 to 600",
		`{"mutations": -1}`:          "mutations: want 0 or more",
		`{"idle_seconds": -1}`:       "idle_seconds: want 0 or more",
	} {
		given := map[string]any{"prompt": "p"}
		if err := json.Unmarshal([]byte(args), &given); err != nil {
			t.Fatal(err)
		}
		asked = ""
		checked, err := e.Input.Check(given)
		if err == nil {
			_, err = e.Action(t.Context(), catalog.Call{ID: e.ID, Args: checked})
		}
		if err != nil {
			asked = err.Error()
		}
		if asked != want {
			t.Errorf("%s: %s\nwant %s", args, asked, want)
		}
	}
}

package llm

import "testing"

func TestKnownWindow(t *testing.T) {
	for model, want := range map[string]int{
		"gpt-4.1-mini": 1_047_576, "openai/GPT-4o": 128_000, "gpt-4": 8_192, "claude-sonnet-4": 200_000,
		"my-own": defaultWindow, "": defaultWindow,
	} {
		if got := KnownWindow(model); got != want {
			t.Errorf("%s: %d, want %d", model, got, want)
		}
	}
}

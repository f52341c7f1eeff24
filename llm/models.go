package llm

import "strings"

// A Model is one that a server has.
type Model struct {
	Name string
	// Window is how many tokens it can read; 0 where the server does not tell.
	Window int
}

// KnownWindow returns how many tokens a model is known to read, by the beginning of its name; the default of Options
// for one that is not known. It is for servers that do not tell: a local server may have been started with less.
func KnownWindow(model string) int {
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:] // openai/gpt-4.1
	}
	for _, known := range []struct {
		prefix string
		window int
	}{
		{"gpt-4.1", 1_047_576}, {"gpt-4o", 128_000}, {"gpt-4-turbo", 128_000}, {"gpt-4", 8_192}, {"gpt-5", 400_000},
		{"gpt-3.5", 16_385}, {"o1", 200_000}, {"o3", 200_000}, {"o4", 200_000}, {"gpt-oss", 131_072},
		{"claude", 200_000}, {"gemini", 1_048_576}, {"deepseek", 128_000}, {"grok", 131_072}, {"kimi", 128_000},
	} {
		if strings.HasPrefix(strings.ToLower(model), known.prefix) {
			return known.window
		}
	}
	return defaultWindow
}

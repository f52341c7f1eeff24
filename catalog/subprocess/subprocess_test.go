//go:build unix

package subprocess

import (
	"context"
	"strings"
	"testing"
)

func TestOutput(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-not-for-children")
	for _, test := range []struct{ name, script, want, fails string }{
		{"prints", "echo key", "key\n", ""},
		{"its environment", "echo $OPENAI_API_KEY$HOME", t.Name(), ""},
		{"reads nothing", "cat", "", ""},
		{"fails", "echo locked >&2; echo sk-part; exit 3", "", "sh: exit status 3: locked"},
		{"too much", "head -c 70000 /dev/zero", "", "sh: it printed more than 64 KiB"},
		{"leaves a child that holds its streams", "sleep 1000 & echo key", "key\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("HOME", "TestOutput")
			got, err := Output(t.Context(), []string{"sh", "-c", test.script})
			if err != nil && err.Error() != test.fails || err == nil && test.fails != "" {
				t.Errorf("error %v, want %q", err, test.fails)
			}
			if strings.TrimSpace(got) != strings.TrimSpace(test.want) {
				t.Errorf("got %.100q, want %q", got, test.want)
			}
		})
	}
	if _, err := Output(t.Context(), []string{"no-such-program"}); err == nil {
		t.Error("a program that is not there is no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Output(ctx, []string{"sleep", "1000"}); err == nil {
		t.Error("not interrupted")
	}
}

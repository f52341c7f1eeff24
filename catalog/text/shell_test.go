package text

import "testing"

func TestShellWord(t *testing.T) {
	for s, want := range map[string]string{
		"billing.refund.issue": "billing.refund.issue", "": "''", "crm.*": "'crm.*'", "a b": "'a b'", "it's": `'it'\''s'`,
		"x <= 5": "'x <= 5'", "$HOME;`rm`": "'$HOME;`rm`'",
	} {
		if got := ShellWord(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

package tools

import (
	"testing"

	"almanac/session/policy"
)

func TestPolicyText(t *testing.T) {
	for _, c := range []struct {
		policy policy.Policy
		want   string
	}{
		{policy.Policy{}, "read-only. Every mutation is denied."},
		{policy.Policy{Grants: []policy.Grant{{N: 1}}}, "every mutation is denied, but for calls allowed in advance."},
		{policy.Policy{Rules: []policy.Rule{{}}}, "read-only. Every mutation is denied. Some actions have their own rules."},
		{
			policy.Policy{Mode: policy.Ask, Grants: []policy.Grant{{N: 1}}},
			"the person is asked about each mutation, but for calls allowed in advance.",
		},
	} {
		if got := policyText(c.policy); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

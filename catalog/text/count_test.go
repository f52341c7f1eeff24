package text

import (
	"testing"
	"time"
)

func TestArticle(t *testing.T) {
	for noun, want := range map[string]string{"list": "a list", "object": "an object", "user": "a user", "null": "null"} {
		if got := Article(noun); got != want {
			t.Errorf("%s: got %s, want %s", noun, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		720 * time.Hour: "30 days", 25 * time.Hour: "25 hours", time.Hour: "1 hour", time.Minute: "1 minute",
		90 * time.Second: "1m30s", 300 * time.Millisecond: "300ms", 0: "0s",
	} {
		if got := Span(d); got != want {
			t.Errorf("%d: got %s, want %s", d, got, want)
		}
	}
}

func TestThousands(t *testing.T) {
	for number, want := range map[string]string{
		"": "", "0": "0", "999": "999", "1000": "1,000", "-1234567": "-1,234,567",
		"123456.78901": "123,456.78901", "-12.5": "-12.5",
		"1e+20": "1e+20", "math.huge": "math.huge", "null": "null", "0/0": "0/0", "1.2.3": "1.2.3", "-": "-", ".5": ".5",
	} {
		if got := Thousands(number); got != want {
			t.Errorf("%q: %q, want %q", number, got, want)
		}
	}
}

// However close the two are, they are told apart.
func TestExcess(t *testing.T) {
	for n, want := range map[int]string{
		16385: "16385 B: want at most 16384 B", 20 << 10: "20.0 KiB: want at most 16.0 KiB",
	} {
		if got := Excess(n, 16<<10); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

package text

import "testing"

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

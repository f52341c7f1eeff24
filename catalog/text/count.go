package text

// This file writes counts, sizes and times as words.

import (
	"fmt"
	"strings"
	"time"
)

// Count writes a count with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Plural chooses the form that goes with a count.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Article is the noun with a or an; null has none.
func Article(noun string) string {
	if noun == "null" {
		return noun
	}
	if noun != "" && strings.Contains("aeio", noun[:1]) {
		return "an " + noun
	}
	return "a " + noun
}

// Thousands puts a comma between each three digits of a decimal number: 1,234,567.5. Other text stays as it is.
func Thousands(number string) string {
	sign := ""
	if strings.HasPrefix(number, "-") {
		sign, number = "-", number[1:]
	}
	whole, rest, dotted := strings.Cut(number, ".")
	if whole == "" || strings.Trim(whole+rest, "0123456789") != "" {
		return sign + number
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dotted {
		rest = "." + rest
	}
	return sign + whole + rest
}

// Bytes writes a size: "312 B", "4.0 KiB", "1.5 MiB".
func Bytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// Excess says how long something is, in bytes, that may only be most long: "20.0 KiB: want at most 16.0 KiB".
func Excess(n, most int) string {
	is, want := Bytes(int64(n)), Bytes(int64(most))
	if is == want { // rounded
		is, want = fmt.Sprintf("%d B", n), fmt.Sprintf("%d B", most)
	}
	return is + ": want at most " + want
}

// Took writes a duration in the unit a person would use: "84 ms", "1.2 s", "3 m 5 s".
func Took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d m %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// Span writes a bound of time as people say it: "30 days", "1 hour", "300ms".
func Span(d time.Duration) string {
	for _, unit := range []struct {
		long time.Duration
		noun string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= unit.long && d%unit.long == 0 {
			return Count(int(d/unit.long), unit.noun)
		}
	}
	return d.String()
}

// Precise is Took for what is measured: "45.6 µs", "1.2 ms", "3.4 s".
func Precise(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(d)/float64(time.Microsecond))
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return Took(d)
}

package vm

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// This file holds the safe part of the os library: the clock. Dates are in UTC, so that a script gives the same text
// on every machine.

func openOS(m *Machine) {
	lib := m.library("os")
	def := func(name string, f func(c call) int) { lib.put(name, m.function(name, f)) }
	def("clock", func(c call) int { return c.give(m.clock().Seconds()) })
	def("difftime", func(c call) int {
		if c.absent(2) {
			return c.give(c.number(1))
		}
		return c.give(c.number(1) - c.number(2))
	})
	def("time", func(c call) int {
		if c.absent(1) {
			return c.give(float64(m.now().Unix()))
		}
		t := c.table(1)
		field := func(name string, def int) int {
			switch v := t.get(name).(type) {
			case nil:
				if def >= 0 {
					return def
				}
				c.fail("field '%s' missing in date table", name)
			case float64:
				return int(math.Max(-1e9, math.Min(1e9, v)))
			case string:
				if f, ok := parseNumber(v); ok {
					if f, ok := f.(float64); ok {
						return int(math.Max(-1e9, math.Min(1e9, f)))
					}
				}
			}
			if _, exact := m.exactInteger(t.get(name)); exact {
				c.fail("field '%s' is out of range in date table", name)
			}
			c.fail("field '%s' is not a number in date table", name)
			return 0
		}
		sec, min, hour := field("sec", 0), field("min", 0), field("hour", 12)
		day, month, year := field("day", -1), field("month", -1), field("year", -1)
		when := time.Date(year, time.Month(month), day, hour, min, sec, 0, time.UTC)
		return c.give(float64(when.Unix()))
	})
	def("date", osDate)
	for _, name := range []string{"execute", "exit", "getenv", "remove", "rename", "setlocale", "tmpname"} {
		lib.put(name, m.refusal("os."+name, "scripts have no access to the operating system; use an action of the catalog"))
	}
}

func osDate(c call) int {
	layout := strings.TrimPrefix(c.optString(1, "%c"), "!")
	var when time.Time
	if c.absent(2) {
		when = c.m.now()
	} else {
		f := c.number(2)
		if math.IsNaN(f) || math.Abs(f) > 1e14 {
			c.bad(2, "time out of range")
		}
		when = time.Unix(int64(f), 0).UTC()
	}
	if strings.HasPrefix(layout, "*t") {
		t := c.m.newTable(0, 9)
		for name, v := range map[string]int{"year": when.Year(), "month": int(when.Month()), "day": when.Day(),
			"hour": when.Hour(), "min": when.Minute(), "sec": when.Second(), "wday": int(when.Weekday()) + 1,
			"yday": when.YearDay()} {
			t.put(name, float64(v))
		}
		t.put("isdst", false)
		return c.give(c.m.value(t))
	}
	var b strings.Builder
	paid := 0
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' {
			b.WriteByte(layout[i])
			continue
		}
		i++
		if i >= len(layout) {
			c.bad(1, "invalid conversion specifier '%%'")
		}
		from := i
		// %E and %O ask for another calendar or other digits, which the C locale does not have.
		if i+1 < len(layout) && (layout[i] == 'E' && strings.IndexByte("cCxXyY", layout[i+1]) >= 0 ||
			layout[i] == 'O' && strings.IndexByte("deHImMSuUVwWy", layout[i+1]) >= 0) {
			i++
		}
		text, ok := datePart(when, layout[i])
		if !ok {
			c.bad(1, "invalid conversion specifier '%%%s'", layout[from:i+1])
		}
		b.WriteString(text)
		c.m.work(c.l, 10)
		c.m.grown(c.l, b.Len(), &paid)
	}
	c.m.stringSize(c.l, b.Len())
	return c.giveText(b.String())
}

// dateLayouts are the strftime conversions that Go has layouts for.
var dateLayouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'h': "Jan", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02",
	'D': "01/02/06", 'e': "_2", 'F': "2006-01-02", 'H': "15", 'I': "03", 'm': "01", 'M': "04", 'p': "PM",
	'r': "03:04:05 PM", 'R': "15:04", 'S': "05", 'T': "15:04:05", 'x': "01/02/06", 'X': "15:04:05", 'y': "06",
	'Y': "2006", 'z': "-0700", 'Z': "MST",
}

// datePart is one strftime conversion in the C locale.
func datePart(t time.Time, verb byte) (string, bool) {
	if layout, ok := dateLayouts[verb]; ok {
		return t.Format(layout), true
	}
	_, week := t.ISOWeek()
	isoYear, _ := t.ISOWeek()
	sunday := (t.YearDay() + 6 - int(t.Weekday())) / 7
	monday := (t.YearDay() + 6 - (int(t.Weekday())+6)%7) / 7
	switch verb {
	case '%':
		return "%", true
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case 'j':
		return fmt.Sprintf("%03d", t.YearDay()), true
	case 'w':
		return fmt.Sprint(int(t.Weekday())), true
	case 'u':
		return fmt.Sprint((int(t.Weekday())+6)%7 + 1), true
	case 's':
		return fmt.Sprint(t.Unix()), true
	case 'C':
		return fmt.Sprintf("%02d", t.Year()/100), true
	case 'g':
		return fmt.Sprintf("%02d", isoYear%100), true
	case 'G':
		return fmt.Sprint(isoYear), true
	case 'V':
		return fmt.Sprintf("%02d", week), true
	case 'U':
		return fmt.Sprintf("%02d", sunday), true
	case 'W':
		return fmt.Sprintf("%02d", monday), true
	}
	return "", false
}

package database

// This file reads and writes JSON, so that no digit of a number in it is lost.

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
)

// parsed is JSON as data; text that is none stays text.
func parsed(s string) any {
	v, err := numbered(s)
	if err != nil {
		return s
	}
	return plainNumbers(v)
}

// numbered is JSON as data with json.Number for numbers.
func numbered(s string) (v any, err error) {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	if err = dec.Decode(&v); err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = errors.New("unexpected text after the value")
		}
	}
	return v, err
}

// plainNumbers turns the numbers inside v, which it may change, into int64 and float64; those of which these would lose
// something into texts.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return plainNumber(v)
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plainNumbers(v[name])
		}
	}
	return v
}

func plainNumber(n json.Number) any {
	v := catalog.PlainNumbers(n)
	if _, is := v.(float64); is {
		again, err := json.Marshal(v)
		if err != nil || digits(string(again)) != digits(n.String()) {
			return n.String()
		}
	}
	return v
}

// digits is a number in a form that numbers of the same value share: -15e0 for -1.50e1.
func digits(s string) string {
	sign := ""
	if rest, is := strings.CutPrefix(s, "-"); is {
		sign, s = "-", rest
	}
	s, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	power, _ := number(strings.TrimPrefix(exponent, "+")).(int64)
	whole, part, _ := strings.Cut(s, ".")
	all := strings.TrimLeft(whole+part, "0")
	short := strings.TrimRight(all, "0")
	if short == "" {
		return "0"
	}
	power += int64(len(all) - len(short) - len(part))
	return sign + short + "e" + strconv.FormatInt(power, 10)
}

// A change is a parameter that is JSON to be written, with its column.
type change struct {
	column *column
	at     int // in the arguments of the statement
	to     any
}

// keepDigits reads the row that a statement is about to change, and has the statement write the numbers that are in its
// JSON as they are there, where the caller gives them as they were read.
func (t *table) keepDigits(
	ctx context.Context, tx transaction, key map[string]any, changes []change, args []any,
) error {
	if len(changes) == 0 {
		return nil
	}
	c := t.clause("SELECT ")
	for i, change := range changes {
		if i > 0 {
			c.WriteString(", ")
		}
		c.WriteString(t.db.asText(c.quoted(change.column)) + " AS " + t.db.quoted("c"+strconv.Itoa(i)))
	}
	c.WriteString(" FROM " + t.quoted())
	if err := c.byKey(key); err != nil {
		return err
	}
	c.WriteString(t.db.locks)
	list, _, err := t.db.rows(ctx, tx, c.String(), c.args, 1)
	if err != nil || len(list) == 0 {
		return err
	}
	for i, change := range changes {
		was, err := numbered(textOf(list[0].(row)["c"+strconv.Itoa(i)]))
		if err != nil {
			continue // null
		}
		texts, numbers := map[string]bool{}, map[any]json.Number{}
		collect(was, texts, numbers)
		to, err := change.column.restored(change.to, texts, numbers)
		if err == nil {
			args[change.at], err = change.column.value(to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// collect finds the texts in v, and the numbers that are written in another way than they are read.
func collect(v any, texts map[string]bool, numbers map[any]json.Number) {
	switch v := v.(type) {
	case string:
		texts[v] = true
	case json.Number:
		if read := plainNumber(v); !integral(read) {
			numbers[read] = v
		}
	case []any:
		for _, item := range v {
			collect(item, texts, numbers)
		}
	case map[string]any:
		for _, item := range v {
			collect(item, texts, numbers)
		}
	}
}

func integral(v any) bool {
	_, is := v.(int64)
	return is
}

// restored is v, in a copy, with the numbers as they are written.
func (c *column) restored(v any, texts map[string]bool, numbers map[any]json.Number) (_ any, err error) {
	switch v := v.(type) {
	case string:
		if n, is := numbers[v]; is {
			if texts[v] {
				return nil, wrong("%s: the row has %s as a number and as a text, and which is meant is not known: use execute",
					text.LineBytes(c.name, 80), text.LineBytes(v, 80))
			}
			return n, nil
		}
	case float64:
		if n, is := numbers[v]; is {
			return n, nil
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			if list[i], err = c.restored(v[i], texts, numbers); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		all := make(map[string]any, len(v))
		for name := range v {
			if all[name], err = c.restored(v[name], texts, numbers); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	return v, nil
}

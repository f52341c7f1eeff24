package database

// This file reads and writes PostgreSQL's arrays as text: {1,NULL,"a \"b\"",{2}}.

import (
	"encoding/json"
	"fmt"
	"strings"
)

// mostNested is how deep arrays nest; PostgreSQL has six dimensions.
const mostNested = 10

func appendArray(b []byte, list []any) ([]byte, error) { return appendNested(b, list, 0) }

func appendNested(b []byte, list []any, depth int) ([]byte, error) {
	if depth > mostNested {
		return nil, wrong("lists nest too deep")
	}
	b = append(b, '{')
	for i, item := range list {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		switch item := item.(type) {
		case nil:
			b = append(b, "NULL"...)
		case []any:
			b, err = appendNested(b, item, depth+1)
		case map[string]any:
			var encoded []byte
			encoded, err = json.Marshal(item)
			b = appendQuoted(b, string(encoded))
		case string:
			b = appendQuoted(b, item)
		default:
			b = appendQuoted(b, fmt.Sprint(item))
		}
		if err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

// readArray reads an array; ok is false if s is none.
func readArray(s string, item func(string) any) (list []any, ok bool) {
	if strings.HasPrefix(s, "[") { // bounds: [0:2]={1,2,3}
		_, s, ok = strings.Cut(s, "=")
		if !ok {
			return nil, false
		}
	}
	list, rest, ok := readNested(s, item, 0)
	return list, ok && rest == ""
}

func readNested(s string, item func(string) any, depth int) (list []any, rest string, ok bool) {
	if !strings.HasPrefix(s, "{") || depth > mostNested {
		return nil, "", false
	}
	list, s = []any{}, s[1:]
	if strings.HasPrefix(s, "}") {
		return list, s[1:], true
	}
	for {
		switch {
		case strings.HasPrefix(s, "{"):
			var inner []any
			if inner, s, ok = readNested(s, item, depth+1); !ok {
				return nil, "", false
			}
			list = append(list, inner)
		case strings.HasPrefix(s, `"`):
			var b strings.Builder
			i := 1
			for ; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' && i+1 < len(s) {
					i++
				}
				b.WriteByte(s[i])
			}
			if i >= len(s) {
				return nil, "", false
			}
			list, s = append(list, item(b.String())), s[i+1:]
		default:
			end := strings.IndexAny(s, ",}")
			if end < 0 {
				return nil, "", false
			}
			if s[:end] == "NULL" {
				list = append(list, nil)
			} else {
				list = append(list, item(s[:end]))
			}
			s = s[end:]
		}
		switch {
		case strings.HasPrefix(s, ","):
			s = s[1:]
		case strings.HasPrefix(s, "}"):
			return list, s[1:], true
		default:
			return nil, "", false
		}
	}
}

package spec

import "almanac/catalog/tree"

// Bare is the text of a schema without what only tells about it: descriptions, titles and comments, at any depth.
func Bare(schema []byte) []byte { return bare(nil, schema) }

func bare(b, schema []byte) []byte {
	return each(b, schema, func(b []byte, name string, value []byte) []byte {
		switch formOf(name) {
		case oneSchema:
			return bare(b, value)
		case tableOfSchemas:
			return each(b, value, func(b []byte, _ string, value []byte) []byte { return bare(b, value) })
		case listOfSchemas:
			scan := tree.Scan(value)
			b = append(b, '[')
			for i, item := range scan.List() {
				if i > 0 {
					b = append(b, ',')
				}
				b = bare(b, item)
			}
			return append(b, ']')
		}
		switch name {
		case "title", "description", "$comment":
			return nil
		}
		return append(b, value...)
	})
}

// each appends an object with its values as written by write, less those for which that returns nil; anything else as
// it is.
func each(b, object []byte, write func(b []byte, name string, value []byte) []byte) []byte {
	scan := tree.Scan(object)
	if scan.Next() != '{' {
		return append(b, object...)
	}
	b = append(b, '{')
	first := true
	scan.Object(func(name string) {
		before := b
		if !first {
			b = append(b, ',')
		}
		if b = write(append(tree.Quote(b, name), ':'), name, scan.Skip()); b == nil {
			b = before
			return
		}
		first = false
	})
	return append(b, '}')
}

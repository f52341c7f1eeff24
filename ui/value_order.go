package ui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// This file sorts the entries of a table in the value tree.

// An order is how the entries of a table are sorted.
type order int

const (
	asStored order = iota
	byValue
	bySize
	orders
)

func (o order) String() string { return [...]string{"as stored", "by value", "by size"}[o] }

func (p *valuePane) inOrder(below []*branch) []*branch {
	if p.sorted == asStored {
		return below
	}
	out := slices.Clone(below)
	slices.SortStableFunc(out, func(a, b *branch) int {
		if p.sorted == bySize {
			return cmp.Compare(b.node.Size, a.node.Size)
		}
		return compareBriefs(a.node.Brief, b.node.Brief)
	})
	return out
}

// compareBriefs puts numbers in order, the largest first, and texts by their letters, the numbers in them by number.
func compareBriefs(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(y, x)
	}
	for a != "" && b != "" {
		n, m := len(leadingNumber(a)), len(leadingNumber(b))
		if n > 0 && m > 0 {
			x, _ := strconv.ParseFloat(a[:n], 64)
			y, _ := strconv.ParseFloat(b[:m], 64)
			if c := cmp.Compare(x, y); c != 0 {
				return c
			}
			a, b = a[n:], b[m:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// leadingNumber is the number that text begins with, as Lua writes it; empty when there is none.
func leadingNumber(text string) string {
	digits := func(from int) int {
		for from < len(text) && text[from] >= '0' && text[from] <= '9' {
			from++
		}
		return from
	}
	start := 0
	if strings.HasPrefix(text, "-") {
		start = 1
	}
	end := digits(start)
	if end == start {
		return ""
	}
	if end+1 < len(text) && text[end] == '.' && digits(end+1) > end+1 {
		end = digits(end + 1)
	}
	return text[:end]
}

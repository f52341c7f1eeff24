package transcript

// This file reads what other sessions of the team sent.

import (
	"encoding/json"
	"fmt"
	"strings"

	"almanac/catalog/team"
	"almanac/repl/event"
	"almanac/session/trace"
)

// itemOf is the item of a record.
func itemOf(r trace.Record) (item team.Item, ok bool) {
	return item, r.Kind == trace.KindArrived && json.Unmarshal(r.Item, &item) == nil
}

// itemsAfter lists the items by the number of the last cell that had begun when they came.
func itemsAfter(records []trace.Record) map[int][]team.Item {
	items, cell := map[int][]team.Item{}, 0
	for _, r := range records {
		cell = max(cell, r.Cell)
		if item, ok := itemOf(r); ok {
			items[cell] = append(items[cell], item)
		}
	}
	return items
}

// writeItems writes items as Markdown.
func writeItems(b *strings.Builder, items []team.Item) {
	for _, i := range items {
		fmt.Fprintf(b, "\n%s:\n\n%s", event.ItemTitle(i), quoted(i.Text))
	}
}

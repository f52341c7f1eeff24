package catalog_test

import (
	"context"
	"fmt"
	"log"

	"almanac/catalog"
)

type item struct {
	ID string `json:"id" jsonschema:"the item's number"`
}

func price(_ context.Context, in item, _ catalog.Context) (int, error) { return 250, nil }

func remove(_ context.Context, in item, _ catalog.Context) (bool, error) { return true, nil }

// A program's own functions become a catalog; a view that is read-only shows only what changes nothing.
func Example() {
	all, report := catalog.New([]catalog.Entry{
		catalog.Func(catalog.Entry{ID: "shop.item.price", Description: "Get the price of an item, in cents."}, price),
		catalog.Func(catalog.Entry{ID: "shop.item.remove",
			Description: "Remove an item from the shop.", Mutates: true}, remove),
	}, catalog.Options{})
	if len(report.Skipped) > 0 {
		log.Fatal(report.Skipped)
	}
	view, err := all.View().Narrow(catalog.Rules{Name: "shelf", ReadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	found, err := view.Search("price of an item", catalog.SearchOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range found.Hits() {
		fmt.Println(view.Line(hit.ID))
	}
	// Output:
	// shop.item.price(id*:str) -> int  R  Get the price of an item, in cents.
}

package catalog

// This file writes a built catalog as one block of bytes, an image, and opens it again without rebuilding it.

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"

	"almanac/catalog/search"
)

// ErrImage means that the bytes are not an image of a catalog, or a damaged one.
var ErrImage = search.ErrImage

// WriteImage writes the catalog to w, without the functions of its entries, together with a remark that Open returns.
// The same entries give the same bytes on machines of one kind.
func (c *Catalog) WriteImage(w io.Writer, remark []byte) error {
	return search.WriteImage(w, append(c.index.Sections(), c.sections(&store{}, &remark)...))
}

// sections are the arrays of a catalog beside those of its index; s takes its entries when they are loaded.
func (c *Catalog) sections(s *store, remark *[]byte) []search.Section {
	return slices.Concat(search.NamesSections("id", &c.ids, &c.nearID), s.sections(c.Len(), c.at), []search.Section{
		search.Array("mutating", (*[]uint64)(&c.mutating)),
		search.Array("unknown.output", (*[]uint64)(&c.unknownOutput)),
		search.Array("remark", remark),
	})
}

// OpenOptions say how an image is opened. The zero value is ready to use.
type OpenOptions struct {
	// Without switches ranking features off.
	Without []search.Feature
	// Attach gives an entry its functions, Action and Preview, its Prompts and its Resource, when it is first looked up;
	// nil leaves all entries without.
	// It must change nothing else, and be safe for concurrent use.
	Attach func(e *Entry)
}

// Open opens what WriteImage wrote, and returns its remark. The catalog ranks like the one written. Entries are read
// when they are looked up. Open takes over image, which must not be changed afterwards. The error is or wraps ErrImage
// for anything but a complete image of this form.
func Open(image []byte, o OpenOptions) (c *Catalog, remark []byte, err error) {
	s := &store{}
	c = &Catalog{stores: []*store{s}}
	c.index, err = search.Open(image, searchOptions(o.Without, 0, c.peek), c.sections(s, &remark), c.Len)
	if err != nil {
		return nil, nil, err
	}
	if !s.opened(c.Len(), o.Attach) {
		return nil, nil, ErrImage
	}
	return c, remark, nil
}

// Version changes when the same entries would give another image: it is a sum over the shipped words and the image of a
// few sample entries that use every feature.
func Version() string {
	h := sha256.New()
	if err := search.WriteData(h); err != nil {
		panic(err) // a hash takes everything
	}
	c, _ := New(samples(), Options{})
	if err := c.WriteImage(h, nil); err != nil {
		panic(err)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// samples are entries that show how texts and schemas are indexed.
func samples() []Entry {
	return []Entry{
		{
			ID: "billing.invoice.list_unpaid", Title: "Unpaid invoices",
			Description: "Lists the unpaid invoices of a customer, oldest first; café №5, HTTPServer2.",
			Entities:    []string{"Invoice", "customers"}, Tags: []string{"past-due", "money"},
			Aliases: []string{"overdue bills", "getDebts"},
			Input: MustSchema(
				`{"type":"object","properties":{"customerId":{"type":"string","description":"Who owes the money"},"ids":{"type":"array","items":{"type":"integer"}},"when":{"$ref":"#/$defs/day"}},"required":["customerId"],"$defs":{"day":{"type":"string","description":"a calendar day"}}}`),
			Output: MustSchema(
				`{"type":"array","items":{"type":"object","title":"invoice","properties":{"id":{"type":"integer"},"customer":{"type":"object","properties":{"id":{"type":"integer"},"account_id":{"type":"string"}}},"lines":{"type":"array","items":{"title":"line item","type":"object","properties":{"amountCents":{"type":"integer"}}}}}}}`),
		},
		{ID: "crm.customer.delete", Description: "Removing a customer is not undone.", Operation: Delete, Mutates: true,
			Risk: High, Input: MustSchema(`{"anyOf":[{"properties":{"id":{}}},{"properties":{"name":{}}}]}`)},
		{ID: "ops.sendMailToAll", Description: "Sends an e-mail; computed statistics are updated and converted.",
			Mutates: true, Supplies: []Supply{{"ops.recall", "mail", "id"}},
			Compensate: &Compensation{ID: "ops.recall", Args: map[string]any{"mail": "$result.id"}},
			Effects:    []Effect{{Kind: "notify", Target: "$args.to?", Value: "sent"}},
			Output:     MustSchema(`{"allOf":[{"properties":{"sent_at":{}}}]}`)},
		{ID: "search-everything", Category: "finding", Version: "2", Guide: "Ask.", Strict: true, Namespace: []string{"Find"},
			Recipe: "GET /search", Products: []string{"Far Sight"}, Target: "GET https://farsight.org/search",
			Description: "各国の検索 über alles", Operation: Read},
	}
}

package session

// This file has the catalog that most tests of sessions run against.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
)

// A shop is a small catalog that remembers what was done to it.
type shop struct {
	mu   sync.Mutex
	acts []string
}

// act remembers what c does, behind the last words of the conversation.
func (s *shop) act(c catalog.Call, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := ""
	for _, m := range c.Context.Messages {
		said = m.Text
	}
	s.acts = append(s.acts, said+fmt.Sprintf(format, args...))
}

func (s *shop) entries() []catalog.Entry {
	entry := func(id, about string, mutates bool, a catalog.Action) catalog.Entry {
		op := catalog.Read
		if mutates {
			op = catalog.Update
		}
		return catalog.Entry{
			ID: id, Description: about, Operation: op, Mutates: mutates, Entities: []string{"item"},
			Input: catalog.MustSchema(itemInput), Output: catalog.MustSchema(itemOutput), Action: a,
		}
	}
	list := entry("shop.item.list", "List items.", false, func(context.Context, catalog.Call) (catalog.Result, error) {
		return catalog.Result{Data: []any{map[string]any{"id": "a", "cents": 100}, map[string]any{"id": "b", "cents": 250}}},
			nil
	})
	list.Input = catalog.MustSchema(`{"type":"object","properties":{"limit":{"type":"integer","default":25}},"additionalProperties":false}`)
	list.Output = catalog.MustSchema(`{"type":"array","items":` + itemOutput + `}`)
	purge := entry("admin.shop.purge", "Purge an item for good.", true,
		func(_ context.Context, c catalog.Call) (catalog.Result, error) {
			s.act(c, "purge %v", c.Args["item_id"])
			return catalog.Result{Data: true}, nil
		})
	purge.Operation, purge.Risk = catalog.Admin, catalog.High
	return []catalog.Entry{
		list, purge,
		entry("shop.item.get", "Get one item.", false, func(_ context.Context, c catalog.Call) (catalog.Result, error) {
			if c.Args["item_id"] == "none" {
				return catalog.Result{}, errors.New("no item none")
			}
			return catalog.Result{Data: map[string]any{"id": c.Args["item_id"], "cents": 100}}, nil
		}),
		entry("shop.item.price", "Set the price of an item.", true,
			func(_ context.Context, c catalog.Call) (catalog.Result, error) {
				s.act(c, "price %v %v by %s", c.Args["item_id"], c.Args["cents"], c.Context.Actor)
				return catalog.Result{
					Data:    map[string]any{"id": c.Args["item_id"], "cents": c.Args["cents"]},
					Effects: []catalog.Effect{{Kind: "notify", Target: "buyers", Value: "priced"}},
				}, nil
			}),
		entry("shop.item.huge", "Return far too much.", false, func(context.Context, catalog.Call) (catalog.Result, error) {
			return catalog.Result{Data: strings.Repeat("x", 100<<20)}, nil
		}),
		entry("shop.item.panic", "Break.", false, func(context.Context, catalog.Call) (catalog.Result, error) {
			panic("the shelf fell")
		}),
		entry("shop.item.slow", "Answer late.", false, func(context.Context, catalog.Call) (catalog.Result, error) {
			time.Sleep(300 * time.Millisecond)
			return catalog.Result{}, nil
		}),
		entry("shop.item.hang", "Never answer, and do not heed the context.", false,
			func(context.Context, catalog.Call) (catalog.Result, error) {
				time.Sleep(3 * time.Second)
				return catalog.Result{}, nil
			}),
		entry("shop.item.leak", "Return a secret.", false, func(context.Context, catalog.Call) (catalog.Result, error) {
			return catalog.Result{Data: map[string]any{"note": "the key is hunter2!"}}, nil
		}),
	}
}

package graphql

// This file is a shop with a real GraphQL server.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	gophers "github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/relay"

	"almanac/catalog"
	"almanac/catalog/web"
)

// A shop resolves the queries of testdata/shop.graphql.
type shop struct {
	mu     sync.Mutex
	orders []*order
	asked  []string // bodies, and how they were authorised
}

type order struct {
	number int
	status string
	count  int32
}

// money is a scalar of the shop's own.
type money struct{ cents int64 }

func (money) ImplementsGraphQLType(name string) bool { return name == "Money" }
func (m *money) UnmarshalGraphQL(any) error          { return errors.New("no argument is money") }
func (m money) MarshalJSON() ([]byte, error)         { return strconv.AppendInt(nil, m.cents, 10), nil }

func (o *order) ID() gophers.ID      { return gophers.ID(fmt.Sprint("o", o.number)) }
func (o *order) Status() string      { return o.status }
func (o *order) Total() *money       { return &money{int64(o.count) * 250} }
func (o *order) Customer() *customer { return &customer{} }
func (o *order) Broken(struct{ Really bool }) (*string, error) {
	return nil, errors.New("this field is broken")
}
func (o *order) Old() *string { return nil }
func (o *order) Lines(struct{ First int32 }) []line0 {
	return []line0{{"tea", o.count}}
}

type line0 struct {
	SKU   string
	Count int32
}

type customer struct{}

func (*customer) ID() gophers.ID { return "c1" }
func (*customer) Name() string   { return "Ada" }
func (*customer) Orders(struct{ First *int32 }) *page {
	return &page{}
}

// A hit is of one type of a union.
type hit struct{ order *order }

func (h *hit) ToOrder() (*order, bool)       { return h.order, h.order != nil }
func (h *hit) ToCustomer() (*customer, bool) { return &customer{}, h.order == nil }
func (h *hit) ID() gophers.ID                { return h.order.ID() }

type page struct {
	nodes []*order
	all   int32
	end   *string
}

func (p *page) Nodes() []*order   { return p.nodes }
func (p *page) TotalCount() int32 { return p.all }
func (p *page) PageInfo() *pageInfo {
	return &pageInfo{p.end != nil, p.end}
}

type pageInfo struct {
	more bool
	end  *string
}

func (i *pageInfo) HasNextPage() bool  { return i.more }
func (i *pageInfo) EndCursor() *string { return i.end }

func (s *shop) find(id gophers.ID) *order {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.orders {
		if o.ID() == id {
			return o
		}
	}
	return nil
}

func (s *shop) Version() string                           { return "1" }
func (s *shop) Order(args struct{ ID gophers.ID }) *order { return s.find(args.ID) }
func (s *shop) Search(struct{ Text string }) []*hit {
	return []*hit{{s.orders[0]}, {nil}}
}

func (s *shop) Node(args struct{ ID gophers.ID }) *hit {
	if o := s.find(args.ID); o != nil {
		return &hit{o}
	}
	return nil
}

func (s *shop) Orders(args struct {
	First  int32
	After  *string
	Status *string
}) *page {
	p := &page{}
	from := 0
	if args.After != nil {
		from, _ = strconv.Atoi(*args.After)
	}
	for _, o := range s.orders {
		if args.Status == nil || o.status == *args.Status {
			p.all++
			if int(p.all) > from && len(p.nodes) < int(args.First) {
				p.nodes = append(p.nodes, o)
			}
		}
	}
	if end := from + len(p.nodes); end < int(p.all) {
		text := strconv.Itoa(end)
		p.end = &text
	}
	return p
}

type orderInput struct {
	Customer gophers.ID
	Lines    []struct {
		SKU   string
		Count int32
	}
	Gift bool
	And  *orderInput
}

type placed struct{ order *order }

func (p *placed) Order() *order             { return p.order }
func (p *placed) ClientMutationID() *string { return nil }
func (p *placed) Errors() []*problem {
	if p.order == nil {
		return []*problem{{}}
	}
	return []*problem{}
}

type problem struct{}

func (*problem) Field() *string  { return nil }
func (*problem) Message() string { return "an order needs lines" }

func (s *shop) PlaceOrder(args struct {
	Input  orderInput
	Fields *[]string
}) *placed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(args.Input.Lines) == 0 {
		return &placed{}
	}
	o := &order{number: len(s.orders) + 1, status: "OPEN", count: args.Input.Lines[0].Count}
	s.orders = append(s.orders, o)
	return &placed{o}
}

func (s *shop) CancelOrder(struct {
	ID  gophers.ID
	Why *string
}) (*order, error) {
	return nil, errors.New("too late")
}

// A talk is a shop, its server and what was read of it.
type talk struct {
	t *testing.T
	*shop
	server  *httptest.Server
	api     *api
	batch   catalog.Batch
	entries map[string]catalog.Entry
}

// open starts a shop of four orders and reads it from the address of its server, or from a file.
func open(t *testing.T, from string, environment map[string]string) *talk {
	t.Helper()
	k := &talk{t: t, shop: &shop{}, entries: map[string]catalog.Entry{}}
	for i, status := range []string{"OPEN", "PAID", "OPEN", "OPEN"} {
		k.orders = append(k.orders, &order{number: i + 1, status: status, count: int32(i + 1)})
	}
	text, err := os.ReadFile("testdata/shop.graphql")
	if err != nil {
		t.Fatal(err)
	}
	handler := &relay.Handler{Schema: gophers.MustParseSchema(string(text), k.shop, gophers.UseFieldResolvers(),
		gophers.UseStringDescriptions())}
	k.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		k.mu.Lock()
		k.asked = append(k.asked, strings.TrimSpace(r.Header.Get("Authorization")+" "+string(body)))
		k.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(k.server.Close)
	o := web.Site{From: from, Source: "shop", Name: "shop",
		Vault: web.NewVault(func(name string) string { return environment[name] }, nil)}
	if from == "" {
		o.From = k.server.URL + "/graphql"
	} else {
		o.Base = k.server.URL + "/graphql"
	}
	k.api = newAPI(o)
	t.Cleanup(func() { k.api.Close() })
	if k.batch, err = k.api.load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range k.batch.Entries {
		k.entries[e.ID] = e
	}
	return k
}

func (k *talk) call(id string, args map[string]any) (catalog.Result, error) {
	k.t.Helper()
	e, ok := k.entries[id]
	if !ok {
		k.t.Fatalf("there is no %s", id)
	}
	checked, err := e.Input.Check(args)
	if err != nil {
		return catalog.Result{}, err
	}
	return e.Action(context.Background(), catalog.Call{ID: id, Args: checked})
}

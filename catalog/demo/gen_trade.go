package demo

// This file generates the deals: orders and shipments, invoices and how they were settled, and the ledger.

import (
	"cmp"
	"fmt"
	"slices"
)

type order struct {
	id, status string
	customer   int
	day, total int
	lines      []orderLine
}

type orderLine struct{ product, quantity int }

// An invoice's order is the index of the order it bills, or -1.
type invoice struct {
	id, status                      string
	customer, order, day, due       int
	total, paid, credited, refunded int
	paidOn                          int // day of the last payment
	scripted                        bool
	lines                           []invoiceLine
	payments                        []payment
	refund                          int // day of the refund of refunded, 0 for none
	refundReason                    string
}

type invoiceLine struct {
	product, text   any
	quantity, price int
}

type payment struct{ day, amount int }

// An event is a line of the ledger, waiting to be put in order.
type event struct {
	day, customer           int
	kind, reference, billed string
	amount                  int
}

func (g *gen) trade() {
	reserved := map[[2]int]int{}
	g.placeOrders(reserved)
	g.stock(reserved)
	g.writeInvoices()
	events := g.settle()
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.day, b.day) })
	for i, e := range events {
		g.in.put("ledger", i+1, g.customers[e.customer].id, g.day(e.day), e.kind, e.reference, e.billed, e.amount)
	}
}

// recentDays gives count days in order, more of them towards the end.
func (g *gen) recentDays(count, from int) []int {
	days := make([]int, count)
	span := g.today() - from
	for i := range days {
		days[i] = from + max(g.r.n(span+1), g.r.n(span+1))
	}
	slices.Sort(days)
	return days
}

// customerBy draws a customer that existed on a day and makes deals.
func (g *gen) customerBy(day int) int {
	for {
		if c := g.r.n(len(g.customers) - quietCustomers); g.customers[c].created <= day {
			return c
		}
	}
}

func (g *gen) placeOrders(reserved map[[2]int]int) {
	for _, day := range g.recentDays(g.size.orders, 30) {
		o := order{id: g.id("ord"), customer: g.customerBy(day), day: day, status: g.orderStatus(g.today() - day)}
		c, warehouse := g.customers[o.customer], g.r.n(len(warehouses))
		id := fmt.Sprintf("whs_%02d", warehouse+1)
		var note any
		if g.r.chance(15) {
			note = g.r.pick(orderNotes)
		}
		for line := range 1 + g.r.n(3) {
			p, quantity := g.r.n(len(g.products)-quietProducts), 1+g.r.n(24)
			price := g.products[p].price
			o.lines = append(o.lines, orderLine{p, quantity})
			o.total += price * quantity
			if o.status == "placed" {
				reserved[[2]int{p, warehouse}] += quantity
			}
			g.in.put("order_lines", o.id, line+1, g.products[p].id, quantity, price, price*quantity)
		}
		g.in.put("orders", o.id, c.id, id, o.status, o.total, c.company+", "+c.city+", "+c.country, note, g.day(day))
		g.ship(o, id)
		g.orders = append(g.orders, o)
	}
}

func (g *gen) orderStatus(age int) string {
	roll := g.r.n(100)
	switch {
	case roll < 5:
		return "cancelled"
	case age <= 3, age <= 10 && roll < 45:
		return "placed"
	case age <= 10, age <= 18 && roll < 50:
		return "shipped"
	case roll > 96:
		return "returned"
	}
	return "delivered"
}

func (g *gen) ship(o order, warehouse string) {
	if o.status == "placed" || o.status == "cancelled" {
		return
	}
	left := min(o.day+1+g.r.n(3), g.today())
	arrived := min(left+1+g.r.n(6), g.today())
	status, on := "delivered", any(g.day(arrived))
	switch o.status {
	case "shipped":
		status, on = "in_transit", nil
	case "returned":
		status = "returned"
	}
	g.in.put("shipments", g.id("shp"), o.id, warehouse, g.r.pick(carriers),
		fmt.Sprintf("NG%09d", g.r.n(1_000_000_000)), status, g.day(left), on)
}

// stock gives every warehouse some of every product, at least what orders have reserved.
func (g *gen) stock(reserved map[[2]int]int) {
	for p := range g.products {
		for w := range warehouses {
			held, free := reserved[[2]int{p, w}], g.r.n(160)
			if g.r.chance(18) {
				free = g.r.n(8)
			}
			if p == len(g.products)-1 {
				free = 0
			}
			g.in.put("inventory", g.products[p].id, fmt.Sprintf("whs_%02d", w+1), held+free, held)
		}
	}
}

// writeInvoices bills the orders and the services, and decides the fate of each invoice.
func (g *gen) writeInvoices() {
	for i, o := range g.orders {
		if o.status == "cancelled" || g.today()-o.day <= 1 {
			continue
		}
		inv := invoice{customer: o.customer, order: i, day: o.day, due: o.day + g.customers[o.customer].terms}
		for _, l := range o.lines {
			p := g.products[l.product]
			inv.lines = append(inv.lines, invoiceLine{p.id, p.name, l.quantity, p.price})
		}
		g.invoices = append(g.invoices, inv)
	}
	for _, day := range g.recentDays(g.size.services, 30) {
		c := g.customerBy(day)
		inv := invoice{customer: c, order: -1, day: day, due: day + g.customers[c].terms}
		for range 1 + g.r.n(2) {
			s := services[g.r.n(len(services))]
			inv.lines = append(inv.lines, invoiceLine{nil, s.name + ", " + g.day(day)[:7], 1 + g.r.n(4), s.price})
		}
		g.invoices = append(g.invoices, inv)
	}
	// What Acme Corp owes is fixed, not drawn: it is what people see first.
	for i, due := range []int{-75, -48, -20, -9, 6, 14, 21, 28} {
		s := services[i%len(services)]
		day := min(g.today()+due-30, g.today())
		g.invoices = append(g.invoices, invoice{customer: 0, order: -1, day: day, due: g.today() + due, scripted: true,
			lines: []invoiceLine{{nil, s.name + ", " + g.day(day)[:7], 1 + i%3, s.price}}})
	}
	slices.SortStableFunc(g.invoices, func(a, b invoice) int { return cmp.Compare(a.day, b.day) })
	for i := range g.invoices {
		inv := &g.invoices[i]
		inv.id = g.id("inv")
		for n, l := range inv.lines {
			inv.total += l.quantity * l.price
			g.in.put("invoice_lines", inv.id, n+1, l.product, l.text, l.quantity, l.price, l.quantity*l.price)
		}
		g.fate(inv)
	}
}

// fate decides what happened to an invoice: the older it is, the likelier it is paid.
func (g *gen) fate(inv *invoice) {
	late, roll := g.today()-inv.due, g.r.n(1000)
	inv.status = "open"
	if inv.scripted {
		if late == 48 {
			g.pay(inv, inv.total/4, inv.due-5)
		}
		return
	}
	paid := 990
	switch {
	case inv.customer == 0:
		paid = 1000
	case late < 0:
		paid = 250
	case late <= 30:
		paid = 700
	case late <= 90:
		paid = 880
	case late <= 200:
		paid = 960
	}
	first := min(max(inv.day, inv.due-14), g.today())
	switch on := g.r.between(first, max(first, min(inv.due+25, g.today()))); {
	case inv.order < 0 && g.today()-inv.day <= 4 && inv.customer != 0 && roll%3 == 0:
		inv.status = "draft"
	case inv.order < 0 && roll >= 985 && inv.customer != 0:
		inv.status = "void"
	case roll < paid && g.r.chance(8) && inv.total > 20_000:
		half := inv.total / 2
		g.pay(inv, half, g.r.between(inv.day, on))
		g.pay(inv, inv.total-half, on)
	case roll < paid:
		g.pay(inv, inv.total, on)
	case g.r.chance(20):
		g.pay(inv, inv.total*g.r.between(20, 70)/100, on)
	case g.r.chance(12):
		inv.credited = min(inv.total/3, 100*g.r.between(10, 150))
	}
	if inv.paid == inv.total {
		inv.status = "paid"
		g.giveBack(inv)
	}
}

func (g *gen) pay(inv *invoice, amount, day int) {
	inv.payments = append(inv.payments, payment{day, amount})
	inv.paid += amount
	inv.paidOn = max(inv.paidOn, day)
}

// giveBack refunds some of the paid invoices: returned goods in full, others in part.
func (g *gen) giveBack(inv *invoice) {
	returned := inv.order >= 0 && g.orders[inv.order].status == "returned"
	if !returned && !g.r.chance(3) || inv.paidOn >= g.today() {
		return
	}
	inv.refunded, inv.refundReason = inv.total, "Goods returned"
	if !returned {
		inv.refunded, inv.refundReason = inv.total*g.r.between(5, 60)/100, g.r.pick(refundReasons)
	}
	inv.refund = g.r.between(inv.paidOn+1, min(inv.paidOn+45, g.today()))
}

// settle writes invoices, payments, refunds and credits, each kind by day, and returns the ledger.
func (g *gen) settle() []event {
	var events []event
	type settled struct {
		inv *invoice
		payment
	}
	var payments []settled
	var refunds []*invoice
	for i := range g.invoices {
		inv := &g.invoices[i]
		var orderID, paidOn any
		if inv.order >= 0 {
			orderID = g.orders[inv.order].id
		}
		if inv.status == "paid" {
			paidOn = g.day(inv.paidOn)
		}
		balance := inv.total - inv.paid - inv.credited
		if inv.status == "void" {
			balance = 0
		}
		g.in.put("invoices", inv.id, g.customers[inv.customer].id, orderID, inv.status, inv.total, inv.paid, inv.credited,
			inv.refunded, balance, g.day(inv.day), g.day(inv.due), paidOn)
		if inv.status != "draft" {
			events = append(events, event{inv.day, inv.customer, "invoice", inv.id, inv.id, inv.total})
		}
		if inv.status == "void" {
			events = append(events, event{min(inv.day+5, g.today()), inv.customer, "void", inv.id, inv.id, -inv.total})
		}
		for _, p := range inv.payments {
			payments = append(payments, settled{inv, p})
		}
		if inv.refunded > 0 {
			refunds = append(refunds, inv)
		}
	}
	slices.SortStableFunc(payments, func(a, b settled) int { return cmp.Compare(a.day, b.day) })
	for _, p := range payments {
		id := g.id("pay")
		g.in.put("payments", id, p.inv.id, g.customers[p.inv.customer].id, p.amount, g.r.pick(payMethods), "settled",
			fmt.Sprintf("RF%02d %06d", g.r.n(100), g.r.n(1_000_000)), g.day(p.day))
		events = append(events, event{p.day, p.inv.customer, "payment", id, p.inv.id, -p.amount})
	}
	slices.SortStableFunc(refunds, func(a, b *invoice) int { return cmp.Compare(a.refund, b.refund) })
	for _, inv := range refunds {
		id := g.id("rfd")
		g.in.put("refunds", id, inv.id, g.customers[inv.customer].id, inv.refunded, 0, inv.refunded, inv.refundReason,
			g.users[g.r.n(len(g.users))].name, g.day(inv.refund))
		events = append(events,
			event{inv.refund, inv.customer, "credit_note", id, inv.id, -inv.refunded},
			event{inv.refund, inv.customer, "refund", id, inv.id, inv.refunded})
	}
	return append(events, g.credits()...)
}

// credits writes the credits that invoices used and others that nobody used yet.
func (g *gen) credits() []event {
	var events []event
	grant := func(customer, amount, used, day int) string {
		id, status := g.id("crd"), "active"
		if used == amount {
			status = "used"
		}
		g.in.put("credits", id, g.customers[customer].id, amount, amount-used, g.r.pick(creditReasons),
			status, g.day(day), g.day(day+365))
		return id
	}
	for i := range g.invoices {
		inv := &g.invoices[i]
		if inv.credited == 0 {
			continue
		}
		amount := inv.credited
		if g.r.chance(40) {
			amount += 100 * g.r.between(5, 80)
		}
		id := grant(inv.customer, amount, inv.credited, max(inv.day-g.r.n(20), 0))
		on := g.r.between(inv.day, g.today())
		g.in.put("credit_uses", id, inv.id, inv.credited, g.day(on))
		events = append(events, event{on, inv.customer, "credit", id, inv.id, -inv.credited})
	}
	for range 120 {
		day := g.today() - g.r.n(300)
		grant(g.customerBy(day), 100*g.r.between(10, 400), 0, day)
	}
	grant(0, 25_000, 0, g.today()-40)
	return events
}

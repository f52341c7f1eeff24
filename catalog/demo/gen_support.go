package demo

// This file generates the service levels, macros, tickets with their messages and escalations, and the saved reports.

import (
	"fmt"
	"strings"
	"time"
)

func (g *gen) service() {
	for i, p := range slaPolicies {
		g.in.put("sla_policies", fmt.Sprintf("sla_%02d", i+1), p.name, p.response, p.resolution)
	}
	for _, m := range macros {
		var sets any
		if m.sets != "" {
			sets = m.sets
		}
		g.in.put("macros", g.id("mac"), m.name, m.category, m.body, sets, g.r.n(140))
	}
}

// deals are the possible subjects of tickets, by customer.
type deals struct{ orders, invoices [][]int }

func (g *gen) deals() deals {
	d := deals{make([][]int, len(g.customers)), make([][]int, len(g.customers))}
	for i, o := range g.orders {
		d.orders[o.customer] = append(d.orders[o.customer], i)
	}
	for i, inv := range g.invoices {
		d.invoices[inv.customer] = append(d.invoices[inv.customer], i)
	}
	return d
}

func (g *gen) tickets() {
	d := g.deals()
	start, err := time.Parse(time.DateOnly, firstDay)
	if err != nil {
		panic(err) // firstDay is a constant
	}
	for n, day := range g.recentDays(g.size.tickets, 300) {
		opened := start.AddDate(0, 0, day).Add(time.Duration(7*60+g.r.n(600)) * time.Minute)
		customer := g.customerBy(day)
		if n%400 == 399 || n == g.size.tickets-2 {
			customer = 0
		}
		g.ticket(d, customer, day, opened)
	}
}

// subjectOf draws what a ticket is about: an order or an invoice of the customer from before the day, or a product.
func (g *gen) subjectOf(d deals, topic ticketTopic, customer, day int) (orderID, invoiceID any, name string) {
	name = g.products[g.r.n(len(g.products))].name
	if list := d.orders[customer]; topic.about == "order" && len(list) > 0 {
		if o := g.orders[list[g.r.n(len(list))]]; o.day <= day {
			return o.id, nil, "order " + o.id
		}
	}
	if list := d.invoices[customer]; topic.about == "invoice" && len(list) > 0 {
		if inv := g.invoices[list[g.r.n(len(list))]]; inv.day <= day {
			return nil, inv.id, "invoice " + inv.id
		}
	}
	return nil, nil, name
}

func (g *gen) ticket(d deals, customer, day int, opened time.Time) {
	c, topic := g.customers[customer], ticketTopics[g.r.n(len(ticketTopics))]
	from := c.contacts[g.r.n(len(c.contacts))]
	orderID, invoiceID, name := g.subjectOf(d, topic, customer, day)
	fill := strings.NewReplacer("{it}", name, "{company}", c.company)
	id, agent := g.id("tkt"), g.support[g.r.n(len(g.support))]
	priority := []string{"low", "normal", "normal", "normal", "high", "high", "urgent"}[g.r.n(7)]
	now, err := time.Parse(time.RFC3339, lastHour)
	if err != nil {
		panic(err) // lastHour is a constant
	}
	limit := slaPolicies[c.sla]
	answered := opened.Add(g.within(limit.response))
	solved := answered.Add(g.within(limit.resolution))
	status, age := "closed", g.today()-day
	switch roll := g.r.n(100); {
	case age <= 10 && roll < 45, roll < 2:
		status = "open"
	case age <= 10 && roll < 65, roll < 4:
		status = "pending"
	case age <= 30:
		status = "solved"
	}
	stamp := func(t time.Time) any { return t.UTC().Format(time.RFC3339) }
	var answeredAt, solvedAt, assignee any = nil, nil, agent
	if solved.After(now) && (status == "solved" || status == "closed") {
		status = "open"
	}
	if answered.Before(now) && (status != "open" || g.r.chance(60)) {
		answeredAt = stamp(answered)
	}
	if status == "solved" || status == "closed" {
		solvedAt = stamp(solved)
	}
	if answeredAt == nil {
		status = "open"
		if g.r.chance(50) {
			assignee = nil
		}
	}
	g.in.put("tickets", id, c.id, from.id, orderID, invoiceID, fill.Replace(topic.subject),
		topic.category, priority, status,
		assignee, stamp(opened), answeredAt, solvedAt)
	g.in.put("ticket_messages", g.id("msg"), id, "customer", from.name, fill.Replace(topic.body), stamp(opened))
	if answeredAt != nil {
		g.in.put("ticket_messages", g.id("msg"), id, "agent", g.userName(agent), g.r.pick(agentReplies), answeredAt)
	}
	if solvedAt != nil {
		if g.r.chance(50) {
			middle := answered.Add(solved.Sub(answered) / 2)
			g.in.put("ticket_messages", g.id("msg"), id, "customer", from.name, g.r.pick(customerReplies), stamp(middle))
		}
		g.in.put("ticket_messages", g.id("msg"), id, "agent", g.userName(agent), g.r.pick(closingReplies), solvedAt)
	}
	if (priority == "urgent" || priority == "high") && g.r.chance(25) {
		g.escalate(id, opened.Add(time.Hour), now, solvedAt)
	}
}

// within draws how long something took that was promised within a number of hours; one in eight is late.
func (g *gen) within(hours int) time.Duration {
	minutes := 10 + g.r.n(hours*50)
	if g.r.chance(12) {
		minutes = hours*60 + g.r.n(hours*90)
	}
	return time.Duration(minutes) * time.Minute
}

func (g *gen) escalate(ticket string, raised, now time.Time, solvedAt any) {
	if raised.After(now) {
		raised = now
	}
	status, resolution := "open", any(nil)
	if solvedAt != nil {
		status, resolution = "resolved", g.r.pick(resolutions)
	}
	g.in.put("escalations", g.id("esc"), ticket, 1+g.r.n(3), g.r.pick(escalationReasons), status,
		g.support[g.r.n(len(g.support))],
		raised.UTC().Format(time.RFC3339), solvedAt, resolution)
}

func (g *gen) userName(id string) string {
	for _, u := range g.users {
		if u.id == id {
			return u.name
		}
	}
	return id
}

func (g *gen) reports() {
	for i, d := range datasets {
		g.in.put("datasets", fmt.Sprintf("dst_%02d", i+1), d.name, d.about, lastDay)
	}
	for i, name := range reportNames {
		g.in.put("reports", g.id("rpt"), name, fmt.Sprintf("dst_%02d", 1+i%len(datasets)), g.users[g.r.n(len(g.users))].id,
			g.r.pick([]string{"none", "daily", "weekly", "monthly"}), g.day(g.r.n(g.today())))
	}
}

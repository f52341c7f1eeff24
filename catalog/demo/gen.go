package demo

// This file generates the people and products of a new back office. The deals between them are in gen_trade.go, the
// tickets in gen_support.go, the word lists in words.go. Everything comes from one seeded generator and one calendar,
// so that two back offices are identical to the last row.

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// The period covered. Days are counted from firstDay; lastDay is the office's today.
const (
	firstDay = "2024-01-01"
	lastDay  = "2026-10-31"
	lastHour = "2026-10-31T18:00:00Z"
)

// sizes is the number of records of each kind.
type sizes struct {
	users, accounts, customers, leads, products, orders, services, tickets int
}

func fullSize() sizes {
	return sizes{users: 42, accounts: 440, customers: 525, leads: 320, products: 180,
		orders: 3200, services: 2400, tickets: 2200}
}

// The last customers and products have no deals yet.
const (
	quietCustomers = 5
	quietProducts  = 3
)

// gen holds what later parts of the generator need from earlier ones.
type gen struct {
	size      sizes
	r         rng
	in        *inserter
	days      []string // days[n] is n days after firstDay; the last is today
	users     []person
	sales     []string // user ids by team
	support   []string
	customers []customer
	products  []product
	orders    []order
	invoices  []invoice
	counts    map[string]int  // ids given out, by prefix
	named     map[string]bool // company names in use
}

type person struct{ id, name, email, team string }

type customer struct {
	id, company, city, country, domain string
	terms, created                     int
	contacts                           []person
	sla                                int // index of the policy
}

type product struct {
	id, name    string
	price, cost int
}

// rng is the splitmix64 generator: small, and the same on every machine.
type rng uint64

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// n gives a number from 0 to max-1.
func (r *rng) n(max int) int { return int(r.next() % uint64(max)) }

// between gives a number from lo to hi.
func (r *rng) between(lo, hi int) int { return lo + r.n(hi-lo+1) }

// chance is true with a probability in percent.
func (r *rng) chance(percent int) bool { return r.n(100) < percent }

func (r *rng) pick(words []string) string { return words[r.n(len(words))] }

// fill writes the contents in the transaction of tx.
func fill(ctx context.Context, tx *sql.Tx, size sizes) error {
	g := &gen{size: size, r: 20261031, in: &inserter{ctx: ctx, tx: tx}, days: calendar(),
		counts: map[string]int{}, named: map[string]bool{}}
	g.in.put("books", 1, "Northgate Supply", "EUR", lastDay, lastHour)
	g.staff()
	g.service()
	g.accounts()
	g.leads()
	g.goods()
	g.trade()
	g.tickets()
	g.reports()
	for _, c := range counterWidths() {
		g.in.put("counters", c.prefix, c.width, g.counts[c.prefix])
	}
	return g.in.flush()
}

func calendar() []string {
	day, err := time.Parse(time.DateOnly, firstDay)
	if err != nil {
		panic(err) // firstDay is a constant
	}
	var days []string
	for {
		text := day.Format(time.DateOnly)
		days = append(days, text)
		if text == lastDay {
			return days
		}
		day = day.AddDate(0, 0, 1)
	}
}

// today is the index of the last day.
func (g *gen) today() int { return len(g.days) - 1 }

// day gives the text of a day index, which may lie in the future.
func (g *gen) day(n int) string {
	if n < len(g.days) {
		return g.days[n]
	}
	last, err := time.Parse(time.DateOnly, lastDay)
	if err != nil {
		panic(err) // lastDay is a constant
	}
	return last.AddDate(0, 0, n-g.today()).Format(time.DateOnly)
}

type counterWidth struct {
	prefix string
	width  int
}

func counterWidths() []counterWidth {
	return []counterWidth{
		{"acc", 4}, {"con", 5}, {"crd", 4}, {"cus", 4}, {"esc", 4}, {"inv", 5}, {"led", 4}, {"mac", 2}, {"msg", 5},
		{"nte", 4}, {"ord", 5}, {"pay", 5}, {"prd", 3}, {"rfd", 4}, {"rpt", 3}, {"shp", 5}, {"tkt", 5}, {"usr", 3},
	}
}

// id gives the next id of a kind.
func (g *gen) id(prefix string) string {
	g.counts[prefix]++
	for _, c := range counterWidths() {
		if c.prefix == prefix {
			return fmt.Sprintf("%s_%0*d", prefix, c.width, g.counts[prefix])
		}
	}
	panic("no counter for " + prefix)
}

func (g *gen) person() (name, login string) {
	first, last := g.r.pick(firstNames), g.r.pick(lastNames)
	return first + " " + last, strings.ToLower(first + "." + last)
}

func (g *gen) phone() string {
	return fmt.Sprintf("+%d %d %07d", 30+g.r.n(20), 10+g.r.n(890), g.r.n(10_000_000))
}

func (g *gen) staff() {
	for i, r := range roles {
		g.in.put("roles", fmt.Sprintf("rol_%02d", i+1), r.name, r.about, r.permissions)
	}
	taken := map[string]bool{}
	for i := range g.size.users {
		name, login := g.person()
		for taken[login] {
			name, login = g.person()
		}
		taken[login] = true
		job := staffJobs[i%len(staffJobs)]
		u := person{g.id("usr"), name, login + "@northgate.example", job.team}
		status, seen := "active", any(g.days[g.today()-g.r.n(9)])
		if i >= g.size.users-3 {
			status, seen = "inactive", g.days[g.today()-90-g.r.n(300)]
		}
		g.in.put("users", u.id, u.name, u.email, u.team, job.title, status, g.days[g.r.n(400)], seen)
		g.in.put("user_roles", u.id, fmt.Sprintf("rol_%02d", job.role))
		if i%7 == 3 && job.role != 6 {
			g.in.put("user_roles", u.id, "rol_06")
		}
		if status != "active" {
			continue
		}
		g.users = append(g.users, u)
		switch u.team {
		case "sales":
			g.sales = append(g.sales, u.id)
		case "support":
			g.support = append(g.support, u.id)
		}
	}
}

func (g *gen) accounts() {
	names := g.companyNames(g.size.accounts)
	type account struct {
		name, domain  string
		tier, created int
	}
	all := make([]account, g.size.accounts)
	for i, name := range names {
		a := account{name: name, domain: domainOf(name), tier: g.r.n(100), created: g.r.n(700)}
		switch {
		case a.tier < 50:
			a.tier = 0
		case a.tier < 75:
			a.tier = 1
		case a.tier < 92:
			a.tier = 2
		default:
			a.tier = 3
		}
		if i == 0 {
			a.tier, a.created = 2, 12
		}
		all[i] = a
		g.in.put("accounts", g.id("acc"), a.name, g.r.pick(industries), tiers[a.tier], "active",
			"https://www."+a.domain, g.r.pick(g.sales), g.days[a.created])
	}
	for i := range g.size.customers {
		n, branch := i, ""
		if i >= g.size.accounts {
			n = 1 + g.r.n(g.size.accounts-1)
		}
		a := all[n]
		place := places[g.r.n(len(places))]
		if i >= g.size.accounts {
			branch = " " + place.city
		}
		c := customer{id: g.id("cus"), company: a.name + branch, city: place.city, country: place.country, domain: a.domain,
			terms: []int{14, 30, 30, 30, 45, 60}[g.r.n(6)], created: min(a.created+g.r.n(60), g.today()), sla: a.tier}
		status := "active"
		if i > 0 && g.r.chance(7) {
			status = []string{"suspended", "closed"}[g.r.n(2)]
		}
		if i == 0 {
			c.terms = 30
		}
		email := "accounts@" + c.domain
		if branch != "" {
			email = strings.ToLower(strings.ReplaceAll(place.city, " ", "")) + "@" + c.domain
		}
		g.in.put("customers", c.id, fmt.Sprintf("acc_%04d", n+1), c.company, email, g.phone(),
			fmt.Sprintf("%s %d", g.r.pick(streets), 1+g.r.n(180)), c.city, c.country, status, c.terms,
			fmt.Sprintf("sla_%02d", c.sla+1), g.days[c.created])
		g.people(&c)
		g.customers = append(g.customers, c)
	}
}

// people adds the contacts of a customer and the notes about it.
func (g *gen) people(c *customer) {
	for k := range 1 + g.r.n(3) {
		name, login := g.person()
		p := person{id: g.id("con"), name: name, email: login + "@" + c.domain}
		c.contacts = append(c.contacts, p)
		g.in.put("contacts", p.id, c.id, p.name, p.email, g.phone(), g.r.pick(jobTitles), b2i(k == 0))
	}
	if g.r.chance(60) {
		u := g.users[g.r.n(len(g.users))]
		g.in.put("customer_notes", g.id("nte"), c.id, u.name, g.r.pick(noteTexts), g.days[g.r.between(c.created, g.today())])
	}
}

func (g *gen) leads() {
	states := []string{"new", "new", "contacted", "contacted", "qualified", "lost", "lost", "converted"}
	for _, company := range g.companyNames(g.size.leads) {
		name, login := g.person()
		state, owner, created := g.r.pick(states), g.r.pick(g.sales), g.days[g.today()-g.r.n(420)]
		var became any
		if state == "converted" {
			c := g.customers[1+g.r.n(g.size.accounts-1)]
			company, became = c.company, c.id
			created = g.days[max(0, c.created-g.r.n(40))]
		}
		g.in.put("leads", g.id("led"), company, name, login+"@"+domainOf(company), g.r.pick(leadSources), state, owner,
			100*g.r.between(500, 90_000), became, created)
	}
}

// companyNames returns unused names. The first are the Acmes.
func (g *gen) companyNames(count int) []string {
	names := []string{}
	if g.counts["acc"] == 0 {
		names = append(names, "Acme Corp", "Acme Textiles", "Acme Logistics")
	}
	for len(names) < count {
		name := g.r.pick(companyFirst) + " " + g.r.pick(companySecond)
		if !g.named[name] {
			g.named[name] = true
			names = append(names, name)
		}
	}
	return names
}

func domainOf(company string) string {
	return strings.ToLower(strings.ReplaceAll(company, " ", "-")) + ".example"
}

func (g *gen) goods() {
	for i, w := range warehouses {
		g.in.put("warehouses", fmt.Sprintf("whs_%02d", i+1), w.name, w.city, w.country)
	}
	taken := map[string]bool{}
	for range g.size.products {
		group := productGroups[g.r.n(len(productGroups))]
		name := g.r.pick(productKinds) + " " + g.r.pick(group.things)
		for taken[name] {
			group = productGroups[g.r.n(len(productGroups))]
			name = g.r.pick(productKinds) + " " + g.r.pick(group.things)
		}
		taken[name] = true
		price := g.r.between(group.low, group.high)*100 - 5
		p := product{g.id("prd"), name, price, price * g.r.between(45, 75) / 100}
		status := "active"
		if g.r.chance(6) {
			status = "discontinued"
		}
		sku := fmt.Sprintf("%s-%04d", strings.ToUpper(group.name[:3]), 1000+7*g.counts["prd"])
		g.in.put("products", p.id, sku, p.name, group.name, p.price, p.cost, status, 10*g.r.between(2, 12))
		g.products = append(g.products, p)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

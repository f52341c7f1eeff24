//go:build linux

package team

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/remote"
	"almanac/catalog/source"
	"almanac/catalog/team/bus"
	"almanac/session"
	"almanac/session/host"
	"almanac/session/policy"
	"almanac/session/vm"
)

// This file is a desk: two action hosts of one name, on the one and the other machine, each in its own program, that
// write down what they do; and the peers that call them. desk.charge has a key of its own and may be done again under
// it, desk.pay has none.

var deskActions = []string{"desk.pay", "desk.charge"}

// serve is a host in its program.
func (c character) serve() {
	a := &actor{character: c}
	b, h, err := a.begin()
	if err != nil {
		a.tell(event{What: "failed", Text: "host: " + err.Error()})
		os.Exit(1)
	}
	a.tell(event{What: "joined"})
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = h.Close(ctx)
	_ = b.Close()
}

// begin serves the desk; a cluster that is being elected is tried again.
func (a *actor) begin() (b *bus.Bus, h *host.Host, err error) {
	all, _ := catalog.New(a.deskEntries(), catalog.Options{})
	s, err := session.New(all.View(), session.Options{Policy: policy.Policy{Mode: policy.Session}})
	if err != nil {
		return nil, nil, err
	}
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(200 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
		defer cancel()
		if b, err = bus.Open(ctx, bus.Options{URL: a.URL, Name: a.Name}); err != nil {
			continue
		}
		if h, err = host.Start(ctx, b, s, host.Options{Name: "desk"}); err == nil {
			return b, h, nil
		}
		_ = b.Close()
	}
	return nil, nil, err
}

// deskEntries are the actions of the desk: each writes a line with what it was called for, and its key.
func (a *actor) deskEntries() (all []catalog.Entry) {
	for _, id := range deskActions {
		e := catalog.Entry{
			ID: id, Mutates: true,
			Input: catalog.MustSchema(`{"type":"object","properties":{"item":{"type":"string"}},"required":["item"]}`),
			Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
				item := c.Args["item"].(string)
				a.tell(event{What: "begun", ID: id, Text: item})
				time.Sleep(rand.N(50 * time.Millisecond))
				f, err := os.OpenFile(filepath.Join(a.Desk, id), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
				if err == nil {
					_, err = fmt.Fprintf(f, "%s %v\n", item, c.Args["key"])
					err = errors.Join(err, f.Close())
				}
				time.Sleep(rand.N(50 * time.Millisecond))
				a.tell(event{What: "ended", ID: id, Text: item})
				return catalog.Result{Data: a.Name}, err
			},
		}
		if id == "desk.charge" {
			e.Key = &catalog.Key{Argument: "key"}
		}
		all = append(all, e)
	}
	return all
}

// calling is a session over what the hosts serve.
func calling(ctx context.Context, b *bus.Bus) (*session.Session, error) {
	kind := remote.Kind(func(context.Context) (*bus.Bus, error) { return b, nil }, "")
	all, _, err := source.Kinds{kind}.Open("nats:desk", source.Host{Data: os.DevNull}) // nothing is kept
	if err != nil {
		return nil, err
	}
	batch, err := all[0].Load(ctx, func(source.Reading) {})
	if err != nil {
		return nil, err
	}
	served, _ := catalog.New(batch.Entries, catalog.Options{})
	return session.New(served.View(), session.Options{Policy: policy.Policy{Mode: policy.Session}})
}

// What an order came to; anything else is the error of one that was not made.
const (
	made   = "made"
	unsure = "may or may not have been made"
	cutOff = "not waited for any longer"
)

// orderTime is how long an order is waited for.
const orderTime = 30 * time.Second

// orders calls the desk, one thing after the other, once a host is there.
func (a *actor) orders(ctx context.Context, b *bus.Bus, r *rand.Rand) {
	var desk *session.Session
	for desk == nil && ctx.Err() == nil {
		time.Sleep(200 * time.Millisecond)
		desk, _ = calling(ctx, b) // tried until the test has no patience any more
	}
	for n := 0; ctx.Err() == nil && !a.rests(); n++ {
		time.Sleep(time.Duration(50+r.IntN(150)) * time.Millisecond)
		e := event{
			What: "ordered", ID: deskActions[n%2], Text: fmt.Sprintf("%s.%d.%d", a.Name, a.Life, n), Kind: made,
		}
		within, cancel := context.WithTimeout(ctx, orderTime)
		result, err := desk.Call(within, session.Invocation{ID: e.ID, Args: map[string]any{"item": e.Text}})
		cancel()
		var failed *vm.HostError
		switch {
		case err == nil:
			e.To = fmt.Sprint(result.Data)
		case errors.As(err, &failed) && failed.Code == remote.CodeUncertain:
			e.Kind = unsure
		case errors.As(err, &failed) && failed.Kind == vm.Interrupt:
			e.Kind = cutOff
		default:
			e.Kind = err.Error()
		}
		a.tell(e)
	}
}

// made counts the orders of the peer that were acknowledged.
func (p *peer) made() (n int) {
	for _, e := range p.all() {
		if e.What == "ordered" && e.Kind == made {
			n++
		}
	}
	return n
}

// busy tells that a host has calls under way.
func (p *peer) busy() bool {
	n := 0
	for _, e := range p.all() {
		switch e.What {
		case "joined": // what an earlier life had begun has ended with it
			n = 0
		case "begun":
			n++
		case "ended":
			n--
		}
	}
	return n > 0
}

// serveOn waits until all peers have made something more at the desk.
func (p *play) serveOn(when string) {
	p.t.Helper()
	for _, actor := range p.peers {
		before := actor.made()
		p.await(actor.Name+" is served "+when, patience, func() bool { return actor.made() > before })
	}
}

// killHost kills a host that has calls under way. Those on its machine are served across the cable.
func (p *play) killHost(h *peer) {
	p.t.Helper()
	p.await(h.Name+" has a call", patience, h.busy)
	h.end()
	p.hostKills++
	p.serveOn("after " + h.Name + " was killed")
	h.enter()
}

// checkDesk compares what was acknowledged with what the hosts have written.
func (a *account) checkDesk(dir string) {
	outcomes := map[string]int{}
	for _, id := range deskActions {
		text, err := os.ReadFile(filepath.Join(dir, id))
		if err != nil {
			a.t.Error(err)
		}
		times, keys := map[string]int{}, map[string]map[string]bool{}
		for line := range strings.Lines(string(text)) {
			item, key, _ := strings.Cut(strings.TrimSpace(line), " ")
			if keys[item] == nil {
				keys[item] = map[string]bool{}
			}
			times[item]++
			keys[item][key] = true
		}
		for item, n := range times {
			if id == "desk.pay" && n > 1 || len(keys[item]) > 1 {
				a.t.Errorf("%s %s was made %d times, under %d keys", id, item, n, len(keys[item]))
			}
		}
		for _, e := range a.orders {
			switch n := times[e.Text]; {
			case e.ID != id:
				continue
			case e.Kind == made && n == 0:
				a.t.Errorf("%s %s was acknowledged and is not there", id, e.Text)
			case !slices.Contains([]string{made, unsure, cutOff}, e.Kind) && n > 0:
				a.t.Errorf("%s %s was made, and its caller was told: %s", id, e.Text, e.Kind)
			}
			outcomes[id+" "+e.Kind]++
		}
		if outcomes[id+" "+made] == 0 {
			a.t.Errorf("%s: nothing was tested", id)
		}
	}
	a.t.Logf("at the desk: %v", outcomes)
}

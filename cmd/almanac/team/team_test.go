//go:build linux

// Package team plays a team on a cluster of three NATS servers in two network namespaces, with kills and cut cables. It
// has tests only.
//
//	world      the machines, the cable between them, the servers
//	character  who a peer is
//	actor      a peer in its own program: works, writes and asks at random, prints what was acknowledged
//	peer       a peer as the test sees it: starts it, kills it, reads what it prints
//	desk       action hosts of one name, and what peers call there
//	account    what all peers printed, and whether it agrees with what the bus has
//
// Without ALMANAC_TEAM, the number of strikes, nothing runs: see make team. It needs root and ip.
package team

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"almanac/catalog/team"
)

// patience is how long anything may take on a busy machine; what takes longer hangs.
const patience = time.Minute

// TestTeam needs ALMANAC_TEAM, how often something is struck, and ALMANAC_NATS, the path of nats-server. SEED repeats
// the choices of a run.
func TestTeam(t *testing.T) {
	strikes, err := strconv.Atoi(os.Getenv("ALMANAC_TEAM"))
	if err != nil {
		t.Skip("ALMANAC_TEAM is no number of strikes: make team")
	}
	if out, err := exec.Command("ip", "netns", "add", "almanac-probe").CombinedOutput(); err != nil {
		fmt.Printf("NOT RUN: the team on a cluster, because there are no network namespaces here: %s: %v\n", out, err)
		t.Skip("no network namespaces")
	}
	_ = exec.Command("ip", "netns", "del", "almanac-probe").Run()
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if seed == 0 {
		seed = 1 + rand.Uint64N(1_000_000_000)
	}
	t.Logf("SEED=%d", seed)
	p := &play{
		world: newWorld(t, os.Getenv("ALMANAC_NATS")), r: rand.New(rand.NewPCG(seed, 0)), desk: t.TempDir(),
	}
	names := []string{"ann", "bob", "cyd", "dan"}
	for i, name := range names {
		others := slices.DeleteFunc(slices.Clone(names), func(o string) bool { return o == name })
		m := p.machines[i/2]
		p.peers = append(p.peers, &peer{
			character: character{URL: p.url(m), Name: name, Others: others, Seed: seed + uint64(i)}, w: p.world, on: m,
		})
	}
	for i, m := range p.machines {
		p.hosts = append(p.hosts, &peer{
			character: character{URL: p.url(m), Name: fmt.Sprintf("desk%d", i+1), Desk: p.desk, Serves: true}, w: p.world, on: m,
		})
	}
	for _, actor := range slices.Concat(p.hosts, p.peers) {
		actor.enter()
		t.Cleanup(func() { actor.end() })
	}
	p.goOn("at the start")
	p.person = p.sits(t, os.Getenv("ALMANAC_E2E"), p.machines[1])
	p.writes("eve's first word")
	for i := range strikes {
		p.strike(i)
	}
	p.close()
}

// A play is a run of the test.
type play struct {
	*world
	r     *rand.Rand
	peers []*peer
	hosts []*peer
	desk  string // what the hosts have done
	*person

	kills, hostKills, struck, cuts int
}

// writes has the person write to a peer, again where the servers have not found each other yet and she is told so, and
// waits until it came.
func (p *play) writes(text string) {
	p.t.Helper()
	before := len(p.shown())
	write := func() { p.types(fmt.Sprintf("peer.message{to = 'cyd', content = %q}", text)) }
	write()
	p.await("eve sees that it was sent", patience, func() bool {
		if seen := len(p.shown()); p.sees("peer.message  no answer from the bus", before) {
			before = seen
			write()
		}
		return p.sees("sent to cyd", before)
	})
	came := func(e event) bool { return e.What == "got" && e.From == "eve" && e.Text == text }
	p.await("cyd gets it", patience, func() bool { return slices.ContainsFunc(p.peers[2].all(), came) })
}

// goOn waits until the bus has taken something more from all peers.
func (p *play) goOn(when string) {
	p.t.Helper()
	begun := time.Now()
	for _, actor := range p.peers {
		before := actor.acknowledged()
		p.await(actor.Name+" goes on "+when, patience, func() bool { return actor.acknowledged() > before })
	}
	p.serveOn(when)
	p.t.Logf("all go on %s: after %v", when, time.Since(begun).Round(10*time.Millisecond))
}

// strike does one bad thing, and waits until all go on. The first three are one of each kind.
func (p *play) strike(i int) {
	kind := i
	if i > 2 {
		kind = p.r.IntN(7)
	}
	switch kind {
	case 0:
		p.dark()
		p.goOn("after a machine without a server and without a cable")
	case 1:
		p.kills++
		actor := p.peers[p.r.IntN(len(p.peers))]
		actor.end()
		actor.enter()
		p.killHost(p.hosts[1])
		p.goOn("after " + actor.Name + " was killed")
	case 2:
		p.struck++
		n := p.nodes[p.r.IntN(3)]
		kill(n.process)
		time.Sleep(time.Duration(p.r.IntN(2000)) * time.Millisecond)
		p.start(n)
		p.goOn("after a server was killed")
	case 3:
		p.killHost(p.hosts[p.r.IntN(len(p.hosts))])
	default:
		p.cut(func() { time.Sleep(time.Duration(p.r.IntN(1500)) * time.Millisecond) })
		p.goOn("after the cable was cut")
	}
}

// cut parts the machines. Those on the side of two servers have to go on.
func (p *play) cut(meanwhile func()) {
	p.cuts++
	p.cable("down")
	for _, actor := range p.peers[:2] {
		before := actor.acknowledged()
		more := func() bool { return actor.acknowledged() > before+3 }
		p.await(actor.Name+" goes on with the cable cut", patience, more)
	}
	meanwhile()
	p.cable("up")
}

// dark leaves one machine, the person's, without any server. The person is told, and is told when that is over.
func (p *play) dark() {
	p.struck++
	seen := len(p.shown())
	n := p.nodes[2]
	kill(n.process)
	p.cut(func() {
		p.await("eve sees that the server is gone", patience, func() bool { return p.sees(": connection lost", seen) })
	})
	p.start(n)
	p.await("eve sees that the server is back", patience, func() bool { return p.sees(": connected again", seen) })
	p.writes(fmt.Sprintf("eve after strike %d", p.struck))
}

// close has all peers come to an end of what they have begun, and checks the account.
func (p *play) close() {
	for _, actor := range p.peers {
		actor.say("rest")
	}
	var tasks []team.Task
	p.await("all tasks are over", 2*patience, func() bool {
		tasks = p.dump()
		return !slices.ContainsFunc(tasks, func(t team.Task) bool { return !t.Over() })
	})
	a := newAccount(p.t, p.peers)
	p.await("all that was acknowledged arrives", patience, func() bool {
		a = newAccount(p.t, p.peers)
		return len(a.missing()) == 0
	})
	a.check(tasks)
	a.checkDesk(p.desk)
	p.writes("eve's last word")
	p.t.Logf("%d kills of a peer, %d of a host, %d of a server, %d cuts\n%s", p.kills, p.hostKills, p.struck, p.cuts, a)
}

// dump fetches all tasks through a peer.
func (p *play) dump() (tasks []team.Task) {
	actor := p.peers[0]
	seen := len(actor.all())
	actor.say("dump")
	p.await("dump", patience, func() bool {
		for _, e := range actor.all()[seen:] {
			if e.What == "dump" {
				if err := json.Unmarshal([]byte(e.Text), &tasks); err != nil {
					p.t.Fatal(err)
				}
				return true
			}
		}
		return false
	})
	return tasks
}

//go:build linux

package team

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/team"
	"almanac/catalog/team/bus"
	"almanac/session/kernel"
)

// This file is a peer: a program that does with the actions of a team what sessions do, at random, and prints what the
// bus has acknowledged and what came. It is this test's own program, started with peerVariable set.

const peerVariable = "ALMANAC_TEAM_PEER"

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	if raw := os.Getenv(peerVariable); raw != "" {
		var c character
		if err := json.Unmarshal([]byte(raw), &c); err != nil {
			panic(err)
		}
		if c.Serves {
			c.serve()
		} else {
			c.play()
		}
		return
	}
	os.Exit(m.Run())
}

// A character says who a peer is.
type character struct {
	URL, Name string
	Others    []string
	Life      int // how often it was started before
	Seed      uint64
	Desk      string // where hosts write what they do
	Serves    bool   // it is a host
}

// An event is a line of a peer: something that the bus acknowledged, that came, or that did not work.
type event struct {
	// joined, created, finished, sent, asked, answered, got, state, failed, dump; ordered; of hosts begun, ended
	What string
	ID   string `json:",omitempty"`
	Key  string `json:",omitempty"`
	Kind string `json:",omitempty"`
	From string `json:",omitempty"`
	To   string `json:",omitempty"`
	Text string `json:",omitempty"`
}

// An actor is a peer in its program.
type actor struct {
	character
	team    *team.Team
	actions map[string]catalog.Entry

	mu        sync.Mutex
	count     int
	questions []team.Item // to be answered
	resting   bool        // takes tasks and answers, begins nothing
}

// tell prints an event, in one write.
func (a *actor) tell(e event) {
	raw, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.Write(append(raw, '\n'))
}

// play lives until it is killed or its input ends.
func (c character) play() {
	a := &actor{character: c, actions: map[string]catalog.Entry{}}
	b, err := a.open()
	if err != nil {
		a.tell(event{What: "failed", Text: "open: " + err.Error()})
		os.Exit(1)
	}
	for _, e := range a.team.Entries() {
		a.actions[e.ID] = e
	}
	a.tell(event{What: "joined", Text: a.team.Agent()})
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() { a.live(ctx, rand.New(rand.NewPCG(c.Seed, uint64(c.Life*2+i)))) })
	}
	all.Go(func() { a.orders(ctx, b, rand.New(rand.NewPCG(c.Seed, uint64(c.Life)))) })
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "rest":
			a.mu.Lock()
			a.resting = true
			a.mu.Unlock()
		case "dump":
			a.dump(ctx)
		}
	}
	stop()
	all.Wait()
	_ = a.team.Close()
	_ = b.Close()
}

// open joins; a cluster that is being elected is tried again.
func (a *actor) open() (b *bus.Bus, err error) {
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(200 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
		defer cancel()
		b, err = bus.Open(ctx, bus.Options{URL: a.URL, Name: a.Name, State: func(s bus.State) {
			a.tell(event{What: "state", Text: s.Text})
		}})
		if err != nil {
			continue
		}
		a.team, err = team.Join(ctx, b, team.Options{Team: "shop", Agent: a.Name, Arrived: a.arrived})
		if err == nil {
			return b, nil
		}
		_ = b.Close()
	}
	return nil, err
}

// rests tells that nothing new is to be begun.
func (a *actor) rests() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.resting
}

// arrived prints an item and marks it as read.
func (a *actor) arrived(i team.Item) {
	a.tell(event{What: "got", ID: i.ID, Kind: string(i.Kind), From: i.From, Text: i.Text})
	a.mu.Lock()
	if i.Kind == team.Question {
		a.questions = append(a.questions, i)
	}
	t := a.team
	a.mu.Unlock()
	if i.Kind != team.Question && t != nil { // a question is read when it is answered
		t.Read(i.ID)
	}
}

// call calls an action; ok if it was acknowledged, and its error otherwise.
func (a *actor) call(ctx context.Context, id string, args map[string]any) (data any, ok bool) {
	entry := a.actions[id]
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	args, err := entry.Input.Check(args)
	if err == nil {
		var result catalog.Result
		if result, err = entry.Action(ctx, catalog.Call{ID: id, Args: args}); err == nil {
			return result.Data, true
		}
	}
	a.tell(event{What: "failed", ID: id, Text: err.Error()})
	return err, false
}

// live does one thing after the other.
func (a *actor) live(ctx context.Context, r *rand.Rand) {
	for ctx.Err() == nil {
		time.Sleep(time.Duration(5+r.IntN(40)) * time.Millisecond)
		a.mu.Lock()
		a.count++
		text := fmt.Sprintf("%s.%d.%d", a.Name, a.Life, a.count) // never twice
		resting := a.resting
		a.mu.Unlock()
		to := a.Others[r.IntN(len(a.Others))]
		n := r.IntN(10)
		if resting {
			n = 5 + r.IntN(5)
		}
		switch {
		case n < 2:
			// Another peer may create the task of the same key.
			key := fmt.Sprintf("key %d", r.IntN(400))
			data, ok := a.call(ctx, "peer.task.create", map[string]any{"title": text, "key": key, "tries": 10})
			if ok {
				a.tell(event{What: "created", Key: key, ID: data.(map[string]any)["id"].(string)})
			}
		case n < 4:
			if _, ok := a.call(ctx, "peer.message", map[string]any{"to": to, "content": text}); ok {
				a.tell(event{What: "sent", To: to, Text: text})
			}
		case n < 5:
			data, ok := a.call(ctx, "peer.ask", map[string]any{"target": to, "question": text})
			if ok {
				a.tell(event{What: "asked", To: to, Text: text, ID: fmt.Sprint(data.(map[string]any)["query_id"])})
			}
		case n < 8:
			a.work(ctx, r, text)
		default:
			a.answer(ctx, text)
		}
	}
}

// work takes a task, works on it and finishes it.
func (a *actor) work(ctx context.Context, r *rand.Rand, text string) {
	data, ok := a.call(ctx, "peer.task.take", nil)
	if !ok || data == nil {
		return
	}
	id := data.(map[string]any)["id"].(string)
	time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
	for ctx.Err() == nil {
		done, ok := a.call(ctx, "peer.task.finish", map[string]any{"id": id, "result": text})
		if ok {
			a.tell(event{What: "finished", ID: id, Text: text, Kind: fmt.Sprint(done)})
			return
		}
		// Lost to another, or the bus was away: then it is still this one's.
		data, ok := a.call(ctx, "peer.task.list", map[string]any{"id": id})
		if !ok {
			time.Sleep(200 * time.Millisecond)
			continue
		}
		task := data.(map[string]any)["tasks"].([]any)[0].(map[string]any)
		if task["state"] != "taken" || task["holder"] != a.team.Agent() {
			return
		}
	}
}

// answer answers the oldest question that waits.
func (a *actor) answer(ctx context.Context, text string) {
	a.mu.Lock()
	if len(a.questions) == 0 {
		a.mu.Unlock()
		return
	}
	q := a.questions[0]
	a.questions = slices.Delete(a.questions, 0, 1)
	a.mu.Unlock()
	done, ok := a.call(ctx, "peer.answer", map[string]any{"query_id": q.Query, "answer": text})
	switch {
	case ok:
		a.tell(event{What: "answered", ID: q.Query, To: q.From, Text: text})
		a.team.Read(q.ID)
	case strings.Contains(fmt.Sprint(done), "you have answered it"): // and was killed or not told so
		a.team.Read(q.ID)
	default:
		a.mu.Lock()
		a.questions = append(a.questions, q)
		a.mu.Unlock()
	}
}

// dump prints all tasks.
func (a *actor) dump(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	all, err := a.team.Tasks(ctx)
	if err != nil {
		a.tell(event{What: "failed", Text: "dump: " + err.Error()})
		return
	}
	raw, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	a.tell(event{What: "dump", Text: string(raw)})
}

// A peer is a character on the stage, as the test sees it.
type peer struct {
	character
	w    *world
	on   *machine
	end  func()
	in   io.Writer
	done chan struct{}

	mu     sync.Mutex
	events []event
}

// enter starts the peer's program.
func (p *peer) enter() {
	raw, err := json.Marshal(p.character)
	if err != nil {
		p.w.t.Fatal(err)
	}
	c := p.on.command(os.Args[0])
	c.Env = append(os.Environ(), peerVariable+"="+string(raw))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		p.w.t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		p.w.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		p.w.t.Fatal(err)
	}
	p.Life++
	p.in, p.done = in, make(chan struct{})
	done := p.done
	go func() {
		defer close(done)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var e event
			if json.Unmarshal(lines.Bytes(), &e) != nil {
				continue // cut off by a kill, or the test program's own
			}
			p.mu.Lock()
			p.events = append(p.events, e)
			p.mu.Unlock()
		}
		_ = c.Wait()
	}()
	p.end = func() {
		_ = c.Process.Kill()
		<-done
	}
}

func (p *peer) say(line string) { _, _ = io.WriteString(p.in, line+"\n") }

// all are the events so far.
func (p *peer) all() []event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.events)
}

// acknowledged counts what the bus has taken from the peer.
func (p *peer) acknowledged() (n int) {
	for _, e := range p.all() {
		if strings.Contains("created finished sent", e.What) {
			n++
		}
	}
	return n
}

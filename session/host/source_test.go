package host_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"almanac/catalog"
	"almanac/catalog/remote"
	"almanac/catalog/source"
	"almanac/catalog/task"
	"almanac/session"
	"almanac/session/host"
	"almanac/session/policy"
)

func load(t *testing.T, s source.Source) ([]string, error) {
	t.Helper()
	batch, err := s.Load(t.Context(), func(source.Reading) {})
	var ids []string
	for _, e := range batch.Entries {
		ids = append(ids, e.ID)
	}
	for _, skip := range batch.Skipped {
		ids = append(ids, "skipped "+skip.ID+": "+skip.Reason)
	}
	return ids, err
}

// Hosts of one name that serve different catalogs say so, and so does who calls them.
func TestDiffering(t *testing.T) {
	t.Parallel()
	b := onBus(t)
	entries := (&shop{}).entries()
	lines := make(chan string, 10)
	for _, n := range []int{1, 2, 2} {
		all, _ := catalog.New(entries[:n], catalog.Options{})
		s, err := session.New(all.View(), session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := host.Start(t.Context(), b, s, host.Options{Name: "shop", Logf: func(format string, args ...any) {
			lines <- fmt.Sprintf(format, args...)
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close(context.WithoutCancel(t.Context())); s.Close() })
	}
	want := regexp.MustCompile(`^WARNING: hosts of this name serve different catalogs: 1 host with 1 action ` +
		`\(catalog [0-9a-f]{6}\), ([12]) hosts? with 2 actions \(catalog [0-9a-f]{6}\): calls go to any of them and may fail: ` +
		`give them different names, or the same sources$`)
	for told := 0; told < 3; { // a host may have looked before the third was there
		got := <-lines
		counts := want.FindStringSubmatch(got)
		switch {
		case counts == nil:
			t.Fatal(got)
		case counts[1] == "2":
			told++
		}
	}
	src := opened(t, b, t.TempDir(), "nats:shop")
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	changed := make(chan struct{}, 10)
	go src.Watch(watching, func() { changed <- struct{}{} })
	<-changed
	if err := src.Health(); err == nil || !strings.Contains(err.Error(), "host shop: hosts of this name serve different") {
		t.Error(err)
	}
}

// A source says that nobody answers, keeps what was served, and hears when that has changed and when a host is back.
func TestSourceFollows(t *testing.T) {
	b := onBus(t)
	data := t.TempDir()
	src := opened(t, b, data, "nats:shop")
	if _, err := load(t, src); err == nil || err.Error() != "host shop: no host answers" {
		t.Errorf("without a host: %v", err)
	}
	entries := (&shop{}).entries()
	all, _ := catalog.New(entries[:2], catalog.Options{})
	s, err := session.New(all.View(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h, err := host.Start(t.Context(), b, s, host.Options{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	if ids, err := load(t, src); strings.Join(ids, " ") != "shop.get shop.who" || err != nil || src.Health() != nil {
		t.Errorf("served: %v, %v, %v", ids, err, src.Health())
	}
	changed := make(chan struct{}, 10)
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	go src.Watch(watching, func() { changed <- struct{}{} })
	more, _ := catalog.New(entries, catalog.Options{})
	if err := s.Replace(t.Context(), more.View()); err != nil {
		t.Fatal(err)
	}
	for i := 0; len(changed) == 0; i++ { // until the watcher listens
		if err := b.Conn().Publish(remote.Subject("shop", remote.ChangedSubject), nil); err != nil || i > 1000 {
			t.Fatal(err)
		}
		if err := h.Changed(); err != nil {
			t.Fatal(err)
		}
		_ = task.Sleep(t.Context(), 10*time.Millisecond)
	}
	if ids, err := load(t, src); len(ids) != len(entries) || err != nil {
		t.Errorf("changed: %v, %v", ids, err)
	}
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	batch, err := src.Load(t.Context(), func(source.Reading) {})
	for len(changed) > 0 {
		<-changed
	}
	if err != nil || src.Health() == nil {
		t.Errorf("lost: %v", err)
	}
	again, err := host.Start(t.Context(), b, s, host.Options{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	follows := func(what string) { // a call tells it, long before it would ask by itself
		t.Helper()
		_, err := batch.Entries[0].Action(t.Context(), catalog.Call{ID: "shop.get"})
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			t.Errorf("%s: not heard", what)
		}
		if strings.Contains(fmt.Sprint(err), "no host answers") != (src.Health() != nil) {
			t.Errorf("%s: the call: %v, health: %v", what, err, src.Health())
		}
	}
	follows("back")
	if err := again.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	follows("lost")
	stop()
	later := opened(t, b, data, "nats:shop")
	if ids, err := load(t, later); len(ids) != len(entries) || err != nil {
		t.Errorf("kept: %v, %v", ids, err)
	}
	if err := later.Health(); err == nil || err.Error() != "host shop: no host answers" {
		t.Errorf("kept: health %v", err)
	}
	kept, _ := filepath.Glob(filepath.Join(data, "hosts", "*.pages"))
	if len(kept) != 1 {
		t.Fatalf("kept in %v", kept)
	}
	whole, _ := os.ReadFile(kept[0])
	other := bytes.Replace(whole, []byte(`fingerprint":"`), []byte(`fingerprint":"0`), 1)
	for _, damage := range [][]byte{nil, whole[:len(whole)/2], other} {
		if err := os.WriteFile(kept[0], damage, 0o600); err != nil {
			t.Fatal(err)
		}
		if ids, err := load(t, opened(t, b, data, "nats:shop")); err == nil || len(ids) > 0 {
			t.Errorf("damaged: %v", ids)
		}
	}
}

// A host that is told to end takes no new call and ends those it has.
func TestDrain(t *testing.T) {
	b := onBus(t)
	begun, end := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	slow := catalog.Entry{ID: "shop.slow", Action: func(context.Context, catalog.Call) (catalog.Result, error) {
		if calls.Add(1) == 1 {
			close(begun)
			<-end
		}
		return catalog.Result{Data: "done"}, nil
	}}
	all, _ := catalog.New([]catalog.Entry{slow}, catalog.Options{})
	s, err := session.New(all.View(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h, err := host.Start(t.Context(), b, s, host.Options{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	here := calling(t, b, "nats:shop", session.Options{
		After: func(_ time.Duration, f func()) func() bool { f(); return func() bool { return false } }, // no pauses
	})
	answer, closed := make(chan string, 1), make(chan error, 1)
	go func() { answer <- said(here.Call(t.Context(), session.Invocation{ID: "shop.slow"})) }()
	select {
	case <-begun:
	case got := <-answer:
		t.Fatal(got)
	}
	go func() { closed <- h.Close(context.Background()) }()
	call := func() string { return said(here.Call(t.Context(), session.Invocation{ID: "shop.slow"})) }
	got := call() // taken, or answered by a host that ends
	for i := 0; !strings.Contains(got, "no host answers (tried 4 times)"); got = call() {
		if i++; i == 1000 {
			t.Fatal(got)
		}
	}
	select {
	case err := <-closed:
		t.Errorf("closed with a call under way: %v", err)
	default:
	}
	close(end)
	if got = <-answer; got != `"done"` {
		t.Error(got)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// A host that is closed does not wait for an action that goes on after it was cancelled.
func TestStuck(t *testing.T) {
	b := onBus(t)
	begun, end := make(chan struct{}, 10), make(chan struct{})
	stuck := catalog.Entry{ID: "shop.stuck", Action: func(context.Context, catalog.Call) (catalog.Result, error) {
		begun <- struct{}{}
		<-end
		return catalog.Result{}, nil
	}}
	all, _ := catalog.New([]catalog.Entry{stuck}, catalog.Options{})
	s, err := session.New(all.View(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	defer close(end)
	h, err := host.Start(t.Context(), b, s, host.Options{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	here := calling(t, b, "nats:shop", session.Options{})
	go here.Call(t.Context(), session.Invocation{ID: "shop.stuck"}) //nolint:errcheck // it ends with the test
	<-begun
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Close(done); err != nil {
		t.Error(err)
	}
}

// What is taken of a caller is what the host lists.
func TestTrust(t *testing.T) {
	b := onBus(t)
	serve(t, b, "shop", (&shop{}).entries(), policy.ReadOnly, "actor", "team_id", "messages")
	here := calling(t, b, "nats:shop", session.Options{
		Context: catalog.Context{Actor: "ann", AgentName: "scout", TeamID: "red"},
	})
	want := `{ actor = "ann", agent = "", heard = {}, team = "red" }`
	if got := said(here.Call(t.Context(), session.Invocation{ID: "shop.who"})); got != want {
		t.Error(got)
	}
	if err := remote.CheckTrust([]string{"workspace"}); err == nil {
		t.Error("a caller's workspace is taken")
	}
}

// Whoever answers on a bus may be anybody: what is wrong or too much is left out or refused.
func TestHostileHost(t *testing.T) {
	b := onBus(t)
	lines := []string{
		`{"id":"a.b","description":"fine\u001b[31m","risk":"none","mutates":true,"callable":true,"timeout":-5,"retry":{"Tries":1000000}}`,
		`{"id":"a..c"}`, `{"id":"a.d","input":"x"}`, `{"id":"a.e","input":{"type":"object","properties":7}}`, `nonsense`,
		`{"id":"a.f","undone_by":{"id":""}}`,
	}
	raw := []byte(strings.Join(lines, "\n") + "\n")
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(raw)
	_ = zip.Close()
	page, sum := packed.Bytes(), sha256.Sum256(raw)
	o := remote.Outline{Instance: "x", Fingerprint: hex.EncodeToString(sum[:]), Entries: len(lines), Pages: 1}
	answer := func(subject string, data func(*nats.Msg) []byte) {
		sub, err := b.Conn().Subscribe(subject, func(m *nats.Msg) { _ = m.Respond(data(m)) })
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = sub.Unsubscribe() })
	}
	answer(remote.Subject("shop", remote.OutlineSubject), func(*nats.Msg) []byte {
		data, _ := json.Marshal(o)
		return data
	})
	answer(remote.InstanceSubject("shop", "x", remote.PageSubject), func(*nats.Msg) []byte { return page })
	src := opened(t, b, t.TempDir(), "nats:shop")
	batch, err := src.Load(t.Context(), func(source.Reading) {})
	if err != nil || len(batch.Entries) != 1 || len(batch.Skipped) != len(lines)-1 {
		t.Fatalf("%+v, %v", batch, err)
	}
	e := batch.Entries[0]
	if e.Description != "fine" || e.Risk != catalog.High || e.Timeout != 0 || e.Retry.Tries > 20 {
		t.Errorf("%+v", e)
	}
	for _, change := range []func(){
		func() { o.Pages = 1 << 30 }, func() { o.Pages, o.Instance = 1, "a.>" },
		func() { o.Instance, o.Fingerprint = "x", strings.Repeat("0", 64) }, func() { page = []byte("page") },
	} {
		change()
		if ids, err := load(t, opened(t, b, t.TempDir(), "nats:shop")); err == nil {
			t.Errorf("%+v: %v", o, ids)
		}
	}
}

// What a document's links say travels, under the caller's names, and only of actions that are served; a host that says
// something else has another fingerprint.
func TestSupplies(t *testing.T) {
	t.Parallel()
	b := onBus(t)
	entries := (&shop{}).entries()
	serving := func(field string) *catalog.View {
		entries[0].Supplies = []catalog.Supply{{ID: "shop.pay", Argument: "item", Field: field},
			{ID: "shop.hidden", Argument: "item"}}
		all, _ := catalog.New(entries, catalog.Options{})
		return all.View()
	}
	s, err := session.New(serving("owner.id"), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h, err := host.Start(t.Context(), b, s, host.Options{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.WithoutCancel(t.Context()))
	supplies := func() string {
		batch, err := opened(t, b, t.TempDir(), "far=nats:shop").Load(t.Context(), func(source.Reading) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch.Entries {
			if e.ID == "far.shop.get" {
				return fmt.Sprint(e.Supplies)
			}
		}
		return "no far.shop.get"
	}
	if got := supplies(); got != "[{far.shop.pay item owner.id}]" {
		t.Error(got)
	}
	_, before := h.Serving()
	if err := errors.Join(s.Replace(t.Context(), serving("items[1].id")), h.Changed()); err != nil {
		t.Fatal(err)
	}
	if _, now := h.Serving(); now == before {
		t.Error("the fingerprint is the same")
	}
	if got := supplies(); got != "[{far.shop.pay item items[1].id}]" {
		t.Error(got)
	}
}

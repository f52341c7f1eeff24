package manifest

// This file holds what actions reach outside of the program, and says which of them cannot be called now.

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog/database"
	"almanac/catalog/mcp"
	"almanac/catalog/source"
	"almanac/catalog/web"
)

// An outside is what the actions of a manifest or a list can reach: databases, servers, and its credentials. The zero
// value has none. It is safe for concurrent use.
type outside struct {
	vault  *web.Vault
	access web.Access
	// servers are those of MCP; nil has none.
	servers *mcp.Servers
	mu      sync.Mutex
	open    map[string]*database.Database // by their addresses
	users   map[*database.Database][]string
	clients map[string]*web.Client // by their origins
	needs   []needed
	all     int // how many actions there are
	closed  bool
}

// outsideOf is what the actions of the source that the configuration calls name can reach; name may be empty.
func outsideOf(h source.Host, name string) *outside {
	d := &outside{}
	d.vault, d.access = h.Requests(name, accessKeys...)
	d.servers = mcp.NewServers(mcp.ServerOptions{Version: h.Version, Data: h.Data, Vault: d.vault, Access: d.access})
	return d
}

// A need is what the calls of an action need beside its arguments: credentials for an origin, or the MCP server of
// that name.
type need struct {
	Origin string       `json:",omitempty"`
	Auth   [][]web.Auth `json:",omitempty"`
	Server string       `json:",omitempty"`
}

func (n need) equal(o need) bool {
	return n.Origin == o.Origin && n.Server == o.Server && slices.EqualFunc(n.Auth, o.Auth,
		func(a, b []web.Auth) bool { return slices.EqualFunc(a, b, web.Auth.Equal) })
}

// A needed is a need and the actions that have it.
type needed struct {
	need
	IDs []string
}

// want notes that the action id has the need.
func (d *outside) want(id string, n need) {
	d.vault.Expect(n.Auth)
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.IndexFunc(d.needs, func(have needed) bool { return have.equal(n) })
	if at < 0 {
		at = len(d.needs)
		d.needs = append(d.needs, needed{need: n})
	}
	d.needs[at].IDs = append(d.needs[at].IDs, id)
}

// forget drops the needs, since what has them is read anew.
func (d *outside) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.needs = nil
}

// lacking says why the actions of a need cannot be called now; nil where they can.
func (d *outside) lacking(n need) error {
	if n.Server != "" {
		return d.servers.Health(n.Server)
	}
	at, _ := url.Parse(n.Origin)
	if missing := d.vault.Wanted(d.access.At(at).Over(n.Auth)); len(missing) > 0 {
		return fmt.Errorf("no credential: set it in the environment or the system keyring as %s",
			strings.Join(missing, ", "))
	}
	return nil
}

// get returns the database at an address; name is what the manifest calls it.
func (d *outside) get(name, address string) (*database.Database, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if db := d.open[address]; db != nil {
		return db, nil
	}
	db, err := database.Open(address, database.Options{Name: name, Vault: d.vault})
	if err != nil {
		return nil, err
	}
	if d.closed {
		db.Close()
	}
	if d.open == nil {
		d.open = map[string]*database.Database{}
	}
	d.open[address] = db
	return db, nil
}

// use notes that the action id needs the database.
func (d *outside) use(db *database.Database, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users == nil {
		d.users = map[*database.Database][]string{}
	}
	d.users[db] = append(d.users[db], id)
}

// keep drops the needs of actions that are not used. The caller holds mu.
func (d *outside) keep(used map[string]bool) {
	for i := range d.needs {
		d.needs[i].IDs = slices.DeleteFunc(d.needs[i].IDs, func(id string) bool { return !used[id] })
	}
}

// checkTime bounds the look at the databases of a manifest when it is read: nothing else is shown before it has been.
const checkTime = 2 * time.Second

// check tries to reach the databases of those of all actions that are used, all at once; health tells what came of it.
func (d *outside) check(ctx context.Context, all int, used map[string]bool) {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	d.mu.Lock()
	d.all = all
	d.keep(used)
	var tries sync.WaitGroup
	for db, ids := range d.users {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !used[id] })
		slices.Sort(ids)
		d.users[db] = slices.Compact(ids)
		if len(ids) > 0 {
			tries.Go(func() { _ = db.Check(ctx) }) // health tells
		}
	}
	d.mu.Unlock()
	tries.Wait()
}

// health says which actions cannot reach their database or server, or lack a credential.
func (d *outside) health() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var down *source.PartlyError
	blocked := func(err error, ids []string) {
		if err == nil || len(ids) == 0 {
			return
		}
		if down == nil {
			down = &source.PartlyError{All: d.all, Err: err}
		}
		down.Blocked = append(down.Blocked, ids...)
	}
	for db, ids := range d.users {
		blocked(db.Health(), ids)
	}
	for _, n := range d.needs {
		blocked(d.lacking(n.need), n.IDs)
	}
	if down == nil {
		return nil
	}
	slices.Sort(down.Blocked)
	down.Blocked = slices.Compact(down.Blocked)
	if len(down.Blocked) == down.All {
		return down.Err
	}
	return down
}

// secrets are values that must never be shown.
func (d *outside) secrets() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := slices.Concat(d.vault.Secrets(), d.servers.Secrets())
	for _, db := range d.open {
		all = append(all, db.Secrets()...)
	}
	return all
}

func (d *outside) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	errs := []error{d.servers.Close()}
	for _, c := range d.clients {
		c.Close()
	}
	for _, db := range d.open {
		errs = append(errs, db.Close())
	}
	return errors.Join(errs...)
}

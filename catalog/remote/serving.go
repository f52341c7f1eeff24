package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"almanac/catalog/text"
)

// This file compares what the hosts of a name serve, which should be the same.

// Service is what the hosts of the name are called among micro services.
func Service(name string) string { return "almanac-host-" + name }

// A Serving is what a host says in its statistics that it serves.
type Serving struct {
	Instance string `json:"instance"`
	Catalog  string `json:"catalog"` // its fingerprint
	Actions  int    `json:"actions"`
}

// How long all hosts of a name are listened to, and how long after the last answer.
const (
	hostsTime = time.Second
	hostsLull = 300 * time.Millisecond
)

// AllServing asks all hosts of the name what they serve.
func AllServing(ctx context.Context, conn *nats.Conn, name string) (all []Serving, err error) {
	inbox := conn.NewRespInbox()
	sub, err := conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe() //nolint:errcheck // the connection may be gone
	subject, err := micro.ControlSubject(micro.StatsVerb, Service(name), "")
	if err == nil {
		err = conn.PublishRequest(subject, inbox, nil)
	}
	ctx, cancel := context.WithTimeout(ctx, hostsTime)
	defer cancel()
	for err == nil {
		soon, end := context.WithTimeout(ctx, hostsLull)
		var m *nats.Msg
		m, err = sub.NextMsgWithContext(soon)
		end()
		var stats struct {
			Endpoints []struct {
				Data Serving `json:"data"`
			} `json:"endpoints"`
		}
		if err == nil && json.Unmarshal(m.Data, &stats) == nil && len(stats.Endpoints) > 0 {
			all = append(all, stats.Endpoints[0].Data)
		}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrNoResponders) {
		err = nil
	}
	return all, err
}

// Differing says that the hosts of a name serve different catalogs; nil where they do not.
func Differing(name string, all []Serving) error {
	hosts, actions := map[string]int{}, map[string]int{}
	for _, s := range all {
		hosts[s.Catalog]++
		actions[s.Catalog] = s.Actions
	}
	if len(hosts) < 2 {
		return nil
	}
	var said []string
	for catalog, n := range hosts {
		said = append(said, fmt.Sprintf("%s with %s (catalog %.6s)", text.Count(n, "host"),
			text.Count(actions[catalog], "action"), catalog))
	}
	slices.Sort(said)
	return fmt.Errorf("host %s: hosts of this name serve different catalogs: %s: calls go to any of them and may fail: "+
		"give them different names, or the same sources", name, strings.Join(said, ", "))
}

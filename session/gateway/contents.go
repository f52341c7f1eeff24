package gateway

// This file says what is in the catalog: clients have no prompt of ours, so the tool that finds actions does.

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/llm/tools"
)

// contentsWait bounds how long a list of tools waits for sources that are being read. Where it does not suffice the
// client is told of a change later.
const contentsWait = time.Second

// contents are what a client's view holds, as its model reads it.
type contents struct {
	mu    sync.Mutex // taken before Gateway.mu
	asked bool       // the client has listed its tools
	text  string     // empty where it is not known
	again []func()   // offer the tool anew, which tells connected clients
}

// withContents is the list with what is in the catalog behind the description of the tool that finds actions.
func (g *Gateway) withContents(ctx context.Context, m *member, list *sdk.ListToolsResult,
	query string) *sdk.ListToolsResult {
	i := slices.IndexFunc(list.Tools, func(t *sdk.Tool) bool { return t.Name == query })
	if i < 0 {
		return list
	}
	m.contents.mu.Lock()
	if !m.contents.asked {
		m.contents.asked = true
		soon, cancel := context.WithTimeout(ctx, contentsWait)
		all, growing, err := g.options.View(soon)
		cancel()
		m.contents.text = g.contents(m, all, growing, err)
	}
	text := strings.TrimSpace(g.options.About + "\n" + m.contents.text)
	m.contents.mu.Unlock()
	if text == "" {
		return list
	}
	told, tool := *list, *list.Tools[i]
	tool.Description += "\n" + text
	told.Tools = slices.Clone(list.Tools)
	told.Tools[i] = &tool
	return &told
}

// tell has those members list their tools again who have, and for whom something else is there now.
func (g *Gateway) tell(ctx context.Context, members []*member) {
	soon, cancel := context.WithTimeout(ctx, contentsWait)
	defer cancel()
	all, growing, err := g.options.View(soon)
	if soon.Err() != nil {
		return // the sources have another change to tell when they have been read
	}
	for _, m := range members {
		m.contents.mu.Lock()
		// A client that is not connected is looked at when it lists its tools again.
		if m.contents.asked = m.contents.asked && m.connected(); m.contents.asked {
			before := m.contents.text
			if m.contents.text = g.contents(m, all, growing, err); m.contents.text != before {
				for _, offer := range m.contents.again {
					offer()
				}
			}
		}
		m.contents.mu.Unlock()
	}
}

func (m *member) connected() bool {
	for _, server := range []*sdk.Server{m.server, m.stateless} {
		if server != nil {
			for range server.Sessions() {
				return true
			}
		}
	}
	return false
}

// contents are those of all, as far as the member's view goes; empty where err is not nil, or nothing is to be seen.
func (g *Gateway) contents(m *member, all *catalog.View, growing bool, err error) string {
	if err != nil {
		return ""
	}
	g.mu.Lock()
	c := m.client
	g.mu.Unlock()
	view, err := c.narrow(all, growing)
	if err != nil || view.Len() == 0 {
		return ""
	}
	return g.options.Secrets.Now().Text(tools.Contents(view))
}

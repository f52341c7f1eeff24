package llm

import (
	"encoding/json"
	"time"

	"almanac/catalog/text"
)

// This file is the meter: what completions, and the tools between them, have cost, and what for.

// A Part is what tokens of the input are for.
type Part int

// The parts.
const (
	PartExecute  Part = iota // answers of tools that call actions: all that do not say otherwise
	PartQuery                // answers that list actions
	PartDescribe             // answers that specify actions
	PartPrompt               // the system text but for what follows
	PartCard                 // the catalog card in it
	PartNotes                // the project's notes in it
	PartTools                // names, descriptions and schemas of the tools
	PartPerson               // the person's words
	PartModel                // the model's words and tool calls of earlier completions
	PartSummary              // summaries of earlier turns
	PartPeers                // what other sessions sent
	partCount
)

func (p Part) String() string {
	return [partCount]string{
		"execute_answers", "query_answers", "describe_answers", "prompt", "catalog_card", "notes", "tool_schemas", "person",
		"model", "summaries", "peers",
	}[p]
}

// Parts are the tokens of the input by what they are for; in JSON an object by the names of the parts.
type Parts [partCount]int

// Sum is the whole.
func (p Parts) Sum() int {
	sum := 0
	for _, n := range p {
		sum += n
	}
	return sum
}

// scaled are shares of whole in the proportions of p. They add up to it.
func (p Parts) scaled(whole int) Parts {
	sum := p.Sum()
	if sum == 0 {
		return Parts{PartPrompt: whole}
	}
	upTo, given := 0, 0
	for i, n := range p {
		upTo += n
		p[i] = int(int64(upTo)*int64(whole)/int64(sum)) - given
		given += p[i]
	}
	return p
}

// MarshalJSON leaves out parts without tokens.
func (p Parts) MarshalJSON() ([]byte, error) {
	named := map[string]int{}
	for i, n := range p {
		if n != 0 {
			named[Part(i).String()] = n
		}
	}
	return json.Marshal(named)
}

// UnmarshalJSON ignores names that are no part.
func (p *Parts) UnmarshalJSON(raw []byte) error {
	var named map[string]int
	err := json.Unmarshal(raw, &named)
	for i := range p {
		p[i] = named[Part(i).String()]
	}
	return err
}

// Usage is what completions and the tools between them cost. The zero value is ready to be added to.
type Usage struct {
	// Input and Output are tokens read and written by the model; Cached is the part of Input that the server had
	// kept from an earlier request, and Reasoning the part of Output that is not in the answer.
	Input     int `json:"input"`
	Output    int `json:"output"`
	Cached    int `json:"cached,omitempty"`
	Reasoning int `json:"reasoning,omitempty"`
	// Completions is how many completions are counted here. Estimated is how many of them the server gave no
	// numbers for, so that Input and Output hold an estimate of text.Tokens.
	Completions int `json:"completions,omitempty"`
	Estimated   int `json:"estimated,omitempty"`
	// Parts are the shares of Input. They are always estimated, in the proportions of text.Tokens, and add up to Input.
	Parts Parts `json:"parts,omitzero"`
	// Calls counts the actions that the model's scripts called.
	Calls int `json:"calls,omitempty"`
	// Model is the time in which the model's server worked or was waited for, Actions that in which actions ran, Lua the
	// rest of what tools took; Waited is the time in which the person was asked, which is in none of them.
	Model   time.Duration `json:"model_ns,omitempty"`
	Lua     time.Duration `json:"lua_ns,omitempty"`
	Actions time.Duration `json:"actions_ns,omitempty"`
	Waited  time.Duration `json:"waited_ns,omitempty"`
	// Cost is what the completions cost whose price is known, Priced how many those are.
	Cost   float64 `json:"cost,omitempty"`
	Priced int     `json:"priced,omitempty"`
}

// Add returns the sum of u and v.
func (u Usage) Add(v Usage) Usage {
	for i, n := range v.Parts {
		u.Parts[i] += n
	}
	return Usage{
		Input:       u.Input + v.Input,
		Output:      u.Output + v.Output,
		Cached:      u.Cached + v.Cached,
		Reasoning:   u.Reasoning + v.Reasoning,
		Completions: u.Completions + v.Completions,
		Estimated:   u.Estimated + v.Estimated,
		Parts:       u.Parts,
		Calls:       u.Calls + v.Calls,
		Model:       u.Model + v.Model,
		Lua:         u.Lua + v.Lua,
		Actions:     u.Actions + v.Actions,
		Waited:      u.Waited + v.Waited,
		Cost:        u.Cost + v.Cost,
		Priced:      u.Priced + v.Priced,
	}
}

// Direct estimates what the same completions would have cost with a tool for each action, which take schemas tokens, in
// place of the catalog card, the tools, and what finding and describing actions added. As much of the input is cached.
func (u Usage) Direct(schemas int, price Price) Usage {
	ours := u.Parts[PartCard] + u.Parts[PartTools] + u.Parts[PartQuery] + u.Parts[PartDescribe]
	d := Usage{Input: u.Input - ours + u.Completions*schemas, Output: u.Output, Completions: u.Completions}
	d.Cached, d.Estimated = int(int64(u.Cached)*int64(d.Input)/int64(max(u.Input, 1))), u.Completions
	if d.Cost, d.Priced = price.cost(d); d.Priced > 0 {
		d.Priced = u.Completions
	}
	return d
}

// maxCounted bounds what is believed of a server's counts.
const maxCounted = 1e9

// measured is the usage of one completion: the server's counts, or estimates where it gave none. weights are the
// estimated parts of the input.
func measured(weights Parts, p Response, took time.Duration, price Price) Usage {
	u := Usage{Completions: 1, Model: took}
	bounded := func(n, most int) int { return min(max(n, 0), most) }
	u.Input, u.Output = bounded(p.Usage.Input, maxCounted), bounded(p.Usage.Output, maxCounted)
	u.Cached, u.Reasoning = bounded(p.Usage.Cached, u.Input), bounded(p.Usage.Reasoning, u.Output)
	if u.Input == 0 && u.Output == 0 {
		u.Input, u.Estimated = weights.Sum(), 1
		u.Reasoning = text.Tokens(p.Reasoning)
		u.Output = u.Reasoning + messageTokens(Message{Text: p.Text, Calls: p.Calls})
	}
	u.Parts = weights.scaled(u.Input)
	u.Cost, u.Priced = price.cost(u)
	return u
}

// weigh estimates the parts of a request whose messages are as the history has them.
func weigh(prompt Prompt, tools []Tool, messages []Message) Parts {
	parts := Parts{PartCard: text.Tokens(prompt.Card), PartNotes: text.Tokens(prompt.Notes), PartTools: toolTokens(tools)}
	parts[PartPrompt] = max(text.Tokens(prompt.Text)-parts[PartCard]-parts[PartNotes], 0)
	answers := map[string]Part{} // by the name of the tool
	for _, t := range tools {
		answers[t.Name] = t.Part
	}
	called := map[string]Part{} // by the id of the call
	for _, m := range messages {
		part := PartPerson
		switch m.Role {
		case Assistant:
			part = PartModel
			for _, call := range m.Calls {
				called[call.ID] = answers[call.Name]
			}
		case ToolRole:
			part = called[m.CallID]
		case Summary:
			part = PartSummary
		case User:
			if m.isArrival() {
				part = PartPeers
			}
		}
		parts[part] += messageTokens(m)
	}
	return parts
}

// meter counts what a completion cost. One that failed before anything came has cost time.
func (c *Conversation) meter(parts Parts, r Response, err error, began time.Time) Usage {
	u := Usage{Model: time.Since(began)}
	if err == nil || r.Text != "" || r.Reasoning != "" {
		u = measured(parts, r, u.Model, c.Target().Price)
	}
	c.spend(u)
	return u
}

// spend adds what a completion or a tool took to the turn and to the conversation.
func (c *Conversation) spend(u Usage) {
	if u == (Usage{}) {
		return
	}
	c.mu.Lock()
	c.usage, c.turnUsage = c.usage.Add(u), c.turnUsage.Add(u)
	c.mu.Unlock()
	c.options.Spent(u)
}

// Usage returns what the conversation has cost so far, beginning with Options.Usage. Reset does not clear it.
func (c *Conversation) Usage() Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usage
}

// TurnUsage returns what the last Send, Retry or Compact cost, or the one that runs has cost so far.
func (c *Conversation) TurnUsage() Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.turnUsage
}

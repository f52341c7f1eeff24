package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/llm"
	"almanac/session"
)

// DefaultPrefix begins the tools' names when Options name no other.
const DefaultPrefix = "lua_tools"

// Options configure the tools and the prompt.
type Options struct {
	// Prefix begins the names of the tools: PREFIX_query, PREFIX_describe, PREFIX_execute. Default DefaultPrefix.
	Prefix string
	// Cell returns the number that the person knows the running prompt by. Nil means that there is none.
	Cell func() int
	// Kept returns the global that keeps what the next script returns for good, beside that of its cell. Nil means none.
	Kept func() string
	// Notes are the project's own words for the model: data of the prompt, below everything that binds it.
	Notes string
	// Isolated runs every script in a machine of its own that is thrown away: nothing is kept from call to call.
	Isolated bool
	// Direct offers each visible action as a tool of its own in place of the three.
	Direct bool
	// Room is how many bytes of returned values, and of any other text, one answer may have; zero means 64 KiB.
	Room int
}

func (o Options) room(most int) int { return max(o.Room, most) }

func (o Options) name(tool string) string {
	if o.Prefix == "" {
		return DefaultPrefix + "_" + tool
	}
	return o.Prefix + "_" + tool
}

func (o Options) cell() int {
	if o.Cell == nil {
		return 0
	}
	return o.Cell()
}

const queryText = `Find actions with a short Lua script; no action runs, nothing is kept.
catalog.search(words, opts); by exact name: namespace, tags, entities, inputs, outputs(names); filter(set, opts), intersect(a, b), union(a, b), boost(set, opts), top(set, n), facets(set), pick(set, opts), plan{picks}.
words: begin with the app or product, where one is meant: "slack: post a message".
opts: domains, tags, entities, operation, mutates, needs_input, needs_output, risk, limit.
Return a set, or for several steps a plan:
return catalog.plan{
 catalog.pick(catalog.search("find customer by name", {domains={"crm"}}), {needs_output="customer_id"}),
 catalog.pick(catalog.search("unpaid invoices of a customer"), {needs_input="customer_id", mutates=false})}
A hit: id(args, * required) -> result, then R reads, W writes, ! high-risk write.`

const describeText = `Get the exact arguments, result, example and safety notes of actions: the fewest you need, at most 10 ids.`

const executeText = `Run Lua in the persistent session: globals persist across calls, locals do not. A run that fails leaves globals as before it.
` + callText + `
Return what you need to read; keep large results in globals, return a part. One script may make many calls.
Helpers: map, filter, reduce, find, sort_by, group_by, json, chain, async, await, with_compensation, vars(), help(). No files, no network.
` + planText + `
actions: ids to call undescribed. fresh: run in an empty Lua state, then discard it.`

const isolatedText = `Run Lua in an empty, discarded state: nothing persists, so do the whole task in one script.
` + callText + `
Return only what you need to read: a part, a count, selected fields. One script may make many calls.
Helpers: map, filter, reduce, find, sort_by, group_by, json, chain, async, await, with_compensation, help(). No files, no network.
` + planText + `
actions: ids to call undescribed.`

const (
	callText = `Call a described action by its id with one table: rows = billing.invoice.list_unpaid{customer_id=id}. ` +
		`call("any-id", args) works for every id.`
	planText = `plan: JSON steps instead of script; the last result is returned: ` +
		`[{"id": "a.b", "args": {}, "as": "rows"}, {"id": "a.c", "each": "$rows", "where": {"state": "open", "sum": {">": 9}}, ` +
		`"args": {"id": "$it.id", "of": "$rows[1].id"}}]
preview: true only shows what it would change: use it before mutations you are unsure of.`
)

const (
	querySchema    = `{"type":"object","properties":{"script":{"type":"string"}},"required":["script"],"additionalProperties":false}`
	describeSchema = `{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"}},"detail":{"enum":["brief","full","luals","json"]}},"required":["ids"],"additionalProperties":false}`
	executeSchema  = `{"type":"object","properties":{` + runSchema + `,"fresh":{"type":"boolean"}},` +
		`"additionalProperties":false}`
	isolatedSchema = `{"type":"object","properties":{` + runSchema + `},"additionalProperties":false}`

	runSchema = `"script":{"type":"string"},"plan":{"type":"array","items":{"type":"object"}},` +
		`"preview":{"type":"boolean"},"actions":{"type":"array","items":{"type":"string"}}`
)

// A Tool is one of the three with an answer that is data as well as text.
type Tool struct {
	Name, Description string
	// Schema describes the arguments, Output the Data of its replies.
	Schema, Output json.RawMessage
	// Part is what its answers count as.
	Part llm.Part
	// Run does what the tool does. A script that fails is an answer, not an error: errors are for arguments that do not
	// fit and for sessions that cannot run.
	Run func(ctx context.Context, s *session.Session, args json.RawMessage) (Reply, error)
}

// New returns the three tools over s. They may be called concurrently; runs take turns. A script that fails is an
// answer, not an error: errors are for arguments that do not fit and for sessions that cannot run.
func New(s *session.Session, o Options) []llm.Tool {
	var list []llm.Tool
	for _, t := range Tools(o) {
		list = append(list, llm.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema, Part: t.Part,
			Run: func(ctx context.Context, args json.RawMessage) (llm.Answer, error) {
				reply, err := t.Run(ctx, s, args)
				return llm.Answer{Text: reply.Text, Short: reply.Short, Usage: reply.Usage}, err
			}})
	}
	return list
}

// Tools returns the three tools for whatever session they are run over.
func Tools(o Options) []Tool {
	execute, schema := executeText, executeSchema
	if o.Isolated {
		execute, schema = isolatedText, isolatedSchema
	}
	type run = func(context.Context, *session.Session, json.RawMessage) (Reply, error)
	on := func(run func(toolset, context.Context, json.RawMessage) (Reply, error)) run {
		return func(ctx context.Context, s *session.Session, args json.RawMessage) (Reply, error) {
			timed := timing(s)
			reply, err := run(toolset{session: s, options: o}, ctx, args)
			reply.Usage = timed(reply.Usage)
			return reply, err
		}
	}
	return []Tool{
		{o.name("query"), o.text(queryText), json.RawMessage(querySchema), json.RawMessage(queryOutput),
			llm.PartQuery, on(toolset.query)},
		{o.name("describe"), o.text(describeText), json.RawMessage(describeSchema),
			json.RawMessage(describeOutput), llm.PartDescribe, on(toolset.describe)},
		{o.name("execute"), o.text(execute), json.RawMessage(schema), json.RawMessage(executeOutput),
			llm.PartExecute, on(toolset.execute)},
	}
}

// text is a text of this package with the names of the tools as they are now.
func (o Options) text(s string) string {
	return strings.ReplaceAll(s, "PREFIX_", o.name(""))
}

type toolset struct {
	session *session.Session
	options Options
}

func (t toolset) query(ctx context.Context, raw json.RawMessage) (Reply, error) {
	var script string
	err := decode(t.options.name("query"), raw, []argument{{name: "script", required: true, text: &script}})
	if err != nil {
		return Reply{}, err
	}
	a, err := t.session.Query(ctx, session.Script{
		Source: unfenced(script), Author: session.Model, Cell: t.options.cell(),
	})
	if err != nil {
		return Reply{}, hinted(err)
	}
	return t.answerReply(a), nil
}

func (t toolset) describe(ctx context.Context, raw json.RawMessage) (Reply, error) {
	var ids []string
	var detail string
	err := decode(t.options.name("describe"), raw, []argument{
		{name: "ids", required: true, list: &ids},
		{name: "detail", text: &detail,
			oneOf: []string{string(catalog.Brief), string(catalog.Full), string(catalog.LuaLS), string(catalog.JSON)}},
	})
	if err != nil {
		return Reply{}, err
	}
	if n, most := len(distinct(ids)), t.session.Budget(session.Model).Described; n > most {
		return Reply{}, fmt.Errorf("%s: %d ids: at most %d at once: take the fewest the task needs",
			t.options.name("describe"), n, most)
	}
	known, unknown := t.known(ids)
	if len(known) == 0 {
		return Reply{}, errors.New(strings.Join(unknown, "\n"))
	}
	specs, err := t.session.Describe(ctx, known, catalog.Detail(detail))
	if err != nil {
		return Reply{}, hinted(err)
	}
	return t.specsReply(specs, unknown), nil
}

func distinct(ids []string) []string {
	var once []string
	for _, id := range ids {
		if !slices.Contains(once, id) {
			once = append(once, id)
		}
	}
	return once
}

// maxNear is how many ids an answer about unknown ones names in all.
const maxNear = 10

// known parts ids into those that the view shows, each once, and a line about each of the others: one wrong id
// must not cost the model another turn for the rest.
func (t toolset) known(ids []string) (known, unknown []string) {
	view := t.session.View()
	room := maxNear
	for _, id := range distinct(ids) {
		_, err := view.Resolve(id)
		if err == nil {
			known = append(known, id)
			continue
		}
		var wrong *catalog.UnknownError
		if errors.As(err, &wrong) {
			wrong.Near = wrong.Near[:min(len(wrong.Near), room)]
			room -= len(wrong.Near)
		}
		unknown = append(unknown, hinted(err).Error())
	}
	if len(ids) == 0 {
		unknown = []string{"ids: the list is empty: name at least one action id"}
	}
	return known, unknown
}

// describeCalled is the outcome with the specification of an action that was called undescribed, within the limit of a
// run: the model need not ask for what it needs next. The outcome itself is what the person sees, and stays as it is.
func (t toolset) describeCalled(ctx context.Context, out *session.Outcome) *session.Outcome {
	e := out.Err
	if e == nil || e.Code != session.CodeNotDescribed || len(out.Specs) >= t.session.Budget(session.Model).Described {
		return out
	}
	specs, err := t.session.Describe(ctx, []string{e.Call}, catalog.Brief)
	if err != nil {
		return out // the hint says what to do
	}
	fault, told := *e, *out
	fault.Hint = "its specification follows; it may be called now"
	told.Err, told.Specs = &fault, slices.Concat(out.Specs, specs)
	return &told
}

// keptName is the global that holds what a script returned: that of the cell, as for scripts of the person's.
func keptName(cell int) string {
	if cell == 0 {
		return "_"
	}
	return fmt.Sprintf("_%d", cell)
}

// hinted puts the remedy of err, where it knows one, behind its text.
func hinted(err error) error {
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		return fmt.Errorf("%w; %s", err, h.Hint())
	}
	return err
}

// unfenced takes the Markdown fence off a script that was written in one.
func unfenced(script string) string {
	text := strings.TrimSpace(script)
	body, fenced := strings.CutPrefix(text, "```")
	if !fenced {
		return script
	}
	body, fenced = strings.CutSuffix(body, "```")
	language, body, ok := strings.Cut(body, "\n")
	if l := strings.TrimSpace(language); !fenced || !ok || l != "" && l != "lua" {
		return script
	}
	return body
}

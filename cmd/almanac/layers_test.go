package main

// This file says which package may import which of ours, and what for.

// subjects are packages about one small subject. They import nothing of ours but each other, and any package may use
// them.
var subjects = []string{
	"catalog/compare", "catalog/lua", "catalog/pattern", "catalog/reference", "catalog/regular",
	"catalog/search/spelling", "catalog/subprocess", "catalog/task", "catalog/text", "catalog/text/cells",
	"catalog/tree", "catalog/unknown",
}

// A layer is a package with what it may import beside the subjects.
type layer struct {
	name string
	uses map[string]string // package: what for
}

// layers are ordered: a package imports only what stands above it. See docs/architecture.md.
var layers = []layer{
	{"catalog/search", nil},
	{"catalog/search/lexicon", map[string]string{"catalog/search": "counts words as the index does"}},
	{"catalog/search/lexicon/vectors", map[string]string{"catalog/search": "cuts words as the index does"}},
	{"catalog/spec", nil},
	{"catalog", map[string]string{
		"catalog/search": "finds entries",
		"catalog/spec":   "writes entries as specifications",
	}},
	{"catalog/secret", nil},
	{"catalog/source", map[string]string{
		"catalog":        "a source yields entries",
		"catalog/secret": "reports of sources are redacted",
	}},
	{"catalog/verb", map[string]string{"catalog": "operations and risks"}},
	{"catalog/web", map[string]string{
		"catalog":        "results and their pages",
		"catalog/secret": "credentials are taken out of answers",
	}},
	{"catalog/demo", map[string]string{"catalog": "its actions", "catalog/source": "it is a kind of source"}},
	{"catalog/mcp", map[string]string{
		"catalog":        "tools become entries",
		"catalog/secret": "what servers say is redacted",
		"catalog/source": "it is a kind of source",
		"catalog/verb":   "what a name says that an action does",
	}},
	{"catalog/openapi", map[string]string{
		"catalog":        "operations become entries",
		"catalog/secret": "what servers say is redacted",
		"catalog/source": "it is a kind of source",
		"catalog/verb":   "what a name says that an action does",
		"catalog/web":    "requests, credentials, retries",
	}},
	{"catalog/workspace", map[string]string{"catalog": "its actions", "catalog/source": "it is a kind of source"}},
	{"session/syntax", nil},
	{"catalog/manifest", map[string]string{
		"catalog":        "declarations become entries",
		"catalog/source": "it is a kind of source",
		"catalog/verb":   "what a name says that an action does",
		"catalog/web":    "actions that are HTTP requests",
		"session/syntax": "an action may be written in Lua: the parser tells its mistakes when the file is read, with their lines",
	}},
	{"session/vm", map[string]string{"session/syntax": "checks and rewrites source for the engine"}},
	{"prelude", nil},
	{"session/kernel", map[string]string{"session/vm": "the machine that the process runs"}},
	{"session/policy", map[string]string{"catalog": "operations and risks"}},
	{"session/steps", map[string]string{
		"catalog":      "ids, arguments and results",
		"catalog/spec": "reads JSON; what is known of a result",
	}},
	{"session/kept", nil},
	{"session/trace", map[string]string{"catalog": "effects of calls", "catalog/secret": "the log is redacted"}},
	{"session", map[string]string{
		"catalog":        "views, entries, calls",
		"catalog/secret": "nothing leaves without redaction",
		"prelude":        "what each machine starts with",
		"session/kept":   "earlier states of the globals",
		"session/kernel": "runs Lua",
		"session/policy": "decides about calls",
		"session/syntax": "names in a script",
		"session/trace":  "records",
		"session/vm":     "values, limits and errors of Lua",
	}},
	{"session/saved", map[string]string{
		"catalog":          "the actions that a script calls, and the one that it becomes",
		"catalog/manifest": "the file of an action",
		"catalog/secret":   "the mark that stands for a secret in a script",
		"session":          "runs an action again",
		"session/policy":   "such a run asks nobody",
		"session/syntax":   "literals of a script",
		"session/trace":    "the calls of such a run",
	}},
	{"llm", map[string]string{"catalog/secret": "no secret goes to a model"}},
	{"llm/openai", map[string]string{"llm": "it is a provider"}},
	{"llm/replay", map[string]string{"llm": "it is a provider"}},
	{"llm/tools", map[string]string{
		"catalog":        "finding and describing",
		"llm":            "they are tools of a conversation",
		"session":        "running",
		"session/policy": "what may be done, in words",
		"session/steps":  "plans in place of scripts",
		"session/trace":  "outcomes of calls",
		"session/vm":     "values and errors of Lua",
	}},
	{"llm/scripted", map[string]string{"llm": "it is a provider"}},
	{"llm/eval", map[string]string{
		"catalog":        "the actions that tasks need",
		"catalog/demo":   "the office that tasks change, and its database",
		"llm":            "a conversation for each task",
		"llm/tools":      "the two ways to give a model a catalog",
		"session":        "where tasks are done",
		"session/policy": "what may be done",
		"session/trace":  "calls",
		"session/vm":     "errors of Lua",
	}},
	{"catalog/eval", map[string]string{"catalog": "what is measured"}},
	{"repl/show", map[string]string{
		"catalog":        "the order of arguments and fields",
		"catalog/secret": "the mark that stands for a credential",
		"session":        "a request for approval",
		"session/policy": "what a grant covers",
		"session/syntax": "colours of Lua",
		"session/vm":     "values",
	}},
	{"repl/records", map[string]string{
		"repl/show":  "fields as text, and their order",
		"session/vm": "what a run returned",
	}},
	{"repl/input", map[string]string{"session/syntax": "whether Lua is complete, and its margins"}},
	{"repl/event", map[string]string{
		"catalog":       "the risk of a call, by its letter",
		"llm":           "what a model says becomes events",
		"llm/tools":     "a model's scripts belong to the cell that runs",
		"repl/input":    "modes and forms of what was typed",
		"repl/show":     "values as lines",
		"session":       "outcomes, and requests for approval",
		"session/steps": "a plan of the model's is shown as Lua",
		"session/trace": "calls",
		"session/vm":    "values, streams and errors of Lua",
	}},
	{"session/gateway", map[string]string{
		"catalog":        "what a client sees",
		"catalog/secret": "tokens of clients",
		"llm/tools":      "the tools that it serves",
		"repl/show":      "the question for an approval",
		"session":        "one for each client",
		"session/policy": "what a client may do",
	}},
	{"repl/transcript", map[string]string{
		"llm":            "messages in a log",
		"repl/event":     "records as events, and their lines",
		"repl/input":     "what a line was",
		"repl/show":      "values as lines",
		"session":        "who ran a script, and what it came to",
		"session/syntax": "scripts as statements of one file",
		"session/trace":  "reads records",
		"session/vm":     "values and errors of Lua",
	}},
	{"repl", map[string]string{
		"catalog":          "looking at actions",
		"catalog/manifest": "/save: the files of actions",
		"session/saved":    "/save: scripts as actions",
		"session/steps":    "/save: the plan that a script was made from",
		"catalog/source":   "/sources",
		"llm":              "asking",
		"llm/tools":        "what every action as a tool would take",
		"prelude":          "help",
		"repl/event":       "what happens, as events and lines",
		"repl/input":       "what a line is, and those typed before",
		"repl/records":     "values as files",
		"repl/show":        "values for people",
		"repl/transcript":  "/transcript, /export, the session that this one goes on from",
		"session":          "running",
		"session/policy":   "/policy and grants",
		"session/syntax":   "completion and forms of input",
		"session/trace":    "/trace and earlier sessions",
		"session/vm":       "values and errors of Lua",
	}},
	{"repl/plain", map[string]string{
		"repl":       "the shell that it prints for",
		"repl/event": "what happened, as lines",
		"repl/input": "whether what is typed is complete",
		"repl/show":  "the question for an approval",
		"session":    "answers to it",
		"session/vm": "streams of Lua",
	}},
	{"ui", map[string]string{
		"catalog":        "the catalog pane",
		"repl":           "the shell that it shows",
		"repl/event":     "what happened, to draw it",
		"repl/input":     "modes, margins, typed lines",
		"repl/records":   "the grid",
		"repl/show":      "lines to draw",
		"session":        "requests for approval",
		"session/policy": "the policy in the status line",
		"session/syntax": "editing Lua",
		"session/trace":  "the trace pane",
		"session/vm":     "the value pane",
	}},
	{"docs/example", map[string]string{
		"catalog":        "a program of one's own",
		"llm/tools":      "a program of one's own",
		"session":        "a program of one's own",
		"session/kernel": "a program that runs scripts is its own kernel",
	}},
}

// wiring are packages that put the others together; they may import any.
var wiring = []string{"cmd/almanac"}

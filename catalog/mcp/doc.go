// Package mcp makes actions of the tools and resources of MCP servers, over stdio and streamable HTTP.
//
//	Kind, HTTPKind                       how servers are written on a command line
//	parseCommand, parseURL, readConfig   servers as people and other clients write them
//	Server                               how a server is reached: a command or a URL
//	Source                               one server as a source of actions
//	downError                            what an action answers while its server is away
//
// A Source owns its server: it starts it when first needed, keeps its last words, starts it again with growing pauses
// when it dies, and ends it with all its children on Close. What a server says is data: it is cleaned, bounded and
// never believed where belief would widen a right, but for one thing: a tool that says it only reads is taken to, unless
// it is named for what it changes.
//
// Start at New and Source.load.
package mcp

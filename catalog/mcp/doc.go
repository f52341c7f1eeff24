// Package mcp turns the tools and resources of MCP servers into actions, over stdio and streamable HTTP.
//
//	Kind, HTTPKind                       how servers are written on a command line
//	parseCommand, parseURL, readConfig   servers as people and other clients write them
//	endpoint                             how a server is reached: a command or a URL
//	serverSource                         one server as a source of actions
//	downError                            what an action answers while its server is away
//
// A serverSource owns its server: it starts it when first needed, keeps its last output for errors, restarts it with
// growing pauses when it dies, and ends it with all its children on Close. What a server says is data: it is cleaned,
// bounded and never trusted to widen permissions, with one exception: a tool that claims to be read-only counts as a
// read if its name or description says so, or the person trusts the server's hints.
//
// Start at newSource and serverSource.load.
package mcp

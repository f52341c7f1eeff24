// Package host serves the actions that a session sees to callers on a bus, as a NATS micro service: an action host. Its
// callers are sources of catalog/remote; any NATS client finds it and asks for its health and statistics.
//
//	Options  how it is called, what it takes from callers
//	Host     a running one
//
// Each call takes the call path of the host's own session, with its view and policy, by Session.Call. A caller says for
// whom it calls; the host takes of that what Options.Trust lists.
//
// Start at Start.
package host

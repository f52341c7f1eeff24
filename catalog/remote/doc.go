// Package remote has the actions of action hosts: programs that serve their catalog on a bus, see session/host. It is
// the calling side, and the format that both sides share.
//
//	Kind             nats:NAME, a source of what the hosts of the name serve
//	Request, Answer  a call on its way and what comes back
//	Outline, Page    the catalog of a host, as it is read from one
//	Subject          where all that is heard
//
// A call goes to one of the hosts of the name. The caller follows it: it asks the host from time to time whether the
// call is still under way, so that a host that is killed is noticed within a second. What is not known to have ended is
// tried again by its session, as any Transient failure; the hosts keep the keys of mutations, so that no mutation is
// made twice.
//
// Start at Kind and caller.call.
package remote

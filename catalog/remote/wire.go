package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"almanac/catalog"
)

// This file has what callers and hosts say to each other.

// What hosts of a name listen to, and each of them by itself. Whatever is said there is JSON.
const (
	// OutlineSubject and CallSubject are answered by one of the hosts of a name.
	OutlineSubject = "catalog"
	CallSubject    = "call"
	// CancelSubject and ChangedSubject are heard by all: a Cancel, and the fingerprint of a catalog.
	CancelSubject  = "cancel"
	ChangedSubject = "changed"
	// PageSubject and AskSubject are of one host: InstanceSubject says where.
	PageSubject = "page"
	AskSubject  = "ask"
)

// Queue is the group in which the hosts of a name share calls.
const Queue = "almanac"

// Subject is where what is heard for the hosts of the name.
func Subject(name, what string) string { return "almanac.host." + name + "." + what }

// InstanceSubject is where one host of the name hears what.
func InstanceSubject(name, instance, what string) string {
	return Subject(name, "at."+instance+"."+what)
}

// Bucket names what the hosts of the name keep on the server: keys and results.
func Bucket(name, what string) string { return "almanac_host_" + name + "_" + what }

// MaxMessage is how much one message carries, in bytes; servers take a MiB. Larger results go through the object store.
const MaxMessage = 512 << 10

// How long a host is given. The caller hears of a call that takes longer than SignAfter that it is under way.
const (
	SignAfter = 100 * time.Millisecond
	KeysKept  = 24 * time.Hour
)

// A Request is one attempt of a call.
type Request struct {
	// Call names the attempt, Key all attempts of a mutation.
	Call string         `json:"call"`
	Key  string         `json:"key,omitempty"`
	ID   string         `json:"id"`
	Args map[string]any `json:"args,omitempty"`
	// Context is what the caller's host says of it.
	Context Context `json:"context"`
	// Within is how long the caller waits.
	Within time.Duration `json:"within,omitempty"`
	// DryRun asks what the call would change, and changes nothing.
	DryRun bool `json:"dry_run,omitempty"`
	// Hops is how many hosts the call has come to, with this one.
	Hops int `json:"hops,omitempty"`
}

// A Context is what of a catalog.Context goes over the bus.
type Context struct {
	Actor     string            `json:"actor,omitempty"`
	AgentName string            `json:"agent_name,omitempty"`
	TeamID    string            `json:"team_id,omitempty"`
	Tenant    string            `json:"tenant,omitempty"`
	SessionID string            `json:"session_id,omitempty"`
	Messages  []catalog.Message `json:"messages,omitempty"`
	Set       map[string]any    `json:"set,omitempty"`
}

// ContextNames are the values that a host may take from callers.
func ContextNames() []string {
	return []string{"actor", "agent_name", "team_id", "tenant", "session_id", "messages", "set"}
}

// Trusted is the part of the context that names lists, of ContextNames.
func (c Context) Trusted(names []string) catalog.Context {
	all := catalog.Context{
		Actor: c.Actor, AgentName: c.AgentName, TeamID: c.TeamID, Tenant: c.Tenant, SessionID: c.SessionID,
		Messages: c.Messages, Set: c.Set,
	}
	return all.Only(names)
}

// CheckTrust says what is wrong with a list of values to take from callers.
func CheckTrust(names []string) error {
	for _, name := range names {
		if !slices.Contains(ContextNames(), name) {
			return fmt.Errorf("%q: not a value that callers send: use %v", name, ContextNames())
		}
	}
	return nil
}

// An Answer is what a host says about a call: first, where it takes long, that it is under way; at the end its result
// or its error.
type Answer struct {
	// Instance is the host that has the call. Without more, the call is under way.
	Instance string            `json:"instance,omitempty"`
	Progress *catalog.Progress `json:"progress,omitempty"`
	Result   *Result           `json:"result,omitempty"`
	Error    *Failure          `json:"error,omitempty"`
	// Object names where the Answer is that is too large for a message. Whoever has read it deletes it, unless it is Kept.
	Object string `json:"object,omitempty"`
	Kept   bool   `json:"kept,omitempty"`
}

// Done tells that nothing more comes.
func (a *Answer) Done() bool { return a.Result != nil || a.Error != nil || a.Object != "" }

// A Result is a catalog.Result.
type Result struct {
	Data     json.RawMessage          `json:"data,omitempty"`
	Effects  json.RawMessage          `json:"effects,omitempty"`
	Rejected []catalog.RejectedEffect `json:"rejected,omitempty"`
	Next     json.RawMessage          `json:"next,omitempty"`
	Unsure   bool                     `json:"unsure,omitempty"`
	Note     string                   `json:"note,omitempty"`
}

// ResultOf writes a result. The error says that its data is none that JSON has.
func ResultOf(r catalog.Result) (*Result, error) {
	written := &Result{Rejected: r.Rejected, Unsure: r.Unsure, Note: r.Note}
	var errs [3]error
	written.Data, errs[0] = json.Marshal(r.Data)
	if len(r.Effects) > 0 {
		written.Effects, errs[1] = json.Marshal(r.Effects)
	}
	if r.Next != nil {
		written.Next, errs[2] = json.Marshal(r.Next)
	}
	return written, errors.Join(errs[:]...)
}

// result reads it back.
func (r *Result) result() (catalog.Result, error) {
	read := catalog.Result{Unsure: r.Unsure, Note: r.Note}
	var err error
	if len(r.Data) > 0 {
		if read.Data, err = catalog.ParseJSON(r.Data); err != nil {
			return read, err
		}
	}
	if len(r.Effects) > 0 {
		effects, err := catalog.ParseJSON(r.Effects)
		if err != nil {
			return read, err
		}
		read.Effects, read.Rejected = catalog.ReadEffects(effects)
	}
	read.Rejected = append(read.Rejected, r.Rejected...)
	if len(r.Next) > 0 {
		next, err := catalog.ParseJSON(r.Next)
		if err != nil {
			return read, err
		}
		read.Next, _ = next.(map[string]any)
	}
	return read, nil
}

// A Failure is the error of a call.
type Failure struct {
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// Transient tells that another attempt does no harm and may succeed, after so long if the host says.
	Transient bool          `json:"transient,omitempty"`
	After     time.Duration `json:"after,omitempty"`
}

// CodeUncertain is the code of a mutation of which nobody knows whether it was made.
const CodeUncertain = "may_have_happened"

// err is the failure as an action returns it.
func (f *Failure) err() error {
	err := error(&catalog.CallError{Message: f.Message, Code: f.Code, Hint: f.Hint})
	if f.Transient {
		err = &catalog.Transient{Err: err, After: f.After}
	}
	return err
}

// An Ask asks one host about a call, by its name or by the key of all attempts.
type Ask struct {
	Call string `json:"call,omitempty"`
	Key  string `json:"key,omitempty"`
}

// A State answers an Ask.
type State struct {
	Running bool `json:"running"`
}

// A Cancel ends a call whose caller does not wait any more.
type Cancel struct {
	Call string `json:"call"`
}

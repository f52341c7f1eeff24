package trace

import (
	"fmt"
	"slices"
)

// A Hook is what a hook did to a call.
type Hook struct {
	Name string `json:"name"`
	At   Moment `json:"at"`
	Did  Deed   `json:"did"`
}

// String is the hook in a few words: "rounding changed the arguments".
func (h Hook) String() string { return fmt.Sprintf("%s %s", h.Name, h.Did) }

// Rewritten tells that hooks changed the arguments: the script gave those in Given.
func (c *Call) Rewritten() bool {
	return slices.ContainsFunc(c.Hooks, func(h Hook) bool { return h.Did == ChangedArgs })
}

// A Moment is where on its way a call is when a hook sees it.
type Moment string

// The moments.
const (
	BeforeCheck Moment = "before"  // the arguments are as given
	AfterCheck  Moment = "checked" // the arguments were checked
	AfterRun    Moment = "after"   // the action has answered
	OnError     Moment = "failed"  // the action has failed
)

// A Deed is what a hook did; one that did nothing is not recorded.
type Deed string

// The deeds.
const (
	ChangedArgs   Deed = "changed the arguments"
	ChangedResult Deed = "changed the result"
	ChangedError  Deed = "changed the error"
	HookRefused   Deed = "refused"
)

package catalog

// A CallError is the error of an action that has more than words: what a script can branch on, and a hint for whoever
// reads it.
type CallError struct {
	Message string
	// Code takes the place of the session's code for an action that failed; may be empty, as Hint.
	Code, Hint string
}

func (e *CallError) Error() string { return e.Message }

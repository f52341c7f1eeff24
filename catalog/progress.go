package catalog

import "context"

// A Progress is how far one call of an action has come, as the action reports it.
type Progress struct {
	ID string
	// Done grows from call to call; its unit is the action's. Total is zero when it is not known.
	Done, Total float64
	// Text says what is being done now; may be empty.
	Text string
}

type progressKey struct{}

// WithProgress returns a context under which actions report their progress to f. f may be called from several
// goroutines, and must not block.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// Tell reports the progress of the call under ctx to the function given to WithProgress, if there is one.
func Tell(ctx context.Context, p Progress) {
	if f, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		f(p)
	}
}

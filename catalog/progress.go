package catalog

import "context"

// A Progress is how far one call of an action has come, as the action tells it.
type Progress struct {
	ID string
	// Done grows from call to call; its unit is the action's. Total is zero when it is not known.
	Done, Total float64
	// Text says what is done now; may be empty.
	Text string
}

type progressKey struct{}

// WithProgress returns a context under which actions tell f how far they have come. f may be called from several
// goroutines, and must not wait.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// Tell tells whoever called WithProgress how far the call under ctx has come; nobody when nobody did.
func Tell(ctx context.Context, p Progress) {
	if f, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		f(p)
	}
}

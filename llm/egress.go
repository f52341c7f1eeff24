package llm

// This file redacts secrets from everything that goes to a model's server and comes back.

import (
	"context"
	"errors"

	"almanac/catalog/secret"
)

// A filtered provider takes secrets out of what it sends, and out of what it gets: a model may put together what it
// read in pieces.
type filtered struct {
	Provider
	secrets *secret.Filter
}

func (f filtered) Complete(ctx context.Context, r Request, hear func(Piece)) (Response, error) {
	text, reasoning := f.secrets.Stream(), f.secrets.Stream()
	show := func(p Piece) {
		if p != (Piece{}) {
			hear(p)
		}
	}
	response, err := f.Provider.Complete(ctx, secret.Clean(f.secrets.Now(), r), func(p Piece) {
		if p.Reasoning != "" {
			show(Piece{Reasoning: reasoning.Write(p.Reasoning)})
		}
		if p.Text != "" {
			show(Piece{Reasoning: reasoning.End()}) // thought ends where the answer begins
			show(Piece{Text: text.Write(p.Text)})
		}
	})
	show(Piece{Reasoning: reasoning.End()})
	show(Piece{Text: text.End()})
	return secret.Clean(f.secrets.Now(), response), withoutSecrets(f.secrets.Now(), err)
}

// withoutSecrets is err as it can be told: servers quote what they were sent.
func withoutSecrets(c secret.Cutter, err error) error {
	if err == nil || c.Text(err.Error()) == err.Error() {
		return err
	}
	var e *Error
	if !errors.As(err, &e) {
		return errors.New(c.Text(err.Error()))
	}
	plain := secret.Clean(c, *e)
	plain.Err = nil // it says more than the message, in words of others
	return &plain
}

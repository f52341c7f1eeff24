package grpc

// This file makes entries of methods.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/verb"
)

// maxDescription bounds the description of an action, in bytes.
const maxDescription = 4 << 10

// A loader makes the entries of one reading.
type loader struct {
	*api
	types *types
	batch catalog.Batch
}

func (l *loader) load(ctx context.Context, services []protoreflect.ServiceDescriptor) (catalog.Batch, error) {
	same := map[string]int{}
	for _, s := range services {
		same[serviceName(s)]++
	}
	taken := map[string]bool{}
	for _, s := range services {
		prefix := l.name + "." + serviceName(s)
		if same[serviceName(s)] > 1 {
			prefix = l.name + "." + verb.Segment(strings.ReplaceAll(string(s.FullName()), ".", "_"))
		}
		for i := range s.Methods().Len() {
			if ctx.Err() != nil {
				return catalog.Batch{}, context.Cause(ctx)
			}
			m := s.Methods().Get(i)
			l.batch.Found++
			e, err := l.entry(prefix, m)
			if err == nil && taken[e.ID] {
				err = errors.New("another method has the id " + e.ID)
			}
			if err != nil {
				l.batch.Skipped = append(l.batch.Skipped, catalog.Skip{ID: line(string(m.FullName()), 200), Source: l.Source,
					Reason: err.Error()})
				continue
			}
			taken[e.ID] = true
			l.batch.Entries = append(l.batch.Entries, e)
		}
	}
	return l.batch, nil
}

// serviceName is a service as a segment: OrderService of the package shop.v1 is order.
func serviceName(s protoreflect.ServiceDescriptor) string {
	name := strings.TrimSuffix(string(s.Name()), "Service")
	if name == "" {
		name = "service"
	}
	return verb.Segment(name)
}

// entry makes the entry of a method.
func (l *loader) entry(prefix string, m protoreflect.MethodDescriptor) (catalog.Entry, error) {
	e := catalog.Entry{ID: prefix + "." + verb.Segment(string(m.Name())), Source: l.Source}
	if m.IsStreamingClient() {
		return e, errors.New("the client streams: only methods that take one message can be called")
	}
	if err := catalog.CheckID(e.ID); err != nil {
		return e, err
	}
	var err error
	if e.Input, err = schemaOf(m.Input(), true); err != nil {
		return e, fmt.Errorf("its arguments: %w", err)
	}
	output := func() (*catalog.Schema, error) { return schemaOf(m.Output(), false) }
	if m.IsStreamingServer() {
		output = func() (*catalog.Schema, error) { return listOf(m.Output()) }
	}
	if e.Output, err = output(); err != nil {
		return e, fmt.Errorf("its result: %w", err)
	}
	e.Description = text.ClipBytes(text.Clean(commentOf(m)), maxDescription)
	if e.Description == "" {
		e.Description = fmt.Sprintf("gRPC method %s of %s, which returns %s.", m.Name(), m.Parent().Name(), m.Output().Name())
	}
	if m.IsStreamingServer() {
		e.Description += "\nThe server streams: the messages are a list."
	}
	does := effectOf(m, e.Description)
	e.Operation, e.Mutates, e.Risk = does.Operation, does.Mutates, does.Risk
	if words := verb.Words(string(m.Parent().Name())); len(words) > 1 {
		e.Entities = []string{strings.TrimSuffix(strings.Join(words, "_"), "_service")}
	}
	path := "/" + string(m.Parent().FullName()) + "/" + string(m.Name())
	e.Target = "gRPC (no server)" + path
	if l.address != "" {
		e.Target = "gRPC " + l.address + path
	}
	c := &caller{api: l.api, method: m, path: path, types: l.types}
	e.Action, e.Timeout = c.run, l.Access.Timeout
	return e, nil
}

// effectOf is what a method does: what its option idempotency_level promises, else what its name says.
func effectOf(m protoreflect.MethodDescriptor, description string) verb.Effect {
	hints := verb.Hints{Names: []string{string(m.Name())}, Text: text.FirstSentence(description)}
	if o, ok := m.Options().(*descriptorpb.MethodOptions); ok {
		hints.ReadOnly = o.GetIdempotencyLevel() == descriptorpb.MethodOptions_NO_SIDE_EFFECTS
	}
	does := verb.Infer(hints)
	if does.Mutates && does.Operation == catalog.Update {
		// The name of a method is no HTTP method: a verb that creates is told by what POST makes of it.
		hints.Method = "post"
		if other := verb.Infer(hints); other.Mutates {
			does.Operation = other.Operation
		}
	}
	return does
}

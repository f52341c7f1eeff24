package grpc

// This file calls methods.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"almanac/catalog"
)

// maxStream is how many messages of a stream a result has; maxStreamed bounds them in bytes of JSON.
const (
	maxStream   = 1000
	maxStreamed = 16 << 20
)

// A caller calls one method.
type caller struct {
	*api
	method protoreflect.MethodDescriptor
	path   string
	types  *types
}

// run is the entry's action.
func (c *caller) run(ctx context.Context, call catalog.Call) (catalog.Result, error) {
	if err := exclusive(c.method.Input(), call.Args); err != nil {
		return catalog.Result{}, err
	}
	in := dynamicpb.NewMessage(c.method.Input())
	raw, err := json.Marshal(call.Args)
	if err == nil {
		err = protojson.UnmarshalOptions{Resolver: c.types}.Unmarshal(raw, in)
	}
	if err != nil {
		return catalog.Result{}, fmt.Errorf("arguments: %s", line(err.Error(), 300))
	}
	conn, err := c.connection()
	if err != nil {
		return catalog.Result{}, err
	}
	if ctx, err = c.authorized(ctx); err != nil {
		return catalog.Result{}, err
	}
	if c.method.IsStreamingServer() {
		return c.stream(ctx, conn, in)
	}
	out := dynamicpb.NewMessage(c.method.Output())
	if err := conn.Invoke(ctx, c.path, in, out); err != nil {
		return catalog.Result{}, c.told(ctx, err)
	}
	data, _, err := c.plain(out)
	return catalog.Result{Data: data}, err
}

// exclusive refuses arguments of which a message can have only one.
func exclusive(m protoreflect.MessageDescriptor, args map[string]any) error {
	for i := range m.Oneofs().Len() {
		one, given := m.Oneofs().Get(i), []string{}
		for j := range one.Fields().Len() {
			name := string(one.Fields().Get(j).Name())
			if v := args[name]; v != nil {
				given = append(given, name)
			}
		}
		if len(given) > 1 {
			return fmt.Errorf("arguments: %s exclude each other: give one of %s", strings.Join(given, " and "), one.Name())
		}
	}
	return nil
}

// stream reads the messages that a server sends, up to a limit; the rest is not asked for.
func (c *caller) stream(ctx context.Context, conn *rpc.ClientConn, in *dynamicpb.Message) (catalog.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := conn.NewStream(ctx, &rpc.StreamDesc{ServerStreams: true}, c.path)
	if err == nil {
		err = s.SendMsg(in)
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = s.CloseSend()
	}
	if err != nil {
		return catalog.Result{}, c.told(ctx, err)
	}
	list, bytes := []any{}, 0
	for {
		out := dynamicpb.NewMessage(c.method.Output())
		err := s.RecvMsg(out)
		if errors.Is(err, io.EOF) {
			return catalog.Result{Data: list}, nil
		}
		if err != nil {
			if len(list) > 0 {
				return catalog.Result{}, fmt.Errorf("%w, after %d messages", c.told(ctx, err), len(list))
			}
			return catalog.Result{}, c.told(ctx, err)
		}
		data, size, err := c.plain(out)
		if err != nil {
			return catalog.Result{}, err
		}
		if bytes += size; len(list) == maxStream || bytes > maxStreamed {
			return catalog.Result{Data: list, Unsure: true,
				Note: fmt.Sprintf("the first %d messages; the stream goes on", len(list))}, nil
		}
		list = append(list, data)
	}
}

// authorized adds credentials, where there are any, and the headers of the configuration to what is sent. Credentials
// go over TLS, or stay on this machine.
func (a *api) authorized(ctx context.Context) (context.Context, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url(), nil)
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", line(a.address, 200), err)
	}
	sent, err := a.Access.Authenticate(req, a.Vault, a.auth, nil)
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(a.address)
	if a.plain && len(sent) > 0 && host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return nil, fmt.Errorf("the token %s is not sent without TLS: use https, or unset it", sent[0])
	}
	for name, values := range req.Header {
		for _, value := range values {
			ctx = metadata.AppendToOutgoingContext(ctx, strings.ToLower(name), value)
		}
	}
	return ctx, nil
}

// plain is a message as plain data, and its size in bytes of JSON. Integers of 64 bits, which protobuf's JSON writes as
// texts, are numbers; unsigned ones beyond what Lua's integers hold stay texts.
func (c *caller) plain(m *dynamicpb.Message) (any, int, error) {
	raw, err := protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true, Resolver: c.types}.Marshal(m)
	if err != nil {
		return nil, 0, fmt.Errorf("the answer cannot be written as plain data: %s", line(err.Error(), 200))
	}
	data, err := catalog.ParseJSON(raw)
	return numbers(data, m.Descriptor()), len(raw), err
}

// numbers turns the texts of integers in a message into numbers.
func numbers(data any, m protoreflect.MessageDescriptor) any {
	table, ok := data.(map[string]any)
	if !ok {
		switch m.FullName() {
		case "google.protobuf.Int64Value", "google.protobuf.UInt64Value":
			return number(data)
		}
		return data
	}
	if wellKnown(m) != nil {
		return data
	}
	for name, v := range table {
		f := m.Fields().ByName(protoreflect.Name(name))
		if f == nil {
			continue
		}
		if f.IsMap() {
			f = f.MapValue()
		}
		table[name] = each(v, f, m.Fields().ByName(protoreflect.Name(name)).IsMap())
	}
	return table
}

// each is numbers for a value of a field, for the items of a list, and for the values of a map.
func each(v any, f protoreflect.FieldDescriptor, entries bool) any {
	switch held := v.(type) {
	case []any:
		if f.IsList() {
			for i, item := range held {
				held[i] = one(item, f)
			}
			return held
		}
	case map[string]any:
		if entries {
			for key, item := range held {
				held[key] = one(item, f)
			}
			return held
		}
	}
	return one(v, f)
}

func one(v any, f protoreflect.FieldDescriptor) any {
	switch f.Kind() {
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind, protoreflect.Uint64Kind,
		protoreflect.Fixed64Kind:
		return number(v)
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return numbers(v, f.Message())
	}
	return v
}

// number is a text of an integer as a number, where Lua's integers hold it.
func number(v any) any {
	if s, ok := v.(string); ok {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
	}
	return v
}

// told is an error of a call in words: "NotFound: no such order". What may help at another time is transient.
func (a *api) told(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s, ok := status.FromError(err)
	if !ok {
		return errors.New(line(err.Error(), 300))
	}
	said := fmt.Errorf("%s: %s", s.Code(), line(s.Message(), 300))
	switch s.Code() {
	case codes.Unavailable, codes.ResourceExhausted, codes.Aborted:
		return &catalog.Transient{Err: said}
	case codes.Unimplemented:
		return fmt.Errorf("%w: the server does not have what its description says", said)
	case codes.Unauthenticated, codes.PermissionDenied:
		if name := a.Access.Login.Source(); name != "" {
			return fmt.Errorf("%w; check the credential, or run almanac login %s", said, name)
		}
		return fmt.Errorf("%w; check the credential", said)
	}
	return said
}

package grpc

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"almanac/catalog"
	"almanac/catalog/web"
	"almanac/internal/golden"
)

type table = map[string]any

// serve starts a server of testdata/shop.proto with reflection, whose answers are those of answer.
func serve(t *testing.T) (address string, service protoreflect.ServiceDescriptor) {
	t.Helper()
	services, err := compiled(t.Context(), "testdata/shop.proto")
	if err != nil {
		t.Fatal(err)
	}
	service = services[0]
	server := rpc.NewServer()
	desc := &rpc.ServiceDesc{ServiceName: string(service.FullName()), HandlerType: (*any)(nil)}
	for i := range service.Methods().Len() {
		m := service.Methods().Get(i)
		desc.Streams = append(desc.Streams, rpc.StreamDesc{StreamName: string(m.Name()), ServerStreams: true,
			ClientStreams: true,
			Handler:       func(_ any, s rpc.ServerStream) error { return answer(m, s) }})
	}
	server.RegisterService(desc, nil)
	files := &protoregistry.Files{}
	if err := files.RegisterFile(service.ParentFile()); err != nil {
		t.Fatal(err)
	}
	other, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{ // nothing imports it
		Name: proto.String("other.proto"), Package: proto.String("other"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{
			Name: proto.String("Reason"),
			Field: []*descriptorpb.FieldDescriptorProto{{
				Name: proto.String("text"), Number: proto.Int32(1), Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(),
				Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
			}},
		}},
	}, nil)
	if err == nil {
		err = files.RegisterFile(other)
	}
	if err != nil {
		t.Fatal(err)
	}
	reflectionpb.RegisterServerReflectionServer(server, reflection.NewServerV1(reflection.ServerOptions{
		Services: server, DescriptorResolver: both{files}}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener) //nolint: it ends with Stop
	t.Cleanup(server.Stop)
	return "http://" + listener.Addr().String(), service
}

// both finds files of the shop, and those of the language.
type both struct{ own *protoregistry.Files }

func (b both) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if f, err := b.own.FindFileByPath(path); err == nil {
		return f, nil
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

func (b both) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if d, err := b.own.FindDescriptorByName(name); err == nil {
		return d, nil
	}
	return protoregistry.GlobalFiles.FindDescriptorByName(name)
}

// answer plays the shop.
func answer(m protoreflect.MethodDescriptor, s rpc.ServerStream) error {
	in := dynamicpb.NewMessage(m.Input())
	if err := s.RecvMsg(in); err != nil {
		return err
	}
	send := func(text string) error {
		out := dynamicpb.NewMessage(m.Output())
		if err := protojson.Unmarshal([]byte(text), out); err != nil {
			return err
		}
		return s.SendMsg(out)
	}
	id := in.Get(m.Input().Fields().ByName("id")).Int()
	switch m.Name() {
	case "GetOrder":
		switch id {
		case 404:
			return status.Error(codes.NotFound, "no such order")
		case 503:
			return status.Error(codes.Unavailable, "try later")
		case 401:
			meta, _ := metadata.FromIncomingContext(s.Context())
			return status.Error(codes.Unauthenticated, fmt.Sprint("came with ",
				slices.Concat(meta.Get("authorization"), meta.Get("x-tenant"))))
		}
		return send(fmt.Sprintf(`{"id": %d, "status": "PAID", "total": "18446744073709551615",
			"lines": [{"sku": "tea", "count": 2}],
			"counts": {"tea": "9007199254740993"}, "placed": "2026-01-02T03:04:05Z", "card": "visa", "seal": "AAE="}`, id))
	case "PlaceOrder":
		return s.SendMsg(in)
	case "WatchOrder":
		for i := range id {
			if err := send(fmt.Sprintf(`{"what": "step %d"}`, i+1)); err != nil {
				return err
			}
		}
		if id == 3 {
			return status.Error(codes.Internal, "lost it")
		}
		return nil
	}
	return send("{}")
}

// open reads a source.
func open(t *testing.T, from, base string, environment map[string]string) (map[string]catalog.Entry, catalog.Batch) {
	t.Helper()
	return openWith(t, web.Site{From: from, Base: base,
		Vault: web.NewVault(func(name string) string { return environment[name] }, nil)})
}

func openWith(t *testing.T, o web.Site) (map[string]catalog.Entry, catalog.Batch) {
	t.Helper()
	o.Source, o.Name = "shop", "shop"
	a := newAPI(o)
	t.Cleanup(func() { a.Close() })
	batch, err := a.load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]catalog.Entry{}
	for _, e := range batch.Entries {
		entries[e.ID] = e
	}
	return entries, batch
}

// TestEntries shows what becomes of each method: from the server, from a .proto file, which has the comments, and from
// a descriptor set.
func TestEntries(t *testing.T) {
	address, service := serve(t)
	_, filed := open(t, "testdata/shop.proto", address, nil)
	_, told := open(t, address, "", nil)
	set := filepath.Join(t.TempDir(), "shop.protoset")
	var files descriptorpb.FileDescriptorSet
	for i := range service.ParentFile().Imports().Len() {
		files.File = append(files.File, protodesc.ToFileDescriptorProto(service.ParentFile().Imports().Get(i).FileDescriptor))
	}
	files.File = append(files.File, protodesc.ToFileDescriptorProto(service.ParentFile()))
	raw, err := proto.Marshal(&files)
	if err == nil {
		err = os.WriteFile(set, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, stored := open(t, set, address, nil)
	golden.Equal(t, "testdata/shop.golden", written(t, filed, address))
	if got, want := written(t, stored, address), written(t, told, address); got != want {
		t.Errorf("from a descriptor set:\n%s\nfrom the server:\n%s", got, want)
	}
	if a, b := len(told.Entries), len(filed.Entries); a != b {
		t.Errorf("%d from the server, %d from the file", a, b)
	}
}

func written(t *testing.T, batch catalog.Batch, address string) string {
	t.Helper()
	all, report := catalog.New(batch.Entries, catalog.Options{})
	if len(report.Skipped) > 0 || batch.Found != len(batch.Entries)+len(batch.Skipped) {
		t.Fatalf("skipped %v, found %d, %d entries", report.Skipped, batch.Found, len(batch.Entries))
	}
	var b strings.Builder
	for _, e := range batch.Entries {
		fmt.Fprintf(&b, "%s\n  %s, mutates %v, risk %s, entities %v\n  %s\n  takes %s\n  gives %s\n", all.View().Line(e.ID),
			e.Operation, e.Mutates, e.Risk, e.Entities,
			strings.ReplaceAll(e.Target, strings.TrimPrefix(address, "http://"), "SERVER"), e.Input.JSON(), e.Output.JSON())
	}
	for _, s := range batch.Skipped {
		fmt.Fprintf(&b, "skipped %s: %s\n", s.ID, s.Reason)
	}
	return b.String()
}

// TestCalls calls methods of a real server.
func TestCalls(t *testing.T) {
	address, _ := serve(t)
	entries, _ := open(t, address, "", map[string]string{"ALMANAC_SHOP_TOKEN": "t0ken-of-the-shop"})
	for _, test := range []struct {
		id   string
		args table
		want string // the result as JSON with its note, or the error
	}{
		{"shop.order.get_order", table{"id": 7}, `{"card":"visa","counts":{"tea":9007199254740993},"id":7,` +
			`"lines":[{"count":2,"sku":"tea","weight":0}],"placed":"2026-01-02T03:04:05Z","seal":"AAE=","status":"PAID",` +
			`"total":"18446744073709551615"}`},
		{"shop.order.get_order", table{"id": 404}, "NotFound: no such order"},
		{"shop.order.get_order", table{"id": 503}, "NotNow: Unavailable: try later"},
		{"shop.order.get_order", table{"id": 401},
			"Unauthenticated: came with [Bearer t0ken-of-the-shop]; check the credential"},
		{"shop.order.get_order", table{"nope": 1}, `argument nope: unknown name`},
		{"shop.order.place_order", table{"status": "OPEN", "lines": []any{table{"sku": "tea", "weight": 0.5}}, "cash": true,
			"replaces": table{"id": 3}, "note": "gift"},
			`{"cash":true,"counts":{},"id":0,"lines":[{"count":0,"sku":"tea","weight":0.5}],"note":"gift",` +
				`"replaces":{"counts":{},"id":3,"lines":[],"seal":"","status":"STATUS_UNSPECIFIED","total":0},"seal":"",` +
				`"status":"OPEN","total":0}`},
		{"shop.order.place_order", table{"total": "18446744073709551615", "limit": "18446744073709551614",
			"extra": table{"@type": "type.googleapis.com/shop.v1.Line", "sku": "tea", "count": int64(2)}},
			`{"counts":{},"extra":{"@type":"type.googleapis.com/shop.v1.Line","count":2,"sku":"tea","weight":0},"id":0,` +
				`"limit":"18446744073709551614","lines":[],"seal":"","status":"STATUS_UNSPECIFIED","total":"18446744073709551615"}`},
		{"shop.order.place_order", table{"extra": table{"@type": "type.googleapis.com/other.Reason", "text": "late"}},
			`{"counts":{},"extra":{"@type":"type.googleapis.com/other.Reason","text":"late"},"id":0,"lines":[],"seal":"",` +
				`"status":"STATUS_UNSPECIFIED","total":0}`},
		{"shop.order.place_order", table{"extra": table{"@type": "type.googleapis.com/shop.v1.Lost"}},
			`arguments: proto: (line 1:19): unable to resolve "type.googleapis.com/shop.v1.Lost": "not found"`},
		{"shop.order.place_order", table{"total": "many"}, "arguments: proto: (line 1:10): invalid value for uint64 field total: \"many\""},
		{"shop.order.place_order", table{"cash": true, "card": "x"},
			`arguments: card and cash exclude each other: give one of payment`},
		{"shop.order.place_order", table{"status": "LOST"},
			`argument status: want one of "STATUS_UNSPECIFIED", "OPEN", "PAID", got string "LOST"`},
		{"shop.order.cancel_order", table{"id": 7}, `{}`},
		{"shop.order.watch_order", table{"id": 2}, `[{"what":"step 1"},{"what":"step 2"}]`},
		{"shop.order.watch_order", table{"id": 0}, `[]`},
		{"shop.order.watch_order", table{"id": 3}, "Internal: lost it, after 3 messages"},
	} {
		got, err := call(t, entries[test.id], test.args)
		raw, _ := json.Marshal(got.Data)
		is := string(raw)
		if err != nil {
			is = strings.ReplaceAll(err.Error(), "\u00a0", " ") // protojson writes one or the other
			if _, later := err.(*catalog.Transient); later {
				is = "NotNow: " + is
			}
		}
		if is != test.want {
			t.Errorf("%s %v:\n got %s\nwant %s", test.id, test.args, is, test.want)
		}
	}
	long, err := call(t, entries["shop.order.watch_order"], table{"id": 5000})
	if list, _ := long.Data.([]any); err != nil || len(list) != maxStream || !long.Unsure ||
		long.Note != "the first 1000 messages; the stream goes on" {
		t.Errorf("a long stream: %d messages, %q, %v", len(list), long.Note, err)
	}
}

func call(t *testing.T, e catalog.Entry, args table) (catalog.Result, error) {
	t.Helper()
	checked, err := e.Input.Check(args)
	if err != nil {
		return catalog.Result{}, err
	}
	return e.Action(context.Background(), catalog.Call{ID: e.ID, Args: checked})
}

// TestBroken shows what is said of sources that cannot be used.
func TestBroken(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"a.proto": "syntax = \"proto3\"; service S { rpc A(Lost) returns (Lost); }",
		"b.protoset": "not one"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ from, want string }{
		{filepath.Join(folder, "a.proto"), `a.proto:1:38: method S.A: unknown request type Lost`},
		{filepath.Join(folder, "b.protoset"), "not a descriptor set: write one with buf build -o FILE.binpb, or protoc " +
			"--include_imports --descriptor_set_out=FILE.protoset"},
		{"http://127.0.0.1:1", "the server's descriptions: Unavailable: connection error"},
		{"ftp://x:1", `server "ftp://x:1": want HOST:PORT, or http://HOST:PORT without TLS`},
	} {
		_, err := newAPI(web.Site{From: test.from}).load(t.Context(), nil)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s:\n got %v\nwant %s", test.from, err, test.want)
		}
	}
	entries, _ := open(t, "testdata/shop.proto", "http://shop.example:80",
		map[string]string{"ALMANAC_SHOP_TOKEN": "t0ken"})
	if _, err := call(t, entries["shop.order.get_order"], table{"id": 1}); err == nil ||
		err.Error() != "the token ALMANAC_SHOP_TOKEN is not sent without TLS: use https, or unset it" {
		t.Errorf("a token without TLS: %v", err)
	}
}

// TestAccess: what the configuration says of requests is sent as metadata, in place of the source's own credential.
func TestAccess(t *testing.T) {
	address, _ := serve(t)
	environment := map[string]string{"MINE": "hunter2", "ALMANAC_SHOP_TOKEN": "other"}
	o := web.Site{From: address, Vault: web.NewVault(func(name string) string { return environment[name] }, nil),
		Access: web.Access{Auth: []web.Auth{{Kind: web.Bearer, Names: []string{"MINE"}}}, Timeout: time.Second,
			Header: map[string]string{"X-Tenant": "a"}}}
	entries, _ := openWith(t, o)
	e := entries["shop.order.get_order"]
	_, err := call(t, e, table{"id": 401})
	if err == nil || !strings.Contains(err.Error(), "came with [Bearer hunter2 a]") || e.Timeout != time.Second {
		t.Errorf("error %v, timeout %s", err, e.Timeout)
	}
	o.From, o.Base = "testdata/shop.proto", "http://shop.example:80"
	entries, _ = openWith(t, o)
	if _, err := call(t, entries["shop.order.get_order"], table{"id": 1}); err == nil ||
		err.Error() != "the token MINE is not sent without TLS: use https, or unset it" {
		t.Errorf("a token without TLS: %v", err)
	}
}

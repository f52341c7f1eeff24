package grpc

// This file finds the messages that a google.protobuf.Any may hold.

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/jhump/protoreflect/v2/grpcreflect"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// A types knows the messages of one reading: those in the files of its services and what these import, and those that
// the server describes when it is asked. It is safe for concurrent use.
type types struct {
	*dynamicpb.Types
	api *api

	mu    sync.Mutex
	asked map[protoreflect.FullName]protoreflect.MessageType
}

func typesOf(a *api, services []protoreflect.ServiceDescriptor) *types {
	files := &protoregistry.Files{}
	for _, s := range services {
		register(files, s.ParentFile())
	}
	return &types{Types: dynamicpb.NewTypes(files), api: a, asked: map[protoreflect.FullName]protoreflect.MessageType{}}
}

// register adds a file and what it imports. One that contradicts another is left out, with its messages.
func register(files *protoregistry.Files, f protoreflect.FileDescriptor) {
	if _, err := files.FindFileByPath(f.Path()); err == nil || f.IsPlaceholder() {
		return
	}
	_ = files.RegisterFile(f)
	for i := range f.Imports().Len() {
		register(files, f.Imports().Get(i).FileDescriptor)
	}
}

// FindMessageByURL returns the message that "@type" names.
func (t *types) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	if found, err := t.Types.FindMessageByURL(url); err == nil {
		return found, nil
	}
	if found, err := protoregistry.GlobalTypes.FindMessageByURL(url); err == nil {
		return found, nil
	}
	name := protoreflect.FullName(url[strings.LastIndexByte(url, '/')+1:])
	if isFile(t.api.From) || !name.IsValid() {
		return nil, protoregistry.NotFound
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if found := t.asked[name]; found != nil {
		return found, nil
	}
	found, err := t.api.message(name)
	if err == nil {
		t.asked[name] = found
	}
	return found, err
}

// message asks the server for the description of a message.
func (a *api) message(name protoreflect.FullName) (protoreflect.MessageType, error) {
	conn, err := a.connection()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), connectWait, errors.New("the server did not answer"))
	defer cancel()
	if ctx, err = a.authorized(ctx); err != nil {
		return nil, err
	}
	client := grpcreflect.NewClientAuto(ctx, conn, grpcreflect.WithAllowMissingFileDescriptors())
	defer client.Reset()
	file, err := client.FileContainingSymbol(name)
	if err != nil {
		return nil, protoregistry.NotFound
	}
	files := &protoregistry.Files{}
	register(files, file)
	return dynamicpb.NewTypes(files).FindMessageByName(name)
}

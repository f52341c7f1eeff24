package grpc

// This file reads the descriptions of services: from the server's reflection, or from files.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bufbuild/protocompile"
	"github.com/jhump/protoreflect/v2/grpcreflect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"almanac/catalog"
	"almanac/catalog/regular"
)

const (
	maxDescriptor = 64 << 20
	// reflectWait bounds the reading of a server's descriptions.
	reflectWait = 30 * time.Second
)

// services are the services that the source describes, by name, and what of it cannot be used.
func (a *api) services(ctx context.Context) (all []protoreflect.ServiceDescriptor, lost []catalog.Skip, err error) {
	switch filepath.Ext(a.From) {
	case ".proto":
		all, err = compiled(ctx, a.From)
	case ".protoset", ".pb", ".binpb":
		all, err = stored(a.From)
	default:
		all, lost, err = a.reflected(ctx)
	}
	slices.SortFunc(all, func(x, y protoreflect.ServiceDescriptor) int { return cmp.Compare(x.FullName(), y.FullName()) })
	return all, lost, err
}

// reflected asks the server.
func (a *api) reflected(ctx context.Context) (all []protoreflect.ServiceDescriptor, lost []catalog.Skip, err error) {
	conn, err := a.connection()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, reflectWait, errors.New("the server did not describe itself in time"))
	defer cancel()
	if ctx, err = a.authorized(ctx); err != nil {
		return nil, nil, err
	}
	client := grpcreflect.NewClientAuto(ctx, conn, grpcreflect.WithAllowMissingFileDescriptors())
	defer client.Reset()
	names, err := client.ListServices()
	if err != nil {
		return nil, nil, fmt.Errorf("the server's descriptions: %w; if it has no reflection, give a file with --catalog "+
			"grpc:FILE.proto and --base", a.told(ctx, err))
	}
	for _, name := range names {
		if strings.HasPrefix(string(name), "grpc.reflection.") {
			continue
		}
		file, err := client.FileContainingSymbol(name)
		if err != nil {
			lost = append(lost, catalog.Skip{ID: string(name), Source: a.Source, Reason: a.told(ctx, err).Error()})
			continue
		}
		if s := file.Services().ByName(name.Name()); s != nil {
			all = append(all, s)
		}
	}
	return all, lost, nil
}

// compiled reads a .proto file; what it imports is beside it or in a folder above.
func compiled(ctx context.Context, file string) ([]protoreflect.ServiceDescriptor, error) {
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	paths := []string{folder}
	for up := filepath.Dir(folder); up != paths[len(paths)-1] && len(paths) < 6; up = filepath.Dir(up) {
		paths = append(paths, up)
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: paths}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, filepath.Base(file))
	if err != nil {
		return nil, errors.New(line(err.Error(), 400))
	}
	var all []protoreflect.ServiceDescriptor
	for _, f := range files {
		all = append(all, servicesOf(f)...)
	}
	return all, nil
}

// stored reads a descriptor set, as protoc --descriptor_set_out --include_imports and buf build write it.
func stored(file string) ([]protoreflect.ServiceDescriptor, error) {
	raw, err := regular.Read(file, maxDescriptor)
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(raw, set); err != nil || len(set.File) == 0 {
		return nil, errors.New("not a descriptor set: write one with buf build -o FILE.binpb, or protoc --include_imports " +
			"--descriptor_set_out=FILE.protoset")
	}
	files, err := protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(set)
	if err != nil {
		return nil, fmt.Errorf("the descriptor set: %w", err)
	}
	var all []protoreflect.ServiceDescriptor
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		all = append(all, servicesOf(f)...)
		return true
	})
	return all, nil
}

func servicesOf(f protoreflect.FileDescriptor) []protoreflect.ServiceDescriptor {
	var all []protoreflect.ServiceDescriptor
	for i := range f.Services().Len() {
		all = append(all, f.Services().Get(i))
	}
	return all
}

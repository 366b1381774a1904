// Command protogen generates Go from the .proto files below a folder, without protoc: protocompile
// parses the files, protoc-gen-go generates the code.
//
//	protogen FOLDER
//
// It writes FOLDER/path/name.pb.go for each FOLDER/path/name.proto and nothing else.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: protogen FOLDER")
		os.Exit(2)
	}
	if err := generate(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

// generate compiles every .proto file below root and writes the generated code.
func generate(ctx context.Context, root string) error {
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".proto") {
			name, relErr := filepath.Rel(root, path)
			if relErr != nil {
				return relErr
			}
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("look for .proto files below %s: %w", root, err)
	}
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{root}}),
		// Comments of the .proto file become comments of the Go code.
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, names...)
	if err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: names,
		Parameter:      proto.String("paths=source_relative"),
	}
	// The plugin requires imports first, and each file once.
	seen := map[string]bool{}
	var add func(file *descriptorpb.FileDescriptorProto, find func(string) *descriptorpb.FileDescriptorProto)
	add = func(file *descriptorpb.FileDescriptorProto, find func(string) *descriptorpb.FileDescriptorProto) {
		if file == nil || seen[file.GetName()] {
			return
		}
		seen[file.GetName()] = true
		for _, dep := range file.GetDependency() {
			add(find(dep), find)
		}
		request.ProtoFile = append(request.ProtoFile, file)
	}
	for _, file := range files {
		find := func(name string) *descriptorpb.FileDescriptorProto {
			if dep := file.FindImportByPath(name); dep != nil {
				return protoutil.ProtoFromFileDescriptor(dep)
			}
			return nil
		}
		add(protoutil.ProtoFromFileDescriptor(file), find)
	}
	input, err := proto.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	plugin := exec.CommandContext(ctx, "go", "tool", "protoc-gen-go")
	plugin.Stdin, plugin.Stderr = bytes.NewReader(input), os.Stderr
	output, err := plugin.Output()
	if err != nil {
		return fmt.Errorf("run protoc-gen-go: %w", err)
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(output, &response); err != nil {
		return fmt.Errorf("decode the answer of protoc-gen-go: %w", err)
	}
	if response.Error != nil {
		return fmt.Errorf("protoc-gen-go: %s", response.GetError())
	}
	for _, file := range response.File {
		path := filepath.Join(root, filepath.FromSlash(file.GetName()))
		if err := os.WriteFile(path, []byte(file.GetContent()), 0o644); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	return nil
}

package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// A bill is a software bill of materials in CycloneDX 1.6. It has no serial number and no time, so
// the same binary has the same bill.
type bill struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component  component  `json:"component"`
	Properties []property `json:"properties"`
}

type component struct {
	Ref        string     `json:"bom-ref"`
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// ours is the prefix of this repository's modules. In a workspace, Go has no versions for them.
const ours = "github.com/townline/townline/"

// billOfMaterials returns the build information of a binary: its modules with their go.sum hashes,
// and the standard library.
func billOfMaterials(service, version, binary string) ([]byte, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("read build information of %s: %w", service, err)
	}
	b := bill{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{Component: module(info.Path, version, "")},
	}
	b.Metadata.Component.Type, b.Metadata.Component.Name = "application", service
	for _, s := range info.Settings {
		// The flags contain the version, which is stored separately; the other settings describe
		// the build.
		if s.Key == "CGO_ENABLED" || s.Key == "GOOS" || s.Key == "GOARCH" || s.Key == "-trimpath" || s.Key == "GOAMD64" {
			b.Metadata.Properties = append(b.Metadata.Properties, property{"go:build:" + s.Key, s.Value})
		}
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	b.Components = append(b.Components, module("std", goVersion, ""))
	for _, d := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if d.Replace != nil && !strings.HasPrefix(d.Path, ours) {
			d = d.Replace
		}
		v := d.Version
		if strings.HasPrefix(d.Path, ours) {
			v = version
		}
		b.Components = append(b.Components, module(d.Path, v, d.Sum))
	}
	slices.SortFunc(b.Components, func(x, y component) int { return strings.Compare(x.Ref, y.Ref) })
	top := dependency{Ref: b.Metadata.Component.Ref}
	for _, c := range b.Components {
		top.DependsOn = append(top.DependsOn, c.Ref)
	}
	b.Dependencies = []dependency{top}
	return json.MarshalIndent(b, "", " ")
}

func module(path, version, sum string) component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	c := component{Ref: purl, Type: "library", Name: path, Version: version, PURL: purl}
	if sum != "" {
		c.Properties = []property{{"go:sum", sum}}
	}
	return c
}

// Command deployschemas makes JSON schemas for kubeconform from the OpenAPI description of
// Kubernetes and from custom resource definitions. They have only the named kinds, no descriptions,
// and no additional properties, so that a misspelt field is an error.
//
//	deployschemas -out DIR -openapi swagger.json -kinds Deployment,Service,… CRD.yaml…
//
// definitions.json has the definitions that several kinds share. scripts/deploy-schemas.sh runs
// this command.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

type object = map[string]any

func main() {
	log.SetFlags(0)
	log.SetPrefix("deployschemas: ")
	out := flag.String("out", "", "folder of the schemas")
	openapi := flag.String("openapi", "", "swagger.json of Kubernetes")
	kinds := flag.String("kinds", "", "kinds of Kubernetes, comma separated")
	flag.Parse()
	if err := os.RemoveAll(*out); err != nil {
		log.Fatal(err)
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := builtin(*out, *openapi, strings.Split(*kinds, ",")); err != nil {
		log.Fatal(err)
	}
	for _, file := range flag.Args() {
		if err := custom(*out, file); err != nil {
			log.Fatalf("%s: %v", file, err)
		}
	}
}

func builtin(out, openapi string, kinds []string) error {
	text, err := os.ReadFile(openapi)
	if err != nil {
		return err
	}
	var api struct {
		Definitions map[string]object `json:"definitions"`
	}
	if err := json.Unmarshal(text, &api); err != nil {
		return fmt.Errorf("%s: %w", openapi, err)
	}
	needed := map[string]bool{}
	found := map[string]bool{}
	for name, def := range api.Definitions {
		for _, gvk := range list(def["x-kubernetes-group-version-kind"]) {
			g, ok := gvk.(object)
			if !ok {
				continue
			}
			kind, group := str(g["kind"]), str(g["group"])
			version := str(g["version"])
			if !slices.Contains(kinds, kind) || !stable(version) {
				continue
			}
			found[kind] = true
			reach(api.Definitions, name, needed)
			if err := write(filepath.Join(out, fileName(kind, group, version)), object{"$ref": "definitions.json#/definitions/" +
				name}); err != nil {
				return err
			}
		}
	}
	for _, k := range kinds {
		if !found[k] {
			return fmt.Errorf("%s describes no kind %s", openapi, k)
		}
	}
	defs := object{}
	for name := range needed {
		defs[name] = closed(api.Definitions[name])
	}
	return write(filepath.Join(out, "definitions.json"), object{"definitions": defs})
}

// stable reports whether a version is like v1 or v2, not v1beta1.
func stable(version string) bool {
	return strings.Trim(version, "v0123456789") == ""
}

func custom(out, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, doc := range bytes.Split(text, []byte("\n---\n")) {
		var crd struct {
			Spec struct {
				Group    string `json:"group"`
				Names    struct{ Kind string }
				Versions []struct {
					Name    string `json:"name"`
					Storage bool   `json:"storage"`
					Schema  struct {
						OpenAPIV3Schema object `json:"openAPIV3Schema"`
					} `json:"schema"`
				} `json:"versions"`
			} `json:"spec"`
		}
		if err := yaml.Unmarshal(doc, &crd); err != nil {
			return err
		}
		for _, v := range crd.Spec.Versions {
			if !v.Storage {
				continue
			}
			if err := write(filepath.Join(out, fileName(crd.Spec.Names.Kind, crd.Spec.Group, v.Name)),
				closed(v.Schema.OpenAPIV3Schema)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileName returns the value of kubeconform's {{.ResourceKind}}{{.KindSuffix}}.
func fileName(kind, group, version string) string {
	suffix := "-" + version
	if group != "" {
		first, _, _ := strings.Cut(group, ".")
		suffix = "-" + first + suffix
	}
	return strings.ToLower(kind+suffix) + ".json"
}

func reach(defs map[string]object, name string, needed map[string]bool) {
	if needed[name] {
		return
	}
	needed[name] = true
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case object:
			if ref, ok := v["$ref"].(string); ok {
				reach(defs, strings.TrimPrefix(ref, "#/definitions/"), needed)
			}
			for _, e := range v {
				walk(e)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(defs[name])
}

// kept has the validating keywords of a schema; other keywords are dropped.
var kept = []string{"$ref", "type", "format", "properties", "additionalProperties", "items", "required", "enum",
	"minimum", "maximum",
	"minLength", "maxLength", "minItems", "maxItems", "pattern", "oneOf", "anyOf", "allOf", "not"}

// closed returns a schema without descriptions that allows no additional fields.
func closed(in object) object {
	if in["x-kubernetes-int-or-string"] == true || in["format"] == "int-or-string" {
		return object{"type": []any{"integer", "string"}}
	}
	out := object{}
	for _, word := range kept {
		v, ok := in[word]
		if !ok {
			continue
		}
		switch word {
		case "properties":
			all := object{}
			for name, p := range v.(object) {
				all[name] = closed(p.(object))
			}
			out[word] = all
		case "items", "additionalProperties", "not":
			if s, ok := v.(object); ok {
				v = closed(s)
			}
			out[word] = v
		case "oneOf", "anyOf", "allOf":
			// The subschemas allow additional fields, because they describe the same object.
			out[word] = v
		default:
			out[word] = v
		}
	}
	delete(out, "format")
	_, fields := out["properties"]
	_, more := out["additionalProperties"]
	if fields && !more && in["x-kubernetes-preserve-unknown-fields"] != true {
		out["additionalProperties"] = false
	}
	if str(in["description"]) != "" && strings.HasPrefix(str(in["description"]), "Quantity is a fixed-point") {
		return object{"type": []any{"string", "number"}}
	}
	return out
}

func list(v any) []any { l, _ := v.([]any); return l }

func str(v any) string { s, _ := v.(string); return s }

func write(file string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

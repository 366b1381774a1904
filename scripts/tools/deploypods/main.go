// Command deploypods reads rendered manifests on standard input and prints one pod for each
// workload, to test the admission of an API server without controllers.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("deploypods: ")
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	for _, doc := range strings.Split(string(text), "\n---\n") {
		var o struct {
			Kind     string         `json:"kind"`
			Metadata map[string]any `json:"metadata"`
			Spec     struct {
				Template             map[string]any `json:"template"`
				VolumeClaimTemplates []struct {
					Metadata struct {
						Name string `json:"name"`
					} `json:"metadata"`
				} `json:"volumeClaimTemplates"`
				JobTemplate struct {
					Spec struct {
						Template map[string]any `json:"template"`
					} `json:"spec"`
				} `json:"jobTemplate"`
			} `json:"spec"`
		}
		if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
			continue // this kind has a different template
		}
		template := o.Spec.Template
		switch o.Kind {
		case "Deployment", "StatefulSet", "Job":
		case "CronJob":
			template = o.Spec.JobTemplate.Spec.Template
		default:
			continue
		}
		meta, _ := template["metadata"].(map[string]any)
		if pod, ok := template["spec"].(map[string]any); ok {
			volumes, _ := pod["volumes"].([]any)
			for _, c := range o.Spec.VolumeClaimTemplates { // the controller would add these
				claim := map[string]any{"claimName": c.Metadata.Name + "-0"}
				volumes = append(volumes, map[string]any{"name": c.Metadata.Name, "persistentVolumeClaim": claim})
			}
			pod["volumes"] = volumes
		}
		pod, err := yaml.Marshal(map[string]any{
			"apiVersion": "v1", "kind": "Pod", "spec": template["spec"],
			"metadata": map[string]any{"name": fmt.Sprint(o.Metadata["name"]), "namespace": o.Metadata["namespace"],
				"labels": meta["labels"]},
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("---\n%s", pod)
	}
}

package deploy

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// repository is the root of the checkout.
const repository = "../../.."

// overlays has the halves, each with words that must not be in the objects of the other half.
var overlays = map[string]struct {
	halves  []string
	without []string
	local   bool // without operators and policies, for one machine
}{
	"full":  {halves: []string{"council", "transit"}},
	"local": {halves: []string{"council", "transit"}, local: true},
	"council-only": {halves: []string{"council"}, without: []string{"transit", "gtfs", "rt-poller", "realtime",
		"vehicle"}},
	"transit-only": {halves: []string{"transit"}, without: []string{"council", "iqm2", "vote"}},
}

func render(t testing.TB, overlay string) []byte {
	t.Helper()
	return renderFolder(t, filepath.Join(repository, "deploy/kubernetes/overlays", overlay))
}

func renderFolder(t testing.TB, folder string) []byte {
	t.Helper()
	k := krusty.MakeKustomizer(krusty.MakeDefaultOptions())
	all, err := k.Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	text, err := all.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// An object has the fields of Kubernetes objects that the rules check.
type object struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name      string            `json:"name"`
		Namespace string            `json:"namespace"`
		Labels    map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec     spec              `json:"spec"`
	Template *template         `json:"template"` // template of a PodTemplate
	Data     map[string]string `json:"data"`
	Type     string            `json:"type"`

	text string
}

func (o *object) String() string { return o.Kind + " " + o.Metadata.Name }

type spec struct {
	ClusterIP                  string    `json:"clusterIP"`
	Replicas                   *int      `json:"replicas"`
	Template                   *template `json:"template"`
	Selector                   any       `json:"selector"` // labels, or matchLabels
	PodSelector                *selector `json:"podSelector"`
	PolicyTypes                []string  `json:"policyTypes"`
	Ingress                    any       `json:"ingress"`
	Egress                     any       `json:"egress"`
	MaxUnavailable             any       `json:"maxUnavailable"`
	ActiveDeadlineSeconds      int       `json:"activeDeadlineSeconds"`
	TTLSecondsAfterFinished    *int      `json:"ttlSecondsAfterFinished"`
	ConcurrencyPolicy          string    `json:"concurrencyPolicy"`
	TimeZone                   string    `json:"timeZone"`
	StartingDeadlineSeconds    int       `json:"startingDeadlineSeconds"`
	SuccessfulJobsHistoryLimit *int      `json:"successfulJobsHistoryLimit"`
	FailedJobsHistoryLimit     *int      `json:"failedJobsHistoryLimit"`
	JobTemplate                struct {
		Spec struct {
			Template              *template `json:"template"`
			ActiveDeadlineSeconds int       `json:"activeDeadlineSeconds"`
		} `json:"spec"`
	} `json:"jobTemplate"`
	ScaleTargetRef struct {
		Name string `json:"name"`
	} `json:"scaleTargetRef"`
	MinReplicas int `json:"minReplicas"`
	Target      struct {
		Template struct {
			Data map[string]string `json:"data"`
		} `json:"template"`
	} `json:"target"`
	PodMetricsEndpoints []struct {
		Port string `json:"port"`
	} `json:"podMetricsEndpoints"`
}

type selector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

type template struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec podSpec `json:"spec"`
}

type podSpec struct {
	AutomountServiceAccountToken  *bool  `json:"automountServiceAccountToken"`
	ServiceAccountName            string `json:"serviceAccountName"`
	HostNetwork                   bool   `json:"hostNetwork"`
	HostPID                       bool   `json:"hostPID"`
	TerminationGracePeriodSeconds int    `json:"terminationGracePeriodSeconds"`
	PriorityClassName             string `json:"priorityClassName"`
	SecurityContext               struct {
		RunAsNonRoot   bool `json:"runAsNonRoot"`
		RunAsUser      int  `json:"runAsUser"`
		SeccompProfile struct {
			Type string `json:"type"`
		} `json:"seccompProfile"`
	} `json:"securityContext"`
	Spread         []spread     `json:"topologySpreadConstraints"`
	Tolerations    []toleration `json:"tolerations"`
	InitContainers []container  `json:"initContainers"`
	Containers     []container  `json:"containers"`
	Volumes        []struct {
		Name     string `json:"name"`
		EmptyDir *struct {
			SizeLimit string `json:"sizeLimit"`
		} `json:"emptyDir"`
		ConfigMap *struct {
			Name string `json:"name"`
		} `json:"configMap"`
		HostPath any `json:"hostPath"`
		Secret   *struct {
			SecretName string `json:"secretName"`
			Optional   bool   `json:"optional"`
			Items      []struct {
				Key string `json:"key"`
			} `json:"items"`
		} `json:"secret"`
	} `json:"volumes"`
}

type spread struct {
	TopologyKey    string   `json:"topologyKey"`
	LabelSelector  selector `json:"labelSelector"`
	MatchLabelKeys []string `json:"matchLabelKeys"`
}

type toleration struct {
	Key     string `json:"key"`
	Seconds int    `json:"tolerationSeconds"`
}

type container struct {
	Name  string   `json:"name"`
	Image string   `json:"image"`
	Args  []string `json:"args"`
	Env   []struct {
		Name      string `json:"name"`
		Value     string `json:"value"`
		ValueFrom struct {
			SecretKeyRef *secretRef `json:"secretKeyRef"`
		} `json:"valueFrom"`
	} `json:"env"`
	EnvFrom []struct {
		SecretRef *secretRef `json:"secretRef"`
	} `json:"envFrom"`
	Ports []struct {
		Name          string `json:"name"`
		ContainerPort int    `json:"containerPort"`
	} `json:"ports"`
	SecurityContext struct {
		AllowPrivilegeEscalation *bool `json:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool  `json:"readOnlyRootFilesystem"`
		Privileged               bool  `json:"privileged"`
		Capabilities             struct {
			Add  []string `json:"add"`
			Drop []string `json:"drop"`
		} `json:"capabilities"`
	} `json:"securityContext"`
	Resources struct {
		Requests map[string]string `json:"requests"`
		Limits   map[string]string `json:"limits"`
	} `json:"resources"`
	StartupProbe   *probe `json:"startupProbe"`
	LivenessProbe  *probe `json:"livenessProbe"`
	ReadinessProbe *probe `json:"readinessProbe"`
	Lifecycle      struct {
		PreStop struct {
			Sleep struct {
				Seconds int `json:"seconds"`
			} `json:"sleep"`
		} `json:"preStop"`
	} `json:"lifecycle"`
}

type secretRef struct {
	Name     string `json:"name"`
	Key      string `json:"key"`
	Optional bool   `json:"optional"`
}

type probe struct {
	HTTPGet *struct {
		Path string `json:"path"`
		Port any    `json:"port"`
	} `json:"httpGet"`
	Exec struct {
		Command []string `json:"command"`
	} `json:"exec"`
}

// ours returns the Townline program that a container runs, if any.
func (c *container) ours() (program string, ok bool) {
	_, rest, ok := strings.Cut(c.Image, "townline/")
	program, _, _ = strings.Cut(rest, ":")
	program, _, _ = strings.Cut(program, "@")
	return program, ok
}

// pod returns the pod template of a workload; nil for other objects.
func (o *object) pod() *template {
	switch o.Kind {
	case "Deployment", "StatefulSet", "Job":
		return o.Spec.Template
	case "CronJob":
		return o.Spec.JobTemplate.Spec.Template
	case "PodTemplate":
		return o.Template
	}
	return nil
}

// labels returns the selector of a Service, a disruption budget or a workload.
func (o *object) labels() map[string]string {
	all, _ := o.Spec.Selector.(map[string]any)
	if inner, ok := all["matchLabels"].(map[string]any); ok {
		all = inner
	}
	out := map[string]string{}
	for k, v := range all {
		out[k] = fmt.Sprint(v)
	}
	return out
}

// selects reports whether an object has all labels of a selector.
func selects(want, have map[string]string) bool {
	for k, v := range want {
		if have[k] != v {
			return false
		}
	}
	return true
}

func parse(t testing.TB, text []byte) []*object {
	t.Helper()
	var all []*object
	for _, doc := range bytes.Split(text, []byte("\n---\n")) {
		// Ignore fields with the same name but another type, such as the template of an
		// ExternalSecret.
		o := &object{text: string(doc)}
		if err := yaml.Unmarshal(doc, o); err != nil {
			var bare object
			head := struct {
				Kind     *string `json:"kind"`
				Metadata any     `json:"metadata"`
			}{Kind: &bare.Kind, Metadata: &bare.Metadata}
			if err := yaml.Unmarshal(doc, &head); err != nil {
				t.Fatalf("%v in:\n%s", err, doc)
			}
			bare.text = string(doc)
			o = &bare
			if slices.Contains([]string{"Deployment", "StatefulSet", "Job", "CronJob", "ExternalSecret", "NetworkPolicy"},
				o.Kind) {
				t.Fatalf("cannot decode %s: %v", o, err)
			}
		}
		all = append(all, o)
	}
	return all
}

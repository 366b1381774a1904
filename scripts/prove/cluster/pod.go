package cluster

import "slices"

// A Pod has the fields of a pod that the proof uses.
type Pod struct {
	Metadata Metadata
	Spec     struct {
		NodeName    string
		HostNetwork bool
		Containers  []Container

		AutomountServiceAccountToken *bool
		SecurityContext              struct {
			RunAsNonRoot   bool
			SeccompProfile struct{ Type string }
		}
	}
	Status struct {
		Phase, PodIP      string
		Conditions        []struct{ Type, Status string }
		ContainerStatuses []struct{ RestartCount int }
	}
}

type Container struct {
	Name  string
	Ports []struct {
		Name          string
		ContainerPort int
	}
	StartupProbe, LivenessProbe, ReadinessProbe any
	Resources                                   struct{ Limits, Requests map[string]string }
	SecurityContext                             struct {
		ReadOnlyRootFilesystem   bool
		AllowPrivilegeEscalation *bool
		Capabilities             struct{ Drop []string }
	}
}

// Metadata has the fields of an object's metadata that the proof uses.
type Metadata struct {
	Name, Namespace, UID, DeletionTimestamp string
	Labels                                  map[string]string
}

// A List is an answer of the API with several objects.
type List[T any] struct{ Items []T }

// Ready reports whether the pod is ready for requests.
func (p *Pod) Ready() bool {
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" && c.Status == "True" {
			return p.Metadata.DeletionTimestamp == ""
		}
	}
	return false
}

// Restarts returns the number of restarts of the pod's containers.
func (p *Pod) Restarts() (n int) {
	for _, c := range p.Status.ContainerStatuses {
		n += c.RestartCount
	}
	return n
}

// Problems lists what is missing in a pod: probes, limits, restricted security, a read-only root.
// Pods of Jobs need no probes.
func (p *Pod) Problems() (problems []string) {
	check := func(ok bool, problem string) {
		if !ok {
			problems = append(problems, problem)
		}
	}
	job := p.Metadata.Labels["batch.kubernetes.io/job-name"] != ""
	off := func(setting *bool) bool { return setting != nil && !*setting }
	check(off(p.Spec.AutomountServiceAccountToken), "has a token of the cluster")
	check(p.Spec.SecurityContext.RunAsNonRoot, "may run as root")
	check(p.Spec.SecurityContext.SeccompProfile.Type == "RuntimeDefault", "has no seccomp profile")
	for _, c := range p.Spec.Containers {
		probes := c.StartupProbe != nil && c.LivenessProbe != nil && c.ReadinessProbe != nil
		check(job || probes, c.Name+" lacks a probe")
		check(c.Resources.Limits["memory"] != "", c.Name+" has no limit of memory")
		check(c.Resources.Requests["cpu"] != "", c.Name+" requests no processor")
		check(c.SecurityContext.ReadOnlyRootFilesystem, c.Name+" can write its root")
		check(off(c.SecurityContext.AllowPrivilegeEscalation), c.Name+" can gain privileges")
		check(slices.Contains(c.SecurityContext.Capabilities.Drop, "ALL"), c.Name+" keeps capabilities")
	}
	return problems
}

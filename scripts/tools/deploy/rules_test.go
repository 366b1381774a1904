package deploy

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// faults collects the rules that rendered objects break.
type faults struct {
	all   []*object
	local bool
	found []string
}

func (f *faults) add(o *object, format string, args ...any) {
	f.found = append(f.found, o.String()+": "+fmt.Sprintf(format, args...))
}

// check applies every rule.
func check(t testing.TB, all []*object, local bool) []string {
	t.Helper()
	f := &faults{all: all, local: local}
	for _, o := range all {
		if o.Kind != "Namespace" && o.Kind != "PriorityClass" && o.Metadata.Namespace != "townline" {
			f.add(o, "is in namespace %q", o.Metadata.Namespace)
		}
		if o.Metadata.Labels["app.kubernetes.io/part-of"] != "townline" {
			f.add(o, "does not say what it is a part of")
		}
		if p := o.pod(); p != nil {
			f.pod(o, p)
			f.references(o, &p.Spec)
			for i := range p.Spec.Containers {
				f.container(o, p, &p.Spec.Containers[i])
			}
		}
		switch o.Kind {
		case "Namespace":
			if o.Metadata.Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
				f.add(o, "does not enforce restricted pod security")
			}
		case "Deployment":
			f.deployment(o)
		case "Job":
			f.migration(t, o)
		case "CronJob":
			f.cronJob(o)
		case "HorizontalPodAutoscaler":
			f.autoscaler(o)
		case "Service", "PodDisruptionBudget":
			if o.Spec.ClusterIP == "None" {
				f.add(o, "is headless: clients keep the address of a pod that is gone while DNS is cached")
			}
			if !f.matched(o.labels()) {
				f.add(o, "selects no pod: %v", o.labels())
			}
		case "Secret":
			f.add(o, "a secret with its value")
		}
	}
	if !local {
		f.policies()
		f.databaseAddresses()
	}
	return f.found
}

func (f *faults) find(kind, name string) *object {
	for _, o := range f.all {
		if o.Kind == kind && o.Metadata.Name == name {
			return o
		}
	}
	return nil
}

func (f *faults) matched(labels map[string]string) bool {
	return len(labels) > 0 && slices.ContainsFunc(f.all, func(o *object) bool {
		return o.pod() != nil && selects(labels, o.pod().Metadata.Labels)
	})
}

// pod checks for restricted pod security, no token, and bounded temporary space.
func (f *faults) pod(o *object, p *template) {
	s := &p.Spec
	if s.AutomountServiceAccountToken == nil || *s.AutomountServiceAccountToken {
		f.add(o, "has a token of the cluster's")
	}
	if !s.SecurityContext.RunAsNonRoot || s.SecurityContext.RunAsUser == 0 ||
		s.SecurityContext.SeccompProfile.Type != "RuntimeDefault" {
		f.add(o, "runs as root, without a user, or without a seccomp profile")
	}
	if s.HostNetwork || s.HostPID || len(s.InitContainers) > 0 {
		f.add(o, "uses the host's network or processes, or init containers that no rule looks at")
	}
	for _, v := range s.Volumes {
		if v.HostPath != nil {
			f.add(o, "mounts the host's files")
		}
		if v.EmptyDir != nil && v.EmptyDir.SizeLimit == "" {
			f.add(o, "volume %s has no bound", v.Name)
		}
	}
}

// references checks that all objects that a pod names are rendered with it, are optional, or are a
// Secret from the operator.
func (f *faults) references(o *object, s *podSpec) {
	if s.ServiceAccountName != "" && f.find("ServiceAccount", s.ServiceAccountName) == nil {
		f.add(o, "there is no account %s", s.ServiceAccountName)
	}
	if s.PriorityClassName != "" && f.find("PriorityClass", s.PriorityClassName) == nil {
		f.add(o, "there is no priority %s", s.PriorityClassName)
	}
	secret := func(name string, optional bool) {
		if !f.local && !optional && f.find("ExternalSecret", name) == nil {
			f.add(o, "the secret %s is not defined", name)
		}
	}
	for _, v := range s.Volumes {
		if v.ConfigMap != nil && f.find("ConfigMap", v.ConfigMap.Name) == nil {
			f.add(o, "there is no configuration %s", v.ConfigMap.Name)
		}
		if v.Secret != nil {
			secret(v.Secret.SecretName, v.Secret.Optional)
			if len(v.Secret.Items) == 0 {
				f.add(o, "mounts all of the secret %s", v.Secret.SecretName)
			}
		}
	}
	for _, c := range s.Containers {
		for _, e := range c.Env {
			if r := e.ValueFrom.SecretKeyRef; r != nil {
				secret(r.Name, r.Optional)
			} else if regexp.MustCompile(`PASSWORD|_KEY$|TOKEN|SECRET|DATABASE_URL|NATS_URL`).MatchString(e.Name) {
				f.add(o, "%s is written down instead of referred to", e.Name)
			}
		}
		for _, e := range c.EnvFrom {
			if e.SecretRef == nil || !e.SecretRef.Optional {
				f.add(o, "takes a whole environment that is not an optional secret")
			}
		}
	}
}

func (f *faults) container(o *object, p *template, c *container) {
	sc := c.SecurityContext
	if sc.AllowPrivilegeEscalation == nil || *sc.AllowPrivilegeEscalation || sc.Privileged || !sc.ReadOnlyRootFilesystem ||
		!slices.Equal(sc.Capabilities.Drop, []string{"ALL"}) || len(sc.Capabilities.Add) > 0 {
		f.add(o, "container %s is not locked down", c.Name)
	}
	limit, ok := quantity(c.Resources.Limits["memory"])
	if !ok || c.Resources.Requests["memory"] == "" || c.Resources.Requests["cpu"] == "" {
		f.add(o, "container %s lacks a request or a memory limit", c.Name)
	}
	if c.Resources.Limits["cpu"] != "" {
		f.add(o, "container %s has a CPU limit: it makes answers late while the node idles", c.Name)
	}
	if !regexp.MustCompile(`[^:]:[a-z0-9][A-Za-z0-9._-]*$|@sha256:[0-9a-f]{64}$`).MatchString(c.Image) ||
		strings.HasSuffix(c.Image, ":latest") {
		f.add(o, "image %s is any image", c.Image)
	}
	for _, p := range []*probe{c.StartupProbe, c.ReadinessProbe} {
		if p != nil && slices.Contains(p.Exec.Command, "pg_isready") && !slices.Contains(p.Exec.Command, "-h") {
			f.add(o, "asks the socket: the entrypoint's temporary server, which takes no clients, answers there")
		}
	}
	program, ours := c.ours()
	if !ours {
		return
	}
	if p.Metadata.Labels["reach.townline/postgres"] != "yes" {
		f.add(o, "does not say that it reaches Postgres")
	}
	var database, soft string
	for _, e := range c.Env {
		switch e.Name {
		case "GOMEMLIMIT":
			soft = e.Value
		case "DATABASE_URL":
			if e.ValueFrom.SecretKeyRef != nil {
				database = e.ValueFrom.SecretKeyRef.Name
			}
		}
		if !known(program, e.Name) {
			f.add(o, "%s knows no setting %s", program, e.Name)
		}
	}
	if n, ok := quantity(strings.TrimSuffix(soft, "B")); !ok || n < limit*6/10 || n > limit*95/100 {
		f.add(o, "GOMEMLIMIT %q does not stay a little below the limit of %s", soft, c.Resources.Limits["memory"])
	} else if p.Spec.ServiceAccountName == "council-ingest" && n+pdfReader > limit {
		f.add(o, "GOMEMLIMIT %q leaves no room below the limit of %s for the process that reads a PDF", soft,
			c.Resources.Limits["memory"])
	}
	want := program + "-database"
	switch {
	case o.Kind == "Job":
		want = "migrate-database"
	case o.Kind == "CronJob":
		want = p.Spec.ServiceAccountName + "-database"
	case o.Kind == "PodTemplate":
		want = "" // the runner selects the account
	}
	if database != want {
		f.add(o, "connects as %s, not as %s", database, want)
	}
}

// pdfReader is the memory limit of council-ingest's process for reading a PDF, plus a reserve for
// council-ingest itself. TestMemoryFitsThePod of package pdftext tests the process.
const pdfReader = 300 << 20

// quantity parses a quantity such as 512Mi or 2Gi.
func quantity(s string) (int64, bool) {
	for suffix, unit := range map[string]int64{"Mi": 1 << 20, "Gi": 1 << 30} {
		if n, err := strconv.ParseInt(strings.TrimSuffix(s, suffix), 10, 64); err == nil && strings.HasSuffix(s, suffix) {
			return n * unit, true
		}
	}
	return 0, false
}

var settings = map[string]string{}

// known reports whether a program, or its Go runtime, reads an environment variable.
func known(program, name string) bool {
	if name == "GOMEMLIMIT" || name == "TMPDIR" || strings.HasPrefix(name, "OTEL_") {
		return true
	}
	folders := []string{"pkg/run", "pkg/events", "services/" + program}
	text, ok := settings[program]
	if !ok {
		for _, folder := range folders {
			// Package session reads the settings of townline's commands.
			for _, pattern := range []string{"*.go", "internal/session/*.go"} {
				files, _ := filepath.Glob(filepath.Join(repository, folder, pattern))
				for _, file := range files {
					b, _ := os.ReadFile(file)
					text += string(b)
				}
			}
		}
		settings[program] = text
	}
	return regexp.MustCompile(`env:"` + name + `[",]`).MatchString(text)
}

// deployment checks for separate probes, enough time to stop and, if there are replicas, a
// disruption budget and a spread.
func (f *faults) deployment(o *object) {
	s := &o.Spec.Template.Spec
	for _, c := range s.Containers {
		at := func(p *probe, path string) bool {
			return p != nil && p.HTTPGet != nil && p.HTTPGet.Path == path && p.HTTPGet.Port == "admin"
		}
		if !at(c.StartupProbe, "/healthz") || !at(c.LivenessProbe, "/healthz") {
			f.add(o, "starts and lives by something else than /healthz, which asks nothing of the database")
		}
		if !at(c.ReadinessProbe, "/readyz") {
			f.add(o, "is not ready by /readyz")
		}
		// The services' own limits: drain of balancers 5 s, requests 15 s, NATS 5 s, admin port 3
		// s.
		if sleep := c.Lifecycle.PreStop.Sleep.Seconds; sleep < 1 || s.TerminationGracePeriodSeconds < sleep+28+5 {
			f.add(o, "grace of %d s after a pause of %d s is too short for a stop", s.TerminationGracePeriodSeconds, sleep)
		}
	}
	for _, node := range []string{"not-ready", "unreachable"} {
		if !slices.ContainsFunc(s.Tolerations, func(t toleration) bool {
			return t.Key == "node.kubernetes.io/"+node && t.Seconds <= 30
		}) {
			f.add(o, "stays for minutes on a node that is %s", node)
		}
	}
	scaled := slices.ContainsFunc(f.all, func(h *object) bool {
		return h.Kind == "HorizontalPodAutoscaler" && h.Spec.ScaleTargetRef.Name == o.Metadata.Name
	})
	if scaled == (o.Spec.Replicas != nil) {
		f.add(o, "its number of replicas is said twice or not at all")
	}
	if !scaled && (o.Spec.Replicas == nil || *o.Spec.Replicas < 2) {
		return
	}
	budget := slices.ContainsFunc(f.all, func(b *object) bool {
		return b.Kind == "PodDisruptionBudget" && selects(b.labels(), o.Spec.Template.Metadata.Labels) &&
			fmt.Sprint(b.Spec.MaxUnavailable) == "1"
	})
	// Spread by node only: Kubernetes ignores all constraints on a node that lacks the label of one
	// of them, such as the zone.
	apart := len(s.Spread) == 1 && s.Spread[0].TopologyKey == "kubernetes.io/hostname" &&
		len(s.Spread[0].LabelSelector.MatchLabels) > 0 &&
		selects(s.Spread[0].LabelSelector.MatchLabels, o.Spec.Template.Metadata.Labels) &&
		slices.Equal(s.Spread[0].MatchLabelKeys, []string{"pod-template-hash"})
	if !budget || !apart {
		f.add(o, "has replicas, but budget %v, apart %v", budget, apart)
	}
}

// migration checks that the name has the schema version of this commit.
func (f *faults) migration(t testing.TB, o *object) {
	half := strings.TrimPrefix(slices.Collect(func(yield func(string) bool) {
		for _, a := range o.Spec.Template.Spec.Containers[0].Args {
			if strings.HasPrefix(a, "--only=") && !yield(a) {
				return
			}
		}
	})[0], "--only=")
	files, err := filepath.Glob(filepath.Join(repository, "pkg/schema", half, "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("migrations of %s: %v, %v", half, files, err)
	}
	newest, _, _ := strings.Cut(filepath.Base(files[len(files)-1]), "_")
	if want := half + "-migrate-v" + strings.TrimLeft(newest, "0"); o.Metadata.Name != want {
		f.add(o, "the schema is at another version, so this is to be %s: run make generate", want)
	}
	if o.Spec.ActiveDeadlineSeconds == 0 || o.Spec.TTLSecondsAfterFinished == nil {
		f.add(o, "never ends or never goes")
	}
}

func (f *faults) cronJob(o *object) {
	s := o.Spec
	if s.ConcurrencyPolicy != "Forbid" || s.StartingDeadlineSeconds == 0 || s.TimeZone == "" ||
		s.JobTemplate.Spec.ActiveDeadlineSeconds == 0 ||
		s.SuccessfulJobsHistoryLimit == nil || s.FailedJobsHistoryLimit == nil {
		f.add(o, "lacks Forbid, a deadline, a time zone or a limit of history")
	}
}

func (f *faults) autoscaler(o *object) {
	if !strings.HasSuffix(o.Spec.ScaleTargetRef.Name, "-api") || f.find("Deployment", o.Spec.ScaleTargetRef.Name) == nil ||
		o.Spec.MinReplicas < 2 {
		f.add(o, "scales %s from %d on: only APIs scale by load, from 2", o.Spec.ScaleTargetRef.Name, o.Spec.MinReplicas)
	}
}

// policies checks that all traffic is denied, then allowed by name. Only services that fetch may
// reach the internet.
func (f *faults) policies() {
	deny := f.find("NetworkPolicy", "default-deny")
	if deny == nil || len(deny.Spec.PolicyTypes) != 2 || deny.Spec.PodSelector == nil ||
		len(deny.Spec.PodSelector.MatchLabels) > 0 ||
		deny.Spec.Ingress != nil || deny.Spec.Egress != nil {
		f.add(&object{Kind: "NetworkPolicy"}, "nothing denies by default")
	}
	world := []string{"council-ingest", "council-ingest-daily", "gtfs-import", "rt-poller"}
	for _, o := range f.all {
		if o.Kind == "NetworkPolicy" && o != deny && o.Spec.Egress == nil && o.Spec.Ingress == nil {
			f.add(o, "allows nothing")
		}
		p := o.pod()
		if p == nil {
			continue
		}
		reaches := p.Metadata.Labels["reach.townline/internet"] == "yes"
		if reaches != slices.Contains(world, o.Metadata.Name) {
			f.add(o, "reaches the internet: %v", reaches)
		}
		if public := p.Metadata.Labels["serves.townline/public"] == "yes"; public != (o.Kind == "Deployment" &&
			strings.HasSuffix(o.Metadata.Name, "-api")) {
			f.add(o, "is public: %v", public)
		}
		for label := range p.Metadata.Labels {
			if strings.Contains(label, ".townline/") && !slices.ContainsFunc(f.all, func(n *object) bool {
				return n.Kind == "NetworkPolicy" && n.Spec.PodSelector != nil && n.Spec.PodSelector.MatchLabels[label] == "yes"
			}) {
				f.add(o, "no policy knows the label %s", label)
			}
		}
	}
	for _, m := range f.all {
		if m.Kind != "PodMonitor" || !selects(m.labels(), map[string]string{"app.kubernetes.io/part-of": "townline"}) {
			continue
		}
		for _, e := range m.Spec.PodMetricsEndpoints {
			if e.Port != "admin" {
				f.add(m, "scrapes port %s", e.Port)
			}
		}
	}
}

// databaseAddresses checks that APIs prefer a replica, that services that write use the primary,
// and that each has its own role.
func (f *faults) databaseAddresses() {
	roles := map[string]string{}
	for _, o := range f.all {
		name, ok := strings.CutSuffix(o.Metadata.Name, "-database")
		if o.Kind != "ExternalSecret" || !ok {
			continue
		}
		data := o.Spec.Target.Template.Data
		first := "@townline-db-rw:5432/"
		if strings.HasSuffix(name, "-api") {
			first = "@townline-db-reads:5432,townline-db-rw:5432/"
		}
		if !strings.Contains(data["url"], first) || !strings.Contains(data["url"], "//"+data["username"]+":") ||
			!strings.Contains(data["url"], "sslmode=verify-full") {
			f.add(o, "leads to %s", data["url"])
		}
		if other := roles[data["username"]]; other != "" {
			f.add(o, "is the role of %s, too", other)
		}
		roles[data["username"]] = name
		cluster := f.find("Cluster", "townline-db")
		if cluster != nil && !strings.Contains(cluster.text, "name: "+o.Metadata.Name+"\n") {
			f.add(o, "the database makes no role with this password")
		}
	}
	if c := f.find("Cluster", "townline-db"); c != nil && !strings.Contains(c.text, "sessionAffinity: ClientIP") {
		f.add(c, "an API's connections may end at different replicas, and its answers mix them")
	}
}

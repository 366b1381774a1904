package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/wait"
)

type selector struct {
	MatchLabels      map[string]string
	MatchExpressions []any
}

func (s *selector) matches(labels map[string]string) bool {
	for k, v := range s.MatchLabels {
		if labels[k] != v {
			return false
		}
	}
	return true
}

type peer struct {
	PodSelector, NamespaceSelector *selector
	IPBlock                        *struct {
		CIDR   string
		Except []string
	}
}

type rule struct {
	From, To []peer
	Ports    []struct {
		Protocol string
		Port     any
	}
}

type policy struct {
	Metadata Metadata
	Spec     struct {
		PodSelector     selector
		PolicyTypes     []string
		Ingress, Egress []rule
	}
}

// enforcePolicies keeps the rules of all nodes up to date with policies and pods.
func (c *Cluster) enforcePolicies(ctx context.Context) {
	changed := make(chan struct{}, 1)
	for _, path := range []string{"/api/v1/pods", "/api/v1/namespaces", "/apis/networking.k8s.io/v1/networkpolicies"} {
		go func() {
			for wait.For(ctx, 100*time.Millisecond) {
				c.watch(ctx, path, changed)
			}
		}()
	}
	for last := ""; ; {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		rules, err := c.rules(ctx)
		if err == nil && rules != last {
			err = c.load(ctx, rules)
			last = rules
		}
		if err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "network policies:", err)
			last = ""
		}
	}
}

// watch reports every change of a list until the API server ends the connection.
func (c *Cluster) watch(ctx context.Context, path string, changed chan<- struct{}) {
	res, err := c.open(ctx, path+"?watch=true")
	if err != nil {
		return
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	for {
		if _, err := lines.ReadSlice('\n'); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
		select {
		case changed <- struct{}{}:
		default:
		}
	}
}

func (c *Cluster) load(ctx context.Context, rules string) error {
	for _, n := range c.Nodes {
		cmd := exec.CommandContext(ctx, "nsenter", "--net=/run/netns/"+n.Name, "nft", "-f", "-")
		cmd.Stdin = strings.NewReader(rules)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("load rules: %w: %s\n%s", err, out, rules)
		}
	}
	return nil
}

func (c *Cluster) rules(ctx context.Context) (string, error) {
	var pods List[Pod]
	var namespaces List[struct{ Metadata Metadata }]
	var policies List[policy]
	for path, into := range map[string]any{
		"/api/v1/pods": &pods, "/api/v1/namespaces": &namespaces,
		"/apis/networking.k8s.io/v1/networkpolicies": &policies,
	} {
		if err := c.Get(ctx, path, into); err != nil {
			return "", err
		}
	}
	labels := map[string]map[string]string{}
	for _, n := range namespaces.Items {
		labels[n.Metadata.Name] = n.Metadata.Labels
	}
	return ruleset(pods.Items, labels, policies.Items), nil
}

// ruleset converts policies to nft rules. namespaces has the labels of each namespace. A pod that a
// policy selects has only the connections that policies allow; an unknown pod has none.
func ruleset(pods []Pod, namespaces map[string]map[string]string, policies []policy) string {
	w := world{labels: namespaces}
	known := []string{}
	for _, p := range pods {
		if p.Status.PodIP != "" && !p.Spec.HostNetwork && (p.Status.Phase == "Pending" || p.Status.Phase == "Running") {
			w.pods = append(w.pods, p)
			known = append(known, p.Status.PodIP)
		}
	}
	var isolated [2][]string
	var lines [2][]string
	for _, p := range policies {
		own := w.addresses(p.Metadata.Namespace, &p.Spec.PodSelector, nil)
		for i, d := range []struct {
			kind  string
			rules []rule
		}{{"Egress", p.Spec.Egress}, {"Ingress", p.Spec.Ingress}} {
			if !slices.Contains(p.Spec.PolicyTypes, d.kind) || len(own) == 0 {
				continue
			}
			isolated[i] = append(isolated[i], own...)
			for _, r := range d.rules {
				lines[i] = append(lines[i], w.allow(p.Metadata.Namespace, i, own, r)...)
			}
		}
	}
	return fmt.Sprintf(`table ip policies {}
delete table ip policies
table ip policies {
	chain forward {
		type filter hook forward priority 10
		ct state established,related accept
		ip saddr %[1]s ip saddr != %[2]s drop
		ip saddr %[3]s jump egress
		ip daddr %[4]s jump ingress
	}
	chain egress {
		%[5]s
		drop
	}
	chain ingress {
		%[6]s
		drop
	}
}
`, podRange, set(known), set(isolated[0]), set(isolated[1]),
		strings.Join(lines[0], "\n\t\t"), strings.Join(lines[1], "\n\t\t"))
}

type world struct {
	pods   []Pod
	labels map[string]map[string]string // labels of namespaces
}

// addresses returns the addresses of the pods that both selectors match. Without a namespace
// selector, only pods of the policy's namespace match; without a pod selector, all pods do.
func (w *world) addresses(namespace string, pods, namespaces *selector) []string {
	var all []string
	for _, p := range w.pods {
		here := p.Metadata.Namespace == namespace
		if namespaces != nil {
			here = namespaces.matches(w.labels[p.Metadata.Namespace])
		}
		if here && (pods == nil || pods.matches(p.Metadata.Labels)) {
			all = append(all, p.Status.PodIP)
		}
	}
	return all
}

// allow returns one rule of a policy for the pods that it selects: direction 0 is egress, 1 is
// ingress.
func (w *world) allow(namespace string, direction int, own []string, r rule) []string {
	from, to := "ip saddr", "ip daddr"
	peers := r.To
	if direction == 1 {
		from, to = to, from
		peers = r.From
	}
	others := []string{""}
	if len(peers) > 0 {
		others = nil
	}
	for _, p := range peers {
		if p.IPBlock != nil {
			if strings.Contains(p.IPBlock.CIDR, ":") {
				continue
			}
			match := to + " " + p.IPBlock.CIDR
			if len(p.IPBlock.Except) > 0 {
				match += " " + to + " != " + set(p.IPBlock.Except)
			}
			others = append(others, match)
		} else if a := w.addresses(namespace, p.PodSelector, p.NamespaceSelector); len(a) > 0 {
			others = append(others, to+" "+set(a))
		}
	}
	var lines []string
	for _, other := range others {
		base := from + " " + set(own) + " " + other
		for _, port := range r.Ports {
			for _, number := range w.ports(port.Port) {
				protocol := strings.ToLower(port.Protocol)
				lines = append(lines, fmt.Sprintf("%s %s dport %d return", base, protocol, number))
			}
		}
		if len(r.Ports) == 0 {
			lines = append(lines, base+" return")
		}
	}
	return lines
}

// ports returns the numbers of a port, which a policy may specify by name.
func (w *world) ports(port any) []int {
	if n, is := port.(float64); is {
		return []int{int(n)}
	}
	var all []int
	for _, p := range w.pods {
		for _, c := range p.Spec.Containers {
			for _, named := range c.Ports {
				if named.Name == port && !slices.Contains(all, named.ContainerPort) {
					all = append(all, named.ContainerPort)
				}
			}
		}
	}
	return all
}

// set formats addresses as an nft set. An empty set gets an address that no host has.
func set(addresses []string) string {
	if len(addresses) == 0 {
		addresses = []string{"255.255.255.255"}
	}
	addresses = slices.Clone(addresses)
	slices.Sort(addresses)
	return "{ " + strings.Join(slices.Compact(addresses), ", ") + " }"
}

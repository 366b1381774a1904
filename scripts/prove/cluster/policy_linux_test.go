package cluster

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRulesOfPolicies(t *testing.T) {
	t.Parallel()
	var pods []Pod
	var policies []policy
	for text, into := range map[string]any{
		`[{"metadata": {"name": "api", "namespace": "town", "labels": {"app": "api"}},
		   "status": {"phase": "Running", "podIP": "10.88.1.2"},
		   "spec": {"containers": [{"ports": [{"name": "http", "containerPort": 8080}]}]}},
		  {"metadata": {"namespace": "ingress"}, "status": {"phase": "Running", "podIP": "10.88.1.3"}},
		  {"metadata": {"namespace": "ingress"}, "status": {"phase": "Succeeded", "podIP": "10.88.1.4"}}]`: &pods,
		`[{"metadata": {"namespace": "town"}, "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}},
		  {"metadata": {"namespace": "town"}, "spec": {"podSelector": {"matchLabels": {"app": "api"}},
		   "policyTypes": ["Ingress"], "ingress": [{"ports": [{"protocol": "TCP", "port": "http"}],
		    "from": [{"namespaceSelector": {"matchLabels": {"name": "ingress"}}}]}]}},
		  {"metadata": {"namespace": "town"}, "spec": {"podSelector": {}, "policyTypes": ["Egress"],
		   "egress": [{"ports": [{"protocol": "TCP", "port": 443}],
		    "to": [{"ipBlock": {"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8"]}}]}]}}]`: &policies,
	} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	rules := ruleset(pods, map[string]map[string]string{"ingress": {"name": "ingress"}}, policies)
	for _, want := range []string{
		"ip saddr != { 10.88.1.2, 10.88.1.3 } drop",
		"ip daddr { 10.88.1.2 } jump ingress",
		"ip daddr { 10.88.1.2 } ip saddr { 10.88.1.3 } tcp dport 8080 return",
		"ip saddr { 10.88.1.2 } ip daddr 0.0.0.0/0 ip daddr != { 10.0.0.0/8 } tcp dport 443 return",
	} {
		if !strings.Contains(rules, want) {
			t.Errorf("no rule %q in\n%s", want, rules)
		}
	}
}

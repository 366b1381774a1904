package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/townline/townline/services/townline/demo"
)

// operate runs operators' commands, and then each half alone.
func (s *pods) operate(ctx context.Context) error {
	if err := s.keepAll(ctx, []promise{
		{"operator's commands", s.commands}, {"CronJobs by hand", s.cronJobs}, {backedUp, s.restore},
	}); err != nil {
		return err
	}
	for _, overlay := range []string{"transit-only", "council-only"} {
		if _, err := s.shell(ctx, `kubectl delete -n townline deployment,statefulset,hpa --all --wait=false
			kubectl delete -n townline pod --all --grace-period=0 --force
			kubectl delete namespace townline ingress-nginx elsewhere --ignore-not-found --timeout=120s
			`); err != nil {
			return err
		}
		if err := s.comesUp(ctx, overlay, s.now); err != nil {
			return err
		}
	}
	return nil
}

var operatorCommand = regexp.MustCompile(`(?m)^(?:#   )?scripts/deploy-run\.sh \S+ .*$`)

// commands runs each operator's command of the documentation ten times and checks each output.
func (s *pods) commands(ctx context.Context) error {
	pages, err := filepath.Glob("deploy/docs/*.md")
	if err != nil {
		return err
	}
	var all []string
	for _, page := range append(pages, "scripts/deploy-run.sh") {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		for _, line := range operatorCommand.FindAllString(string(text), -1) {
			line, _, _ = strings.Cut(strings.TrimPrefix(line, "#   "), " #")
			line = strings.ReplaceAll(strings.TrimSpace(line), " metro", " "+demo.Alias)
			if !slices.Contains(all, line) {
				all = append(all, line)
			}
		}
	}
	var wg sync.WaitGroup
	for _, line := range all {
		wg.Go(func() { s.tenTimes(ctx, line) })
	}
	wg.Wait()
	return nil
}

func (s *pods) tenTimes(ctx context.Context, line string) {
	began, silent := time.Now(), 0
	for n := range 10 {
		out, err := s.shell(ctx, strings.Replace(line, " kiosk ", fmt.Sprintf(" kiosk%d ", n), 1)) // a new name for each key
		if err != nil {
			s.p.violated("%v", err)
		}
		if strings.TrimSpace(out) == "" {
			silent++
		}
	}
	if silent > 0 {
		s.p.violated("%s: %d of 10 printed nothing", line, silent)
	}
	s.p.figure(line, "ten times, %d without output, in %s", silent, s.p.since(began))
}

func (s *pods) cronJobs(ctx context.Context) error {
	names, err := s.kubectl(ctx, "get", "cronjob", "-o", "jsonpath={.items[*].metadata.name}")
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(names) {
		began := time.Now()
		if _, err := s.kubectl(ctx, "create", "job", "--from=cronjob/"+name, name+"-by-hand"); err != nil {
			return err
		}
		job := "job/" + name + "-by-hand"
		if _, err := s.kubectl(ctx, "wait", "--for=condition=complete", job, "--timeout=120s"); err != nil {
			return err
		}
		s.p.figure("CronJob "+name+" by hand", "complete in %s", s.p.since(began))
	}
	return nil
}

// inDatabase runs commands of backup.md in the pod of Postgres, as its superuser.
func (s *pods) inDatabase(ctx context.Context, heading string) error {
	commands, err := section(backupPage, heading)
	if err != nil {
		return err
	}
	began := time.Now()
	_, err = s.kubectl(ctx, "exec", "townline-db-0", "--", "sh", "-euc", `
		PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
		cd /var/lib/postgresql/data
		DATABASE_URL='postgresql:///townline?host=/tmp&user=postgres'
		NEW_DATABASE_URL=$DATABASE_URL NEW_SERVER='postgresql:///postgres?host=/tmp&user=postgres'
		`+commands)
	s.p.figure("“"+heading+"”, as in "+backupPage, "%s", s.p.since(began))
	return err
}

// restore dumps the database in its pod, deletes everything else on its volume, and restores the
// dump.
func (s *pods) restore(ctx context.Context) error {
	for _, heading := range []string{"Back up", "One half only"} {
		if err := s.inDatabase(ctx, heading); err != nil {
			return err
		}
	}
	used, fresh := filepath.Join(s.p.folder, "volume-full"), filepath.Join(s.p.folder, "volume-restored")
	if _, err := s.shell(ctx, `kubectl scale -n townline deployment --all --replicas=0
		kubectl wait -n townline --for=delete pod -l app.kubernetes.io/part-of=townline,pod-template-hash --timeout=90s
		kubectl scale -n townline statefulset townline-db --replicas=0
		kubectl wait -n townline --for=delete pod/townline-db-0 --timeout=60s
		mkdir -m 777 `+fresh+`; mv `+used+`/*.dump `+used+`/roles.sql `+fresh+`
		rm -rf `+used+`; mv `+fresh+` `+used+`
		kubectl scale -n townline statefulset townline-db --replicas=1
		kubectl rollout status -n townline statefulset townline-db --timeout=60s
		kubectl exec -n townline townline-db-0 -- psql -h /tmp -U postgres -qc 'DROP DATABASE townline WITH (FORCE)'
		`); err != nil {
		return err
	}
	if err := s.inDatabase(ctx, "Restore on an empty server"); err != nil {
		return err
	}
	if _, err := s.kubectl(ctx, "scale", "deployment", "--all", "--replicas=1"); err != nil { // the autoscaler adds one
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	check, err := section(backupPage, "Check")
	if err != nil {
		return err
	}
	for line := range strings.Lines(check) {
		command := strings.TrimPrefix(strings.TrimSpace(line), "townline ")
		role := map[bool]string{true: "council-ingest", false: "gtfs-import"}[strings.HasPrefix(command, "council")]
		if _, err := s.shell(ctx, "scripts/deploy-run.sh "+role+" "+command); err != nil {
			return err
		}
	}
	return s.sameAnswers(ctx, s.db, func(h half) (*target, func(), error) {
		targets, err := s.replicas(ctx, h)
		if err != nil || len(targets) == 0 {
			return nil, nil, fmt.Errorf("no replica of %s-api: %w", h.name, err)
		}
		return targets[0], func() {}, nil
	})
}

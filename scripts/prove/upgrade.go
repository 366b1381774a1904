package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/townline/townline/pkg/wait"
)

// proveUpgrade proves an upgrade: the new version waits for its schema, the old version works with
// the new schema, both serve together, and the old version stops.
func (p *proof) proveUpgrade(ctx context.Context, old string) error {
	versions := [2]string{}
	for i, bin := range []string{old, p.bin} {
		out, err := command(ctx, nil, bin+"/transit-api", "--version")
		if err != nil {
			return err
		}
		versions[i] = strings.TrimSpace(out)
	}
	p.stage("the old version, %s: Postgres, NATS, towns, and one of each service", versions[0])
	d, err := p.deploy(ctx)
	if err != nil {
		return err
	}
	if err := d.migrate(ctx, old); err != nil {
		return err
	}
	if err := d.startReplicas(old, 1, 1); err != nil {
		return err
	}
	if err := d.awaitAll(ctx); err != nil {
		return err
	}
	if err := d.filled(ctx); err != nil {
		return err
	}
	former := d.all
	s := newScene(d)
	if err := s.learnAddresses(ctx); err != nil {
		return err
	}
	if err := d.db.query(ctx, aMeeting, &s.meeting); err != nil {
		return err
	}
	d.balance(ctx)
	before, err := d.schemas(ctx)
	if err != nil {
		return err
	}
	load, calm := context.WithCancel(ctx)
	defer calm()
	ended := s.load(load)
	err = s.upgrade(ctx, former, versions[1], before)
	s.halt.Store(true)
	if err == nil {
		err = s.imported(ctx)
	}
	calm()
	<-ended
	r := s.readers
	p.figure("reads while the version changed, and failed", "%d, %d", r.reads.Load(), p.failures())
	if _, transit, stateErr := s.state(ctx); stateErr == nil {
		p.figure("imports asked for, and done by whichever version", "%d, %d", s.imports.Load()+1, transit)
		if transit != s.imports.Load()+1 {
			p.violated("%d imports were asked for and %d done", s.imports.Load()+1, transit)
		}
	}
	return err
}

// learnAddresses reads all addresses of one replica of each API while versions differ. The answers
// may depend on the version, but each address must answer.
func (s *scene) learnAddresses(ctx context.Context) error {
	s.readers.mixed.Store(true)
	for _, h := range halves {
		replicas, err := s.apis(ctx, h)
		if err != nil {
			return err
		}
		if len(replicas) == 0 {
			return fmt.Errorf("%s-api has no ready replica", h.name)
		}
		l, err := crawl(ctx, h, replicas[0])
		if err != nil {
			return err
		}
		s.readers.learn(l)
	}
	return nil
}

func (d *deployment) schemas(ctx context.Context) (string, error) {
	var council, transit int
	err := d.db.query(ctx, `SELECT (SELECT max(version_id) FROM council.schema_version),
		(SELECT max(version_id) FROM transit.schema_version)`, &council, &transit)
	return fmt.Sprintf("council %d, transit %d", council, transit), err
}

func (s *scene) upgrade(ctx context.Context, former []*process, version, before string) error {
	s.p.stage("the new version, %s, starts on the old schema too", version)
	if err := s.startReplicas(s.p.bin, 2, 2); err != nil {
		return err
	}
	added := s.all[len(former):]
	wait.For(ctx, 3*time.Second)
	waiting := 0
	for _, r := range added {
		if ok, said := r.ready(ctx); !ok && strings.Contains(report(said)["schema"], "run townline migrate") {
			waiting++
		}
	}
	s.p.stage("the schema is migrated under both")
	if err := s.migrate(ctx, s.p.bin); err != nil {
		return err
	}
	after, err := s.schemas(ctx)
	if err != nil {
		return err
	}
	s.p.figure("schema of the old version, and of the new", "%s; %s", before, after)
	s.p.figure("new processes that waited for the schema", "%d", waiting)
	if before != after && waiting == 0 {
		s.p.violated("no process of the new version said that it waits for its schema")
	}
	for _, r := range s.all {
		if err := r.awaitReady(ctx); err != nil {
			return err
		}
	}
	for _, b := range s.balancers {
		for _, r := range added {
			if strings.HasPrefix(r.name, b.name+"-api ") {
				b.add(ctx, r)
			}
		}
	}
	s.p.stage("both versions serve, import, poll and ingest")
	wait.For(ctx, 8*time.Second)
	for i, b := range s.balancers {
		for _, r := range b.replicas {
			if !r.in.Load() {
				s.p.violated("%s of %s does not serve while the other version runs", r.name, halves[i].name)
			}
		}
	}
	s.p.stage("the old version leaves")
	for _, r := range former {
		r.stop()
	}
	wait.For(ctx, 4*time.Second)
	for _, r := range added {
		if ok, said := r.ready(ctx); !ok {
			s.p.violated("%s, alone: %s", r.name, said)
		}
	}
	return ctx.Err()
}

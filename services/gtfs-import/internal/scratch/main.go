package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

func main() {
	prof := flag.String("cpuprofile", "", "")
	force := flag.Bool("force", false, "")
	full := flag.Bool("full", false, "")
	flag.Parse()
	ctx := context.Background()
	db, err := pg.Open(ctx, os.Getenv("DATABASE_URL"), pg.Options{})
	if err != nil {
		panic(err)
	}
	if *prof != "" {
		f, _ := os.Create(*prof)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	t := time.Now()
	rep, err := gtfsimport.Import(ctx, run.Deps{DB: db, Log: slog.Default()}, gtfsimport.Request{Alias: flag.Arg(0), Source: flag.Arg(1), Force: *force})
	took := time.Since(t)
	if rep != nil {
		if !*full {
			rep.Lines = nil
		}
		b, _ := json.MarshalIndent(rep, "", " ")
		fmt.Println(string(b))
	}
	if err != nil {
		fmt.Println("ERR", err)
	}
	st, _ := os.ReadFile("/proc/self/status")
	for l := range strings.SplitSeq(string(st), "\n") {
		if strings.HasPrefix(l, "VmHWM") {
			fmt.Println(l, took)
		}
	}
}

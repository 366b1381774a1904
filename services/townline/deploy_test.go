package townline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/conf"
	councilingest "github.com/townline/townline/services/council-ingest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	transitapi "github.com/townline/townline/services/transit-api"
)

// The services can read the configuration files that deploy/ mounts.
func TestConfigurationOfDeployments(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"../../deploy/*.yaml", "../../deploy/kubernetes/overlays/*/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	env := conf.Environ{"METRO_KEY": "k", "LLM_URL": "https://llm.example/v1", "LLM_MODEL": "m", "LLM_KEY": "k"}
	read := 0
	for _, file := range files {
		var err error
		switch strings.TrimSuffix(filepath.Base(file), ".yaml") {
		case "council":
			_, err = councilingest.ReadSettings(file, env)
		case "transit":
			err = transitapi.CheckConfig(file, env)
		default:
			continue
		}
		if read++; err != nil {
			t.Error(err)
		}
	}
	if want := 2 + 6; read != want {
		t.Errorf("%d configuration files read, want %d", read, want)
	}
}

// The volume for temporary files is as large as gtfs-import requires: a pod that exceeds its limit
// is evicted.
func TestScratchVolumeIsLargeEnough(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../deploy/kubernetes/base/gtfs-import/deployment.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`name: scratch #[^\n]*\n\s+emptyDir:\n\s+sizeLimit: (\d+)Gi\n`).FindSubmatch(b)
	if found == nil {
		t.Fatal("gtfs-import has no scratch volume with a limit in Gi")
	}
	have, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil || have<<30 < gtfsimport.ScratchBytes {
		t.Errorf("the scratch volume has %d GiB, %v; imports may use %d GiB", have, err, int64(gtfsimport.ScratchBytes)>>30)
	}
}

package townline_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/conf"
	councilingest "github.com/townline/townline/services/council-ingest"
	transitapi "github.com/townline/townline/services/transit-api"
)

// Configuration files that deploy/ mounts are such as the services read.
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

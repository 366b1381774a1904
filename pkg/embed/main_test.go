package embed_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/townline/townline/pkg/embed/natsd"
	"github.com/townline/townline/pkg/embed/pgd"
)

// If one of these variables is set, the test binary runs a server in the folder that the variable
// names. Tests kill that process.
const (
	postgresOwner = "TOWNLINE_TEST_POSTGRES_OWNER"
	natsOwner     = "TOWNLINE_TEST_NATS_OWNER"
)

func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(postgresOwner) != "":
		err = ownPostgres(os.Getenv(postgresOwner))
	case os.Getenv(natsOwner) != "":
		err = ownNATS(os.Getenv(natsOwner))
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func ownPostgres(dir string) error {
	s, err := pgd.Start(context.Background(), quick(dir))
	if err != nil {
		return err
	}
	fmt.Println(s.URL())
	<-s.Exited()
	return nil
}

func ownNATS(dir string) error {
	s, err := natsd.Start(natsd.Options{StoreDir: dir})
	if err != nil {
		return err
	}
	fmt.Println(s.URL())
	select {}
}

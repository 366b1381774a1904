package pgtest_test

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/schema"
)

// During and after a migration, services of the previous release run until they are replaced. So a
// migration must not drop or rename a table or column, change a type, or make a column mandatory
// that those services do not write.
//
// A migration may remove what the previous release no longer uses. Then it names that release in a
// line
//
//	-- contract: v1.4.0 no longer reads transit.stop.old_name
func TestMigrationsOnlyExpand(t *testing.T) {
	t.Parallel()
	for _, part := range parts {
		entries, err := fs.ReadDir(schema.Files(), string(part))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			b, err := fs.ReadFile(schema.Files(), path.Join(string(part), e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			for _, breach := range contractions(string(b)) {
				t.Errorf("%s/%s breaks the previous release: %s", part, e.Name(), breach)
			}
		}
	}
}

var (
	contracting = regexp.MustCompile(
		`(?i)\bDROP\s+(TABLE|COLUMN|VIEW|FUNCTION|SCHEMA|SEQUENCE|TYPE|DEFAULT)\b|\bRENAME\b|\bALTER\s+(COLUMN\s+)?\w+\s+(SET\s+DATA\s+)?TYPE\b|\bSET\s+NOT\s+NULL\b|\bTRUNCATE\b`)
	mandatory = regexp.MustCompile(`(?is)\bADD\s+COLUMN\b[^,;]*\bNOT\s+NULL\b[^,;]*`)
	contract  = regexp.MustCompile(`(?m)^-- contract: v\d+\.\d+\.\d+ \S+`)
	comment   = regexp.MustCompile(`--[^\n]*`)
	function  = regexp.MustCompile(`(?s)CREATE FUNCTION [^;]*? AS \$\$.*?\$\$`)
)

// contractions returns the statements in the Up part of a migration that can break an older
// release.
func contractions(sql string) []string {
	up, _, _ := strings.Cut(sql, "-- +goose Down")
	if contract.MatchString(up) {
		return nil
	}
	up = comment.ReplaceAllString(up, "")
	up = function.ReplaceAllString(up, "") // it runs when it is called, not when the schema is migrated
	found := contracting.FindAllString(up, -1)
	for _, add := range mandatory.FindAllString(up, -1) {
		if !regexp.MustCompile(`(?i)\b(DEFAULT|GENERATED)\b`).MatchString(add) {
			found = append(found, strings.Join(strings.Fields(add), " "))
		}
	}
	return found
}

func TestContractionsAreFound(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"-- +goose Up\nALTER TABLE transit.stop DROP COLUMN name;":                                                        true,
		"-- +goose Up\nDROP TABLE transit.stop;":                                                                          true,
		"-- +goose Up\nALTER TABLE transit.stop RENAME COLUMN name TO title;":                                             true,
		"-- +goose Up\nALTER TABLE transit.stop ALTER COLUMN name TYPE bytea;":                                            true,
		"-- +goose Up\nALTER TABLE transit.stop ALTER name SET DATA TYPE bytea;":                                          true,
		"-- +goose Up\nALTER TABLE transit.stop ALTER COLUMN name SET NOT NULL;":                                          true,
		"-- +goose Up\nALTER TABLE transit.stop ADD COLUMN level integer NOT NULL;":                                       true,
		"-- +goose Up\n-- contract: v1.4.0 no longer reads transit.stop.name\nALTER TABLE transit.stop DROP COLUMN name;": false,
		"-- +goose Up\nALTER TABLE transit.stop ADD COLUMN level integer NOT NULL DEFAULT 0;":                             false,
		"-- +goose Up\n-- What to drop or rename: DROP TABLE\nCREATE TABLE transit.level (level_id text NOT NULL);":       false,
		"-- +goose Up\nCREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN DROP TABLE x; END $$;":               false,
		"-- +goose Up\nALTER TABLE transit.snapshot ALTER COLUMN data SET STORAGE EXTERNAL;":                              false,
		"-- +goose Up\nCREATE TABLE transit.level (a int);\n-- +goose Down\nDROP TABLE transit.level;":                    false,
		"-- +goose Up\nALTER TABLE transit.source ADD COLUMN a integer, ADD COLUMN b text NOT NULL DEFAULT '', ADD CHECK " +
			"(a > 0);": false,
	} {
		if got := len(contractions(sql)) > 0; got != want {
			t.Errorf("found %v, want %v:\n%s", got, want, sql)
		}
	}
}

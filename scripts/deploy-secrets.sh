#!/bin/sh
# Prints secrets with fresh random passwords, for deployments that have no store of secrets:
#
#   scripts/deploy-secrets.sh local | kubectl apply -n townline -f -     # overlays/local
#   scripts/deploy-secrets.sh cluster | kubectl apply -n townline -f -   # the other overlays, with CloudNativePG
#   scripts/deploy-secrets.sh compose > deploy/.env                      # deploy/compose.yaml
#
# Run it once: the database accepts only the passwords that it was created with.
set -eu
# Passwords begin with a letter: the configuration of NATS may read a password with a leading digit as a number.
password() { printf p; od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

case ${1:-} in
compose)
	for role in townline council_api council_ingest council_clerk transit_api gtfs_import rt_poller transit_operator nats; do
		echo "$(echo "$role" | tr a-z A-Z)_PASSWORD=$(password)"
	done
	exit ;;
local) primary=postgres:5432 replicas=postgres:5432 rest='?sslmode=disable' ;;
cluster)
	primary=townline-db-rw:5432 replicas=townline-db-reads:5432,$primary
	rest='?sslmode=verify-full&sslrootcert=/etc/townline/database/ca.crt' ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

secret() { # NAME TYPE, then keys and values on stdin
	printf 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\ntype: %s\nstringData:\n' "$1" "$2"
	sed 's/^/  /'
	echo ---
}
database() { # SECRET ROLE HOSTS
	p=$(password)
	printf 'username: %s\npassword: %s\nurl: postgresql://%s:%s@%s/townline%s\n' "$2" "$p" "$2" "$p" "$3" "$rest" |
		secret "$1-database" kubernetes.io/basic-auth
}
database migrate townline "$primary"
database council-api council_api "$replicas"
database council-ingest council_ingest "$primary"
database council-clerk council_clerk "$primary"
database transit-api transit_api "$replicas"
database gtfs-import gtfs_import "$primary"
database rt-poller rt_poller "$primary"
database transit-operator transit_operator "$primary"
p=$(password)
printf 'password: %s\nurl: nats://townline:%s@nats:4222\n' "$p" "$p" | secret nats-client Opaque

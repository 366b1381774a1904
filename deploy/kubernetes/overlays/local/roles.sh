#!/bin/sh
# Runs once, when the data folder is new. It creates a role for each program that writes and one for each API, as
# `townline migrate` expects. (POSTGRES_USER is the role that migrates.)
set -eu
for role in council_api council_ingest council_clerk transit_api gtfs_import rt_poller transit_operator; do
	eval "password=\$$(echo "$role" | tr a-z A-Z)_PASSWORD"
	psql --set ON_ERROR_STOP=1 --set role="$role" --set password="$password" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<-'SQL'
		CREATE ROLE :"role" LOGIN PASSWORD :'password';
	SQL
done

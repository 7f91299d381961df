#!/bin/sh
# Stands in for the official PostgreSQL image: the same variables, the same folder. Runs as the servers' own user.
set -eu
data=/var/lib/postgresql/data
user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}
if [ ! -s "$data/PG_VERSION" ]; then
  printf '%s\n' "$POSTGRES_PASSWORD" >/tmp/password
  initdb -D "$data" -U "$user" --pwfile=/tmp/password -A scram-sha-256 -E UTF8 --no-locale
  rm /tmp/password
  printf 'host all all all scram-sha-256\n' >>"$data/pg_hba.conf"
  [ "$database" = postgres ] || printf 'CREATE DATABASE "%s"\n' "$database" | postgres --single -D "$data" postgres >/dev/null
fi
exec postgres -D "$data" -c "listen_addresses=*" -c unix_socket_directories=/tmp "$@"

#!/bin/sh
# Runs once, when the database is created: the owner of the tables, who migrates, and the role of the storefront, who cannot change them
# (docs/operations.md). Neither is a superuser.
set -eu
psql --set=ON_ERROR_STOP=1 --no-psqlrc --quiet --username="${POSTGRES_USER:-postgres}" --dbname="${POSTGRES_DB:-postgres}" \
  --set=owner_password="$POSTGRES_OWNER_PASSWORD" --set=app_password="$POSTGRES_APP_PASSWORD" <<'SQL'
CREATE ROLE sluice_owner LOGIN PASSWORD :'owner_password' NOSUPERUSER NOCREATEDB NOCREATEROLE;
CREATE ROLE sluice_app LOGIN PASSWORD :'app_password' NOSUPERUSER NOCREATEDB NOCREATEROLE;
CREATE DATABASE sluice OWNER sluice_owner;
REVOKE ALL ON DATABASE sluice FROM PUBLIC;
GRANT CONNECT ON DATABASE sluice TO sluice_app;
SQL

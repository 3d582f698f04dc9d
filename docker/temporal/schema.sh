#!/bin/sh
# Makes Temporal's databases, brings their schema to the version of this image, and makes an empty one for Steersman's
# store, whose tables its workers make. Again is harmless.
# SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD are read by temporal-sql-tool itself.
set -eu

schema() {
  database=$1
  folder=$2
  temporal-sql-tool --db "$database" create
  # Leaves a database alone that has a schema already; the update then does what is left.
  temporal-sql-tool --db "$database" setup-schema --version 0.0
  temporal-sql-tool --db "$database" update-schema --schema-dir "${SCHEMA_DIR:-/etc/temporal/schema}/$folder"
}

schema temporal postgresql/v12/temporal/versioned
schema temporal_visibility postgresql/v12/visibility/versioned
temporal-sql-tool --db steersman create

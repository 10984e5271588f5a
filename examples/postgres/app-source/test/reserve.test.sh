#!/bin/sh
# Each check runs one statement and compares what it answers.
cd "$(dirname "$0")/.." || exit 2
psql -q -v ON_ERROR_STOP=1 -f db/schema.sql || exit 2
psql -q -v ON_ERROR_STOP=1 -c "INSERT INTO shop.items VALUES ('lamp', 3), ('desk', 1)" || exit 2
runs=0
wrong=0

check() {
  runs=$((runs + 1))
  got=$(psql -qAt -c "SELECT $1") || exit 2
  [ "$got" = "$2" ] && return
  wrong=$((wrong + 1))
  echo "$1: expected $2, got $got"
}

check "shop.available('lamp')" 3
check "shop.reserve('lamp', 2)" t
check "shop.available('lamp')" 1
check "shop.reserve('lamp', 2)" f
check "shop.reserve('lamp', 1)" t
check "shop.available('lamp')" 0
check "shop.reserve('desk', 1)" t
echo "$runs runs, $runs assertions, $wrong failures"
[ "$wrong" -eq 0 ]

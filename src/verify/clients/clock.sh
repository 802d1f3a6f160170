#!/usr/bin/env bash
# How dibs.sh counts time on a system without /proc/uptime, while the wall clock is set: bash clock.sh PATH_OF_DIBS_SH

# shellcheck disable=SC1090
. <(sed 's,/proc/uptime,/nowhere/uptime,' "$1")
# From here on it is a variable like any other.
unset EPOCHREALTIME

# At so many seconds of the wall clock.
look_at() {
    EPOCHREALTIME=$1
    _dibs_look_at_clock
}

judge() {
    if (($2)); then printf 'ok: %s\n' "$1"; else printf 'FAULT: %s\n' "$1"; fi
}

look_at 1700000000.000000
begin=$_dibs_clock
look_at 1700000002.000000
judge 'the clock goes on' "_dibs_clock - begin == 2000"

before=$_dibs_clock
look_at 1699996402.000000
judge 'the clock is set back, and the time that nobody saw counts' "_dibs_clock >= before + 1000"
before=$_dibs_clock
look_at 1699996403.000000
judge 'it goes on from there' "_dibs_clock - before == 1000"
look_at 1700000003.000000
judge 'the clock is set right' "_dibs_clock >= before + 3600000"

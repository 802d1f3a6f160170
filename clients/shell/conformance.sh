#!/usr/bin/env bash
# Lets `dibs conformance` drive dibs.sh: dibs conformance --url jdbc:.. --level 4 -- clients/shell/conformance.sh
# It calls the parts of dibs.sh, since a lock is to be held between two requests here, and not while a command runs.

# shellcheck source=clients/shell/dibs.sh
. "${BASH_SOURCE[0]%/*}/dibs.sh"

export PGHOST=$DIBS_HOST PGPORT=$DIBS_PORT PGDATABASE=$DIBS_DATABASE PGUSER=${DIBS_USER-} PGPASSWORD=${DIBS_PASSWORD-} PGSSLMODE=disable

# Sets text to a member of the request that is a text.
text_of() {
    local pattern="\"$1\":\"(([^\"\\\\]|\\\\[\"\\\\])*)\""
    [[ $request =~ $pattern ]] || return 1
    text=${BASH_REMATCH[1]//\\\"/\"}
    text=${text//\\\\/\\}
}

number_of() {
    local pattern="\"$1\":([0-9]+)"
    [[ $request =~ $pattern ]] || return 1
    number=${BASH_REMATCH[1]}
}

answer() {
    printf '%s\n' "$1"
}

fail() {
    local said=${_dibs_answer//[^a-zA-Z0-9 .:]/ }
    answer "{\"error\":\"$_dibs_state $said\"}"
}

acquire() {
    _dibs_held='' _dibs_loss=''
    text_of name && _dibs_name=$text
    number_of leaseMillis && _dibs_lease=$number
    number_of waitMillis
    _dibs_look_at_clock
    _dibs_acquire "$((_dibs_clock + number))"
    case $? in
        0) answer "{\"got\":true,\"fence\":$_dibs_fence}" ;;
        75) answer '{"got":false}' ;;
        *) fail ;;
    esac
}

valid() {
    if _dibs_is_held; then answer '{"valid":true}'; else answer '{"valid":false}'; fi
}

# One statement of a transaction. False if it failed, or had no row.
one() {
    _dibs_look_at_clock
    _dibs_send "$((_dibs_clock + 10000))" "$1" && [[ $_dibs_state == 00000 ]] && ((_dibs_rows > 0))
}

# Reads first and writes later: what only the guard makes safe.
add() {
    local table count added=false
    text_of table && table=$text
    number_of millis
    if _dibs_is_held && _dibs_send "$_dibs_end" 'BEGIN;'; then
        _dibs_statement guard_lock
        if one "$_dibs_sql;" && one "SELECT n FROM $table WHERE id = 1;"; then
            count=${_dibs_answer%$'\n'}
            _dibs_look_at_clock
            number=$((_dibs_clock + number))
            while _dibs_look_at_left "$number" && ((_dibs_left > 0)); do
                _dibs_sleep_until "$number"
            done
            if one "UPDATE $table SET n = $((count + 1)) WHERE id = 1;"; then
                _dibs_look_at_clock
                _dibs_send "$((_dibs_clock + 10000))" 'COMMIT;' && [[ $_dibs_state == 00000 ]] && added=true
            fi
        fi
        if [[ $added == false && -n $_dibs_psql ]]; then
            _dibs_look_at_clock
            _dibs_send "$((_dibs_clock + 10000))" 'ROLLBACK;'
        fi
    fi
    answer "{\"added\":$added}"
}

add_free() {
    local name table
    text_of name && name=$text
    text_of table && table=$text
    number_of millis
    if printf '%s\n' "SELECT n + 1 AS n FROM $table WHERE id = 1 \\gset" "SELECT pg_sleep($number / 1000.0);" \
        "UPDATE $table SET n = :n WHERE id = 1;" | dibs transaction "$name" >/dev/null; then
        answer '{"added":true}'
    else
        answer '{"added":false}'
    fi
}

release() {
    if _dibs_release; then answer '{"released":true}'; else answer '{"released":false}'; fi
}

_dibs_holder=conformance:$$ _dibs_lease=1000 _dibs_name=none
_dibs_begin
while IFS= read -r request; do
    printf '%s asked %s\n' "$_dibs_word" "$request" >&"$_dibs_events"
done <&0 &
reader=$!
while kill -0 "$reader" 2>/dev/null; do
    if ((${#_dibs_requests[@]} > 0)); then
        request=${_dibs_requests[0]}
        _dibs_requests=("${_dibs_requests[@]:1}")
        text_of 'do'
        case $text in
            acquire | valid | add | add_free | release) "$text" ;;
            *) answer '{"unsupported":true}' ;;
        esac
        continue
    fi
    if _dibs_is_held; then
        _dibs_renew
    elif [[ -n $_dibs_held ]]; then
        _dibs_lose 'it has expired'
    fi
    ((${#_dibs_ghosts[@]} == 0)) || _dibs_release_ghosts
    _dibs_look_at_clock
    until=$((_dibs_clock + 100))
    [[ -z $_dibs_held ]] || until=$((_dibs_renew_at < _dibs_end ? _dibs_renew_at : _dibs_end))
    ((${#_dibs_requests[@]} > 0)) || _dibs_sleep_until "$until"
done

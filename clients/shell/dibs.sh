#!/usr/bin/env bash
# Locks in the PostgreSQL database that you already have, for shell scripts: bash 4.3 or later, psql 11 or later, and nothing else.
# The table is shared with Dibs for Java and with any other program that keeps the protocol, docs/lab/protocol.md.
#
#     dibs.sh lock nightly-export --wait 10 -- ./export.sh --all
#
# or, where a function of a script is to run under the lock:
#
#     . dibs.sh
#     dibs lock nightly-export -- my_function
#
# psql finds the database by PGHOST, PGDATABASE, PGUSER, PGPASSFILE and so on, as it always does.

_dibs_usage() {
    cat <<'END'
usage: dibs.sh lock NAME [--lease 30] [--wait 0] [--grace 5] [--holder TEXT] -- COMMAND [ARGS..]
       dibs.sh transaction NAME [PSQL OPTIONS..] <FILE

Runs a command while holding a lock, and returns its exit code. The lock is renewed as long as the command runs.
  --lease    how long the lock stays held after a crash: 1s to 1d
  --wait     how long to wait for the lock
  --grace    the time between TERM and KILL when the lease is lost
  --holder   what others see as the holder; default: host and process
A length is seconds, or a number with ms, s, m, h or d. The command finds DIBS_NAME and DIBS_FENCE in its environment.

transaction runs its input by psql in one transaction, which has the lock up to its end, without a lease; and commits, unless a statement
has failed. It does not wait for the lock. Its exit code is 75, or psql's.

Exit codes: 2 a mistake, or the database cannot be asked; 75 somebody else has the lock; 76 the lease was lost and the command was
ended; 126 and 127 the command cannot be run; 128+n ended by signal n; any other is the command's own.
END
}

_dibs_say() {
    printf 'dibs: %s\n' "$1" >&2
}

# --- values -----------------------------------------------------------------------------------------------------------------------------

_dibs_wall=0 _dibs_set_back=0

# Sets _dibs_clock to milliseconds, which never go back. Linux counts the time that the machine is suspended in /proc/uptime. Elsewhere this
# is the wall clock, plus all that it was ever set back. What it says is up to _dibs_tick behind.
_dibs_look_at_clock() {
    local up
    if [[ -r /proc/uptime ]] && read -r up _ </proc/uptime; then
        _dibs_clock=$((10#${up/./} * 10)) _dibs_tick=10
        return
    fi
    if [[ -n ${EPOCHREALTIME-} ]]; then
        up=${EPOCHREALTIME/[.,]/}
        up=$((up / 1000)) _dibs_tick=1
    else
        printf -v up '%(%s)T' -1
        up=$((up * 1000)) _dibs_tick=1000
    fi
    # A clock that is set back also hides how long ago the last look was. That is less than a second.
    ((up >= _dibs_wall)) || _dibs_set_back=$((_dibs_set_back + _dibs_wall - up + 1000))
    _dibs_wall=$up
    _dibs_clock=$((up + _dibs_set_back))
}

# Sets _dibs_left to how many milliseconds there are at least until then.
_dibs_look_at_left() {
    _dibs_look_at_clock
    _dibs_left=$(($1 - _dibs_clock - _dibs_tick))
}

# Sets _dibs_random to 32 hexadecimal digits.
_dibs_draw() {
    _dibs_random=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    [[ $_dibs_random =~ ^[0-9a-f]{32}$ ]] || {
        _dibs_say 'no random bytes: see that /dev/urandom can be read, and that od and tr are there'
        exit 2
    }
}

# Sets _dibs_millis from a length as 30, 500ms, 10m.
_dibs_read_length() {
    local unit
    if [[ $2 =~ ^0*([0-9]{1,9})(ms|s|m|h|d|)$ ]]; then
        case ${BASH_REMATCH[2]} in
            ms) unit=1 ;;
            m) unit=60000 ;;
            h) unit=3600000 ;;
            d) unit=86400000 ;;
            *) unit=1000 ;;
        esac
        _dibs_millis=$((10#${BASH_REMATCH[1]} * unit))
        ((_dibs_millis >= $3 && _dibs_millis <= $4)) && return 0
    fi
    _dibs_say "$1 is '$2': write seconds, or a number with ms, s, m, h or d, from $(($3 / 1000)) to $(($4 / 1000)) seconds"
    return 2
}

_DIBS_UTF8=$'^([\x01-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf][\x80-\xbf]|'
_DIBS_UTF8+=$'\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf][\x80-\xbf]|[\xf1-\xf3][\x80-\xbf][\x80-\xbf][\x80-\xbf]|'
_DIBS_UTF8+=$'\xf4[\x80-\x8f][\x80-\xbf][\x80-\xbf])*$'

# Lengths are counted in UTF-16 units, as all programs that share the table do.
_dibs_check_text() {
    local LC_ALL=C characters pairs
    characters=${2//[$'\x80'-$'\xbf']/}
    pairs=${2//[!$'\xf0'-$'\xf7']/}
    if ! [[ $2 =~ $_DIBS_UTF8 ]]; then
        _dibs_say "the $1 is not in UTF-8"
        return 2
    fi
    ((${#characters} + ${#pairs} >= 1 && ${#characters} + ${#pairs} <= 200)) && return 0
    _dibs_say "the $1 must have 1 to 200 characters"
    return 2
}

# Sets _dibs_quoted to an argument of a command of psql's. Nothing of it is read as SQL, nor as a command.
_dibs_quote() {
    _dibs_quoted=${1//\\/\\\\}
    _dibs_quoted=${_dibs_quoted//\'/\\\'}
    _dibs_quoted=${_dibs_quoted//$'\n'/\\n}
    _dibs_quoted="'${_dibs_quoted//$'\r'/\\r}'"
}

# --- events -----------------------------------------------------------------------------------------------------------------------------

# All that this process waits for comes through one pipe, line by line: what psql answers, and that the command has ended. So no question
# to the database can keep us from seeing the deadline.

# Sets _dibs_fd to a pipe of our own, and _dibs_path to where others open it until `rm`.
_dibs_make_pipe() {
    if ! _dibs_folder=$(mktemp -d "${TMPDIR:-/tmp}/dibs.XXXXXXXX") || ! mkfifo -m 600 "$_dibs_folder/pipe"; then
        _dibs_say 'no pipe can be made: see that TMPDIR names a directory that may be written'
        exit 2
    fi
    _dibs_path=$_dibs_folder/pipe
    exec {_dibs_fd}<>"$_dibs_path"
}

# Sets _dibs_line to the next line, if one comes until then. Ours are told by a word that nobody else knows.
_dibs_next() {
    local seconds code
    while :; do
        _dibs_look_at_left "$1"
        ((_dibs_left > 0)) || _dibs_left=0
        ((_dibs_left <= 200)) || _dibs_left=200
        printf -v seconds '0.%03d' "$((_dibs_left < 1 ? 1 : _dibs_left))"
        IFS= read -r -t "$seconds" -u "$_dibs_events" _dibs_line
        code=$?
        _dibs_line=$_dibs_part$_dibs_line
        if ((code != 0)); then
            _dibs_part=$_dibs_line
            return 1
        fi
        _dibs_part=
        # A psql that was killed may have left half a line before ours.
        case $_dibs_line in
            *"$_dibs_word runs "*)
                _dibs_command=${_dibs_line##* }
                _dibs_relay
                ;;
            *"$_dibs_word ended "*) _dibs_ended=${_dibs_line##* } ;;
            *"$_dibs_word asked "*) _dibs_requests+=("${_dibs_line#*"$_dibs_word asked "}") ;;
            *) return 0 ;;
        esac
        return 1
    done
}

# Waits, and handles what comes in between.
_dibs_sleep_until() {
    _dibs_next "$1" || :
}

# --- psql -------------------------------------------------------------------------------------------------------------------------------

_dibs_connect() {
    local pipe
    _dibs_make_pipe
    pipe=$_dibs_fd
    # It reads the pipe to its end, which is there when nobody is left who writes: so it ends with us, even if we are killed.
    PGCLIENTENCODING=UTF8 PGAPPNAME=${PGAPPNAME:-dibs.sh} PGCONNECT_TIMEOUT=${PGCONNECT_TIMEOUT:-10} \
        psql -X -q -A -t -w -F $'\x1f' -v VERBOSITY=terse <"$_dibs_path" >&"$_dibs_events" 2>&1 {pipe}>&- {_dibs_events}>&- &
    _dibs_psql=$!
    _dibs_queries=$pipe
    # It must have opened the pipe before that loses its name.
    printf '%s\n' "\\echo $_dibs_word connected" >&"$_dibs_queries"
}

_dibs_disconnect() {
    [[ -n $_dibs_psql ]] || return 0
    exec {_dibs_queries}>&-
    kill -KILL "$_dibs_psql" 2>/dev/null
    wait "$_dibs_psql" 2>/dev/null
    rm -rf "$_dibs_folder"
    _dibs_psql='' _dibs_folder=''
}

# Sends SQL, and waits for the answer until then. _dibs_state becomes the SQLSTATE; or "unsent", if nothing can have been sent; or "lost", if
# nobody knows what it did. _dibs_rows becomes the number of rows, _dibs_answer their text, and after a failure what was said of it.
_dibs_send() {
    local limit=$1 sql=$2 mark=$_dibs_word.$((_dibs_sent += 1)) begun='' slice
    _dibs_state=unsent _dibs_rows=0 _dibs_answer=
    [[ -n $_dibs_psql ]] || _dibs_connect
    _dibs_quote "$_dibs_holder"
    local holder=$_dibs_quoted
    _dibs_quote "$_dibs_name"
    printf '%s\n' "\\echo $mark begins" "\\set name $_dibs_quoted" "\\set holder $holder" "\\set owner '$_dibs_owner'" \
        "\\set lease $_dibs_lease" "$sql" "\\echo $mark ends :SQLSTATE :ROW_COUNT" >&"$_dibs_queries"
    while :; do
        _dibs_look_at_left "$limit"
        if ((_dibs_left <= 0)); then
            _dibs_answer=${_dibs_answer:-no answer in time}
            break
        fi
        slice=$((_dibs_clock + 100))
        if _dibs_next "$((limit < slice ? limit : slice))"; then
            case $_dibs_line in
                *"$_dibs_word connected")
                    rm -rf "$_dibs_folder"
                    _dibs_folder=
                    ;;
                *"$mark begins")
                    # psql reads nothing before it is connected.
                    begun=1 _dibs_state=lost _dibs_answer=
                    ;;
                "$mark ends "*)
                    read -r _ _ _dibs_state _dibs_rows <<<"$_dibs_line"
                    case $_dibs_state in
                        08* | 57* | 58* | XX*) _dibs_state=lost && break ;;
                    esac
                    return 0
                    ;;
                *) _dibs_answer+=$_dibs_line$'\n' ;;
            esac
        elif ! kill -0 "$_dibs_psql" 2>/dev/null; then
            wait "$_dibs_psql"
            [[ $? -ne 127 ]] || _dibs_answer='psql: there is no such command; install the client of PostgreSQL'
            [[ -n $begun ]] || _dibs_state=unsent
            break
        fi
    done
    _dibs_disconnect
    return 1
}

# A psql that has no question open ends by itself, in a way that the server does not complain of.
_dibs_hang_up() {
    local tries
    if [[ -n $_dibs_psql ]]; then
        exec {_dibs_queries}>&-
        for ((tries = 0; tries < 50; tries++)); do
            kill -0 "$_dibs_psql" 2>/dev/null || break
            _dibs_look_at_clock
            _dibs_sleep_until "$((_dibs_clock + _dibs_tick + 10))"
        done
    fi
    _dibs_disconnect
}

_dibs_ask() {
    _dibs_statement "$2"
    _dibs_send "$1" "$_dibs_sql;"
}

# After a failure: whether the database undid the statement and would take it again.
_dibs_is_undone() {
    case $_dibs_state in
        40001 | 40P01 | 55P03 | 23505) return 0 ;;
    esac
    return 1
}

# In one line what went wrong.
_dibs_complain() {
    local said=${_dibs_answer%$'\n'} advice=
    said=${said//[$'\n\t']/ }
    case $_dibs_state in
        42P01) advice='. The command "dibs init" makes the tables' ;;
        unsent) advice='. See that psql reaches the database, by PGHOST, PGDATABASE, PGUSER and so on' ;;
        lost) advice=". Whether it took effect is not known; what it may have left ends by time" ;;
    esac
    _dibs_say "$1 failed: ${said:0:500}$advice"
}

# --- the lock ---------------------------------------------------------------------------------------------------------------------------

# A table of a later protocol has a column protocol_N, N from 2 on.
_dibs_check_protocol() {
    local newest=0 line
    [[ -z $_dibs_checked ]] || return 0
    _dibs_send "$1" 'SELECT * FROM dibs_lock WHERE 1 = 0 \gdesc' || return 1
    [[ $_dibs_state == 00000 ]] || return 1
    while IFS= read -r line; do
        if [[ $line =~ ^protocol_([1-9][0-9]{0,8})$'\x1f' ]] && ((BASH_REMATCH[1] > newest)); then
            newest=${BASH_REMATCH[1]}
        fi
    done <<<"$_dibs_answer"
    if ((newest > _DIBS_PROTOCOL)); then
        _dibs_say "the table dibs_lock is of protocol $newest, and this dibs.sh speaks protocol $_DIBS_PROTOCOL. Take a newer dibs.sh; nothing was written"
        return 2
    fi
    _dibs_checked=1
}

# The row of our own in an answer, from the fence on. The token tells it: nobody else knows it.
_dibs_read_ours() {
    local row=$_dibs_answer before=$'\x1f'$_dibs_owner$'\x1f'
    [[ $row == *"$before"* ]] || return 1
    row=${row##*"$before$_dibs_holder"$'\x1f'}
    _dibs_fence=${row%%$'\x1f'*}
    [[ $_dibs_fence =~ ^[0-9]+$ ]]
}

# Sets _dibs_busy to the milliseconds for which the row that came back is held, or to 0. A name and a holder can be any text, so this reads
# from the end.
_dibs_read_busy() {
    local row=${_dibs_answer%$'\n'}
    _dibs_busy=0
    if [[ $row =~ $'\x1f'([0-9]+)$'\x1f'([0-9]+)$ ]]; then
        _dibs_busy=$((BASH_REMATCH[1] - BASH_REMATCH[2]))
        ((_dibs_busy > 0)) || _dibs_busy=0
    fi
}

_dibs_new_term() {
    local margin=$((_dibs_lease / 100))
    ((margin >= 20)) || margin=20
    _dibs_look_at_clock
    _dibs_term_from=$_dibs_clock
    _dibs_term_end=$((_dibs_clock + _dibs_lease - margin))
}

# The new term counts only from an answer on, and only if the one before has not expired.
_dibs_start_term() {
    _dibs_end=$_dibs_term_end
    _dibs_renew_at=$((_dibs_term_from + _dibs_lease / 3))
}

_dibs_is_held() {
    [[ -n $_dibs_held ]] || return 1
    _dibs_look_at_left "$_dibs_end"
    ((_dibs_left > 0))
}

# Sends one acquire, with a token that is never sent again. Returns 0: ours; 1: busy; 3: to be asked again; 4: failed, perhaps not for ever.
_dibs_try() {
    local code
    _dibs_look_at_clock
    _dibs_check_protocol "$((_dibs_clock + 10000))"
    code=$?
    ((code != 2)) || exit 2
    if ((code != 0)); then
        [[ $_dibs_state == unsent || $_dibs_state == lost ]] && return 4
        return 5
    fi
    _dibs_draw
    _dibs_owner=$_dibs_random
    _dibs_new_term
    _dibs_ask "$((_dibs_clock + _dibs_lease))" acquire_lock
    case $_dibs_state in
        00000) ;;
        unsent) return 4 ;;
        lost)
            _dibs_adopt && return 0
            return 4
            ;;
        *)
            _dibs_is_undone && return 3
            return 5
            ;;
    esac
    if _dibs_read_ours; then
        _dibs_look_at_left "$_dibs_term_end"
        if ((_dibs_left <= 0)); then
            _dibs_give_up_token
            return 3
        fi
        _dibs_held=1
        _dibs_start_term
        return 0
    fi
    ((_dibs_rows > 0)) || return 3
    _dibs_read_busy
    return 1
}

# After an acquire that was not answered. What is not found may still be on its way: its token is released for a lease length.
_dibs_adopt() {
    local tries said=$_dibs_answer
    for tries in 1 2 3 4 5; do
        _dibs_look_at_left "$_dibs_term_end"
        ((_dibs_left > 0)) || break
        if _dibs_ask "$_dibs_term_end" find_locks && [[ $_dibs_state == 00000 ]]; then
            _dibs_read_ours || break
            _dibs_look_at_left "$_dibs_term_end"
            ((_dibs_left > 0)) || break
            _dibs_held=1
            _dibs_start_term
            return 0
        fi
        _dibs_look_at_clock
        _dibs_sleep_until "$((_dibs_clock + 20 * tries))"
    done
    _dibs_give_up_token
    _dibs_state=lost _dibs_answer=$said
    return 1
}

_dibs_give_up_token() {
    _dibs_look_at_clock
    _dibs_ghosts+=("$_dibs_owner $((_dibs_clock + _dibs_lease)) $_dibs_name")
}

# Whatever it has made or taken is nobody's. One round; an error is left to the next.
_dibs_release_ghosts() {
    local left=() ghost owner=$_dibs_owner name=$_dibs_name until
    for ghost in ${_dibs_ghosts[@]+"${_dibs_ghosts[@]}"}; do
        _dibs_owner=${ghost%% *} ghost=${ghost#* }
        until=${ghost%% *}
        _dibs_name=${ghost#* }
        _dibs_look_at_clock
        _dibs_ask "$((_dibs_clock + 1000))" release_lock
        ((_dibs_clock >= until)) || left+=("$_dibs_owner $until $_dibs_name")
    done
    _dibs_ghosts=(${left[@]+"${left[@]}"})
    _dibs_owner=$owner _dibs_name=$name
}

# Acquires, or waits until then. Returns 0, or 75, or 2 and has said why, or 128+n after signal n.
_dibs_acquire() {
    local until=$1 pause=5 code looks='' failures=0 sleep
    _dibs_held=''
    while :; do
        code=0
        if [[ -n $looks ]]; then
            _dibs_look_at_clock
            _dibs_ask "$((_dibs_clock + 10000))" look_lock
            _dibs_read_busy
            [[ $_dibs_state == 00000 && $_dibs_busy -gt 0 ]] && code=1
        fi
        if ((code == 0)); then
            _dibs_try
            code=$?
            ((code != 0)) || return 0
            looks=1
        fi
        [[ -z $_dibs_signal ]] || return "$((128 + _dibs_signal))"
        # A token of ours that may still land would be in our own way.
        ((${#_dibs_ghosts[@]} == 0)) || {
            local state=$_dibs_state answer=$_dibs_answer
            _dibs_release_ghosts
            _dibs_state=$state _dibs_answer=$answer
        }
        _dibs_look_at_left "$until"
        case $code in
            1)
                ((_dibs_left > 0)) || return 75
                ;;
            3)
                ((_dibs_left > 0 || (failures += 1) < 3)) || {
                    _dibs_say "'$_dibs_name' was not acquired: the answer came too late, or others kept coming first; try again"
                    return 2
                }
                ;;
            *)
                if ((code == 5 || _dibs_left <= 0)); then
                    _dibs_complain acquire_lock
                    return 2
                fi
                ;;
        esac
        sleep=$((pause / 2 + RANDOM % (pause / 2 + 1)))
        ((code != 1 || _dibs_busy == 0 || sleep < _dibs_busy)) || sleep=$_dibs_busy
        ((_dibs_left <= 0 || sleep < _dibs_left)) || sleep=$_dibs_left
        _dibs_look_at_clock
        _dibs_sleep_until "$((_dibs_clock + sleep))"
        [[ -z $_dibs_signal ]] || return "$((128 + _dibs_signal))"
        pause=$((pause * 2 > 100 ? 100 : pause * 2))
    done
}

# Renews if it is time to. Asks again soon after a failure: only the deadline ends the lease. Returns 1 if it is lost, and has said why.
_dibs_renew() {
    local limit soon
    _dibs_look_at_clock
    ((_dibs_clock >= _dibs_renew_at)) || return 0
    _dibs_new_term
    # A connection that hangs is given up while there is time for another one, but not for being slow on a busy machine.
    limit=$((_dibs_clock + (_dibs_lease / 3 > 1000 ? _dibs_lease / 3 : 1000)))
    ((limit < _dibs_end)) || limit=$_dibs_end
    soon=$((_dibs_lease / 30 > 500 ? 500 : _dibs_lease / 30))
    if _dibs_ask "$limit" renew_locks && [[ $_dibs_state == 00000 ]]; then
        if ((_dibs_rows > 0)); then
            if _dibs_is_held; then
                _dibs_start_term
                return 0
            fi
        elif _dibs_ask "$limit" find_locks && [[ $_dibs_state == 00000 ]] && ((_dibs_rows == 0)); then
            _dibs_lose 'the database says that it is not ours any more; it was taken over or broken, or it has expired'
            return 1
        fi
    fi
    _dibs_look_at_clock
    _dibs_renew_at=$((_dibs_clock + soon))
    _dibs_is_held || {
        _dibs_lose 'it expired without a renewal that got through in time'
        return 1
    }
}

# A loss is final. The row may still name us: others need not wait for its end.
_dibs_lose() {
    _dibs_held=''
    _dibs_loss=$1
    _dibs_give_up_token
}

# Returns 0 if the database has said that it was ours up to now; 1 if it was not; 2 if that is not known.
_dibs_release() {
    local tries
    _dibs_is_held || return 1
    _dibs_held=''
    for tries in 1 2 3 4 5; do
        _dibs_look_at_clock
        if _dibs_ask "$((_dibs_clock + 2000))" release_lock && [[ $_dibs_state == 00000 ]]; then
            ((_dibs_rows == 0)) || return 0
            _dibs_look_at_clock
            if _dibs_ask "$((_dibs_clock + 2000))" find_locks && [[ $_dibs_state == 00000 ]] && ((_dibs_rows == 0)); then
                _dibs_loss='its release found that it was not ours any more; it was broken or taken over before'
                return 1
            fi
        elif ((tries > 1)); then
            break
        fi
        # Locked just now.
        _dibs_look_at_clock
        _dibs_sleep_until "$((_dibs_clock + 50 * tries))"
    done
    _dibs_give_up_token
    return 2
}

# --- the command ------------------------------------------------------------------------------------------------------------------------

# Whether it is a program, or a function or the like of a script that has sourced this file. Returns 126 or 127 if it is nothing that can be run.
_dibs_find() {
    _dibs_is_program=1
    if [[ -n $_DIBS_SOURCED && $1 != */* && $(type -t -- "$1") =~ ^(function|builtin)$ ]]; then
        _dibs_is_program=
    elif [[ $1 == */* && -e $1 ]]; then
        [[ -f $1 && -x $1 ]] && return 0
        _dibs_say "'$1' cannot be run: it is not a file that may be executed"
        return 126
    elif [[ $1 == */* ]] || ! type -P -- "$1" >/dev/null; then
        _dibs_say "'$1': there is no such command"
        return 127
    fi
}

# Starts it on our standard input, with no signal ignored that we do not ignore ourselves. Another process waits for it and tells us its end.
_dibs_start() {
    (
        trap : HUP INT TERM USR1 USR2
        (
            exec {_dibs_queries}>&-
            events=$_dibs_events
            exec {events}>&-
            trap - HUP INT QUIT TERM USR1 USR2
            export DIBS_NAME=$_dibs_name DIBS_FENCE=$_dibs_fence
            if [[ -n $_dibs_is_program ]]; then
                exec -- "$@"
            fi
            "$@"
        ) <&0 &
        exec {_dibs_queries}>&-
        child=$!
        printf '%s runs %s\n' "$_dibs_word" "$child" >&"$_dibs_events"
        # A signal ends a wait, but not the command.
        while kill -0 "$child" 2>/dev/null; do
            wait "$child" 2>/dev/null
        done
        wait "$child" 2>/dev/null
        printf '%s ended %s\n' "$_dibs_word" "$?" >&"$_dibs_events"
    ) <&0 &
}

_dibs_on_signal() {
    if [[ -n $_dibs_signal && -z $_dibs_started ]]; then
        # Asked twice to end, while the database does not answer.
        exit "$((128 + $2))"
    fi
    _dibs_signal=$2
    if [[ $1 == INT ]] && _dibs_is_foreground; then
        # Ctrl-C reaches the command by itself.
        return
    fi
    _dibs_pending=$1
    _dibs_relay
}

_dibs_relay() {
    [[ -n $_dibs_command && -n $_dibs_pending ]] || return 0
    kill -s "$_dibs_pending" "$_dibs_command" 2>/dev/null
    _dibs_pending=
}

_dibs_is_foreground() {
    local group terminal
    # A trap sees the IFS of the read that it interrupts.
    IFS=' ' read -r group terminal < <(ps -o pgid= -o tpgid= -p "$BASHPID" 2>/dev/null) && [[ $group == "$terminal" ]]
}

# Keeps in _dibs_members the command and all that descend from it, by process and when it was started. What has ended is dropped.
_dibs_look_at_family() {
    local -A parents starts
    local pid parent state start more=1
    while read -r pid parent state start; do
        [[ $state == Z* ]] || { parents[$pid]=$parent && starts[$pid]=$start; }
    done < <(ps -A -o pid= -o ppid= -o stat= -o lstart= 2>/dev/null)
    [[ -n $_dibs_known || -z ${starts[$_dibs_command]-} ]] || _dibs_members[$_dibs_command]=${starts[$_dibs_command]}
    _dibs_known=1
    for pid in "${!_dibs_members[@]}"; do
        [[ ${starts[$pid]-} == "${_dibs_members[$pid]}" ]] || unset "_dibs_members[$pid]"
    done
    while [[ -n $more ]]; do
        more=
        for pid in "${!parents[@]}"; do
            if [[ -n ${_dibs_members[${parents[$pid]}]-} && -z ${_dibs_members[$pid]-} ]]; then
                _dibs_members[$pid]=${starts[$pid]} more=1
            fi
        done
    done
}

# TERM to all of them, and KILL to those that are left after the grace.
_dibs_end_command() {
    local until signal patience=$_dibs_grace
    local -A _dibs_members
    local _dibs_known=
    for signal in TERM KILL; do
        _dibs_look_at_family
        ((${#_dibs_members[@]} == 0)) || kill -s "$signal" "${!_dibs_members[@]}" 2>/dev/null
        _dibs_look_at_clock
        until=$((_dibs_clock + patience))
        # A killed process is gone at once, unless the system is in the middle of something for it.
        patience=5000
        while ((${#_dibs_members[@]} > 0)); do
            _dibs_look_at_left "$until"
            ((_dibs_left > 0)) || break
            _dibs_sleep_until "$((_dibs_clock + 20))"
            _dibs_look_at_family
        done
    done
}

# --- the verb ---------------------------------------------------------------------------------------------------------------------------

_dibs_begin() {
    _dibs_queries='' _dibs_psql='' _dibs_folder='' _dibs_part='' _dibs_sent=0 _dibs_checked='' _dibs_owner='' _dibs_held='' _dibs_loss=''
    _dibs_command='' _dibs_started='' _dibs_ended='' _dibs_signal='' _dibs_pending='' _dibs_ghosts=() _dibs_requests=()
    _dibs_draw
    _dibs_word=$_dibs_random
    trap _dibs_hang_up EXIT
    _dibs_make_pipe
    _dibs_events=$_dibs_fd
    rm -rf "$_dibs_folder"
    _dibs_folder=
}

_dibs_lock() {
    local code signal
    _dibs_lease=30000 _dibs_grace=5000 _dibs_name='' _dibs_holder=${HOSTNAME:-shell}
    local wait=0
    _dibs_holder=${_dibs_holder:0:100}:$$
    if (($# == 0)) || [[ $1 == --* ]]; then
        _dibs_usage >&2
        return 2
    fi
    _dibs_name=$1
    shift
    while (($# > 0)) && [[ $1 != -- ]]; do
        (($# > 1)) || {
            _dibs_say "'$1' is an option without a value, or the command is missing: write -- before the command"
            return 2
        }
        case $1 in
            --lease)
                _dibs_read_length "$1" "$2" 1000 86400000 || return 2
                _dibs_lease=$_dibs_millis
                ;;
            --wait)
                _dibs_read_length "$1" "$2" 0 315360000000 || return 2
                wait=$_dibs_millis
                ;;
            --grace)
                _dibs_read_length "$1" "$2" 0 86400000 || return 2
                _dibs_grace=$_dibs_millis
                ;;
            --holder) _dibs_holder=$2 ;;
            *)
                _dibs_say "'$1' is no option: there are --lease, --wait, --grace and --holder, and -- before the command"
                return 2
                ;;
        esac
        shift 2
    done
    (($# > 1)) || {
        _dibs_say 'the command is missing: dibs.sh lock NAME -- COMMAND'
        return 2
    }
    shift
    _dibs_check_text name "$_dibs_name" || return 2
    _dibs_check_text holder "$_dibs_holder" || return 2
    _dibs_find "$1" || return
    _dibs_begin
    for signal in HUP INT TERM USR1 USR2; do
        # shellcheck disable=SC2064
        trap "_dibs_on_signal $signal $(kill -l "$signal")" "$signal"
    done
    _dibs_look_at_clock
    _dibs_acquire "$((_dibs_clock + wait))"
    code=$?
    if ((code != 0)); then
        [[ $code != 75 ]] || _dibs_say "'$_dibs_name' is held by somebody else"
        _dibs_release_held
        return "$code"
    fi
    _dibs_run "$@"
}

# A lock that came together with a signal, and what may have been left behind.
_dibs_release_held() {
    [[ -z $_dibs_held ]] || _dibs_release
    ((${#_dibs_ghosts[@]} == 0)) || _dibs_release_ghosts
}

_dibs_run() {
    local next code
    _dibs_started=1
    _dibs_start "$@"
    while [[ -z $_dibs_ended ]]; do
        _dibs_renew || break
        next=$((_dibs_renew_at < _dibs_end ? _dibs_renew_at : _dibs_end))
        _dibs_sleep_until "$next"
        _dibs_is_held || {
            [[ -n $_dibs_loss ]] || _dibs_lose 'it expired without a renewal that got through in time'
            break
        }
    done
    code=$_dibs_ended
    if [[ -n $_dibs_loss ]]; then
        _dibs_say "the lease on '$_dibs_name' (fencing token $_dibs_fence) is lost: $_dibs_loss; ending the command"
        while [[ -z $_dibs_command ]]; do
            _dibs_look_at_clock
            _dibs_sleep_until "$((_dibs_clock + 100))"
        done
        _dibs_end_command
        _dibs_release_ghosts
        return 76
    fi
    _dibs_release
    if (($? == 1)); then
        _dibs_say "the lease on '$_dibs_name' (fencing token $_dibs_fence) is lost: ${_dibs_loss:-it has expired}; the command had just ended"
        return 76
    fi
    return "$code"
}

# The row of a new name is added before the transaction. psql tells by descriptor 4 that the lock is busy.
_dibs_transaction() {
    local name=$1 busy code
    _dibs_check_text name "$name" || return 2
    shift
    _dibs_quote "$name"
    exec 3>&1
    busy=$({
        printf '%s\n' "\\set name $_dibs_quoted" "\\set owner ''"
        _dibs_statement make_locks
        printf '%s;\n' "$_dibs_sql" 'BEGIN ISOLATION LEVEL READ COMMITTED'
        _dibs_statement guard_free_lock
        printf '%s\n' 'SELECT count(*) = 0 AS dibs_busy, count(owner) > 0 AS dibs_expired FROM (' "$_dibs_sql) AS guarded \\gset" \
            '\if :dibs_busy' '\! echo busy >&4' '\q' '\endif' '\if :dibs_expired'
        _dibs_statement take_expired_lock
        printf '%s;\n%s\n' "$_dibs_sql" '\endif'
        cat
        printf '\n%s\n' 'COMMIT;'
    } | psql -X -q -w -v ON_ERROR_STOP=1 "$@" 4>&1 >&3)
    code=$?
    [[ -n $busy ]] || return "$code"
    _dibs_say "'$name' is held by somebody else"
    return 75
}

_dibs_main() {
    set +euf
    shopt -u nocasematch extglob
    IFS=$' \t\n'
    case ${1-} in
        lock)
            shift
            _dibs_lock "$@"
            ;;
        transaction)
            shift
            _dibs_transaction "$@"
            ;;
        --help | -h) _dibs_usage ;;
        *)
            _dibs_usage >&2
            return 2
            ;;
    esac
}

# For a script that sources this file. Each call is a process of its own, so that nothing of the script's is changed.
dibs() (
    _dibs_main "$@"
)

_DIBS_PROTOCOL=1
_DIBS_SOURCED=1
[[ ${BASH_SOURCE[0]} != "$0" ]] || _DIBS_SOURCED=

# Sets _dibs_sql to a statement. psql fills in :'name' as a literal.
# `mvn verify -Dtest=ClientStatementsTest -Ddibs.write=true` writes it anew.
_dibs_statement() {
    _dibs_sql=
    case $1 in
# begin of statements
        guard_free_lock)
            IFS= read -r -d '' _dibs_sql <<'END'
SELECT CASE current_setting('transaction_isolation') WHEN 'read committed' THEN 0 ELSE 1 END AS is_old, owner
  FROM dibs_lock
 WHERE name = :'name' AND held_until <= floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR UPDATE SKIP LOCKED
END
            ;;
        take_expired_lock)
            IFS= read -r -d '' _dibs_sql <<'END'
UPDATE dibs_lock
   SET owner = NULL, held_until = 0
 WHERE name = :'name'
END
            ;;
        make_locks)
            IFS= read -r -d '' _dibs_sql <<'END'
INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
SELECT pair.name, NULL, NULL, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, 0
  FROM unnest(ARRAY[:'name']::text[], ARRAY[:'owner']::text[]) AS pair(name, owner)
 WHERE NOT EXISTS (SELECT 1 FROM dibs_lock AS l WHERE l.name = pair.name)
 ORDER BY pair.name COLLATE "C"
    ON CONFLICT (name) DO NOTHING
END
            ;;
        acquire_lock)
            IFS= read -r -d '' _dibs_sql <<'END'
WITH seen AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = :'name'
), free AS MATERIALIZED (
    SELECT name, owner, holder, fence, acquired_at, held_until
      FROM dibs_lock
     WHERE name = :'name' AND held_until <= (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE dibs_lock AS l
       SET owner = :'owner',
           holder = :'holder',
           fence = greatest(l.fence + 1, floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint),
           acquired_at = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint,
           held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
      FROM free
     WHERE l.name = free.name
 RETURNING l.name, l.owner, l.holder, l.fence, l.acquired_at, l.held_until
), made AS (
    INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)
    SELECT :'name', :'owner', :'holder', floor(date_part('epoch', clock_timestamp()) * 1000000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
     WHERE NOT EXISTS (SELECT 1 FROM seen)
        ON CONFLICT (name) DO NOTHING
 RETURNING name, owner, holder, fence, acquired_at, held_until
)
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at FROM taken
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM made
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM free
UNION ALL SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint FROM seen
 WHERE NOT EXISTS (SELECT 1 FROM free)
END
            ;;
        look_lock)
            IFS= read -r -d '' _dibs_sql <<'END'
SELECT name, owner, holder, fence, acquired_at, held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM dibs_lock
 WHERE name = :'name'
END
            ;;
        renew_locks)
            IFS= read -r -d '' _dibs_sql <<'END'
WITH asked AS MATERIALIZED (
    SELECT ARRAY[:'name']::text[] AS names, ARRAY[:'owner']::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
), locked AS MATERIALIZED (
    SELECT l.ctid AS place, l.owner
      FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
     WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
       FOR NO KEY UPDATE OF l SKIP LOCKED
)
UPDATE dibs_lock AS l
   SET held_until = floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + :lease
 WHERE l.ctid = ANY (ARRAY(SELECT place FROM locked)) AND (l.owner IN (SELECT owner FROM locked)) IS TRUE
RETURNING l.owner
END
            ;;
        find_locks)
            IFS= read -r -d '' _dibs_sql <<'END'
WITH asked AS MATERIALIZED (
    SELECT ARRAY[:'name']::text[] AS names, ARRAY[:'owner']::text[] AS owners
), pair AS MATERIALIZED (
    SELECT p.name, p.owner FROM asked, unnest(asked.names, asked.owners) AS p(name, owner)
)
SELECT l.name, 0 AS slot, l.owner, l.holder, l.fence, l.acquired_at, l.held_until, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint AS read_at
  FROM pair JOIN dibs_lock AS l ON l.name = pair.name AND l.owner = pair.owner
 WHERE l.held_until > (SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)
END
            ;;
        release_lock)
            IFS= read -r -d '' _dibs_sql <<'END'
UPDATE dibs_lock AS l
   SET held_until = 0, owner = NULL
 WHERE ctid = ANY (ARRAY(
    SELECT ctid
      FROM dibs_lock
     WHERE name = :'name' AND owner = :'owner' AND set_config('synchronous_commit', 'off', true) IS NOT NULL
       FOR NO KEY UPDATE SKIP LOCKED))
   AND owner = :'owner'
RETURNING CASE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint)) THEN pg_notify('dibs', (hashtextextended(l.name, 'dibs_lock'::regclass::oid::bigint))::text) END AS woken
END
            ;;
        guard_lock)
            IFS= read -r -d '' _dibs_sql <<'END'
SELECT fence
  FROM dibs_lock
 WHERE name = :'name' AND owner = :'owner' AND held_until > floor(date_part('epoch', clock_timestamp()) * 1000)::bigint
   FOR KEY SHARE
END
            ;;
# end of statements
    esac
}

if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 403)); then
    _dibs_say 'bash 4.3 or later is needed'
    # shellcheck disable=SC2317
    return 2 2>/dev/null || exit 2
fi
if [[ -z $_DIBS_SOURCED ]]; then
    _dibs_main "$@"
fi

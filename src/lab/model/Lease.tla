-------------------------------- MODULE Lease --------------------------------
(* The lease protocol of Dibs: one lock, its row, and the sessions that want it.                                        *)
(* Every statement is sent, executed and answered in three separate steps, with anything between them. A lost statement *)
(* is one that is never executed, a lost answer one that is never read, and a pause is time passing while a session     *)
(* does nothing. So none of the three needs an action of its own. Fences count `Fine` per tick, as microseconds would.  *)
(* `Weak` switches single rules off. Each switch is refuted by TLC; docs/lab/model.md says by which promise.                *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    Sessions,     \* those that want the lock
    Attempts,     \* the number of owner tokens: one for each acquire statement that is sent
    End,          \* the last tick
    Length,       \* of a lease, in ticks
    Margin,       \* the holder subtracts it from its local deadline
    Retention,    \* how long a row must be free before it is purged
    Skew,         \* by how much the clocks of the database's nodes differ; 0 where there is one node
    Tolerance,    \* how much longer a row is held than its holder assumes
    Retakes,      \* whether a session retakes a lock that it has released, by the fence that it knows
    Faults,       \* what may happen besides crashes and pauses: a subset of AllFaults
    Weak          \* the rules that are switched off: a subset of AllWeak

AllFaults == {"break", "clock", "database", "failover", "suspend", "transaction"}
AllWeak == {"renew without owner", "release without owner", "guard without owner", "guard without lock",
            "deadline from the answer", "late answer revives", "token sent twice", "no retention", "fence + 1",
            "asynchronous acquire", "asynchronous renew", "no second look", "clock beyond margin",
            "release by the clock", "break keeps owner", "retake without fence", "retake after guard", "retake fence + 1",
            "transaction without lock", "transaction keeps owner"}

ASSUME Faults \subseteq AllFaults /\ Weak \subseteq AllWeak /\ Margin < Length /\ Retakes \in BOOLEAN

VARIABLES
    time,         \* true time; a session's own clock runs with it
    ahead,        \* by how much the database's slowest clock is ahead of true time
    row,          \* the lock row; no row and a row with fence 0 are the same thing
    disk,         \* the row that a restart or a failover of the database comes back with
    guards,       \* per session: the open transaction that has passed guard, or Nothing
    wire,         \* statements that are not yet executed, and answers that are not yet read
    me,           \* per session: what it knows
    used,         \* the tokens handed out so far
    \* History, read by no statement:
    granted,      \* the last grant
    committed,    \* the last guarded commit
    live,         \* per token: until when its own statements hold the lease, without the tolerance; 0 when it is over
    gone          \* tokens abandoned, released or broken

vars == <<time, ahead, row, disk, guards, wire, me, used, granted, committed, live, gone>>
database == <<row, disk, live, granted>>

Tokens == 1 .. Attempts
Nobody == 0                                        \* owner IS NULL
Nothing == [owner |-> Nobody, fence |-> 0]
NoRow == [owner |-> Nobody, fence |-> 0, acquired |-> 0, until |-> 0]
Idle == [state |-> "idle", owner |-> Nobody, fence |-> 0, sent |-> 0, deadline |-> 0, doubt |-> FALSE,
         guarded |-> FALSE, known |-> 0]
Fine == 10

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Is(weakness) == weakness \in Weak
Slowest == time + ahead                            \* what the clocks of the database's nodes say
Fastest == Slowest + Skew
Clocks == {Slowest, Fastest}                       \* a statement may run on any node, and reads that clock

Init ==
    /\ time = 1 /\ ahead = 0 /\ used = 0
    /\ row = NoRow /\ disk = NoRow /\ wire = {}
    /\ guards = [s \in Sessions |-> Nothing]
    /\ me = [s \in Sessions |-> Idle]
    /\ granted = Nothing /\ committed = Nothing
    /\ live = [t \in Tokens |-> 0] /\ gone = {}

------------------------------------------------------------------------------
(* The wire. A statement whose sender has stopped waiting may still be executed, but gets no answer.                    *)

Statement(op, owner) == [op |-> op, owner |-> owner, heard |-> TRUE, fence |-> 0]
Unheard(op, owner) == [Statement(op, owner) EXCEPT !.heard = FALSE]
Answer(m, op, fence) == IF m.heard THEN {[Statement(op, m.owner) EXCEPT !.fence = fence]} ELSE {}
HangUp(s) ==
    LET mine == {m \in wire : m.heard /\ m.owner = me[s].owner}
        sent == {m \in mine : m.op \in {"acquire", "retake", "renew", "release"}}
    IN  (wire \ mine) \cup {[m EXCEPT !.heard = FALSE] : m \in sent}

------------------------------------------------------------------------------
(* The database: each step is one statement in its own transaction. Only a release does not wait for the disk.          *)

Falls == Faults \cap {"database", "failover"} # {}
Durable(waits) == disk' = IF waits /\ Falls /\ "failover" \notin Faults THEN row' ELSE disk
Guarded == \E s \in Sessions : guards[s] # Nothing /\ ~Is("guard without lock")
\* A transaction that has the lock without a lease. Other statements wait for its row, or skip it.
Locks(s) == guards[s] # Nothing /\ guards[s].owner = Nobody
Locked == (\E s \in Sessions : Locks(s)) /\ ~Is("transaction without lock")
Free(now) == row.until <= now /\ ~Guarded          \* a locked row is busy; no statement waits for it
NextFence(now) == IF Is("fence + 1") THEN row.fence + 1 ELSE Max(row.fence + 1, now * Fine)
Held(now) == now + Length + Tolerance
Mine(m) == row.fence > 0 /\ row.owner = m.owner

Grant(m, now, fence) ==
    /\ row' = [owner |-> m.owner, fence |-> fence, acquired |-> now, until |-> Held(now)]
    /\ Durable(~Is("asynchronous acquire"))
    /\ granted' = [owner |-> m.owner, fence |-> fence]
    /\ live' = [t \in Tokens |-> IF t = m.owner THEN now + Length ELSE IF live[t] > Slowest THEN live[t] ELSE 0]
    /\ wire' = (wire \ {m}) \cup Answer(m, "granted", fence)

Refuse(m) == wire' = wire \ {m} /\ UNCHANGED database

\* First use, reuse and takeover are one rule. A busy answer is not sent: the session learns the same by a look.
Acquire == \E m \in wire, now \in Clocks :
    /\ m.op = "acquire"
    /\ IF Free(now) THEN Grant(m, now, NextFence(now)) ELSE Refuse(m)
    /\ UNCHANGED <<time, ahead, guards, me, used, committed, gone>>

\* A plain UPDATE of the row that its sender has released. It passes under guards, as on PostgreSQL.
Retake == \E m \in wire, now \in Clocks :
    /\ m.op = "retake" /\ ~Locked
    /\ IF row.owner = Nobody /\ row.until <= now /\ row.fence > 0 /\ (row.fence = m.fence \/ Is("retake without fence"))
       THEN Grant(m, now, IF Is("retake fence + 1") THEN row.fence + 1 ELSE NextFence(now))
       ELSE Refuse(m)
    /\ UNCHANGED <<time, ahead, guards, me, used, committed, gone>>

\* Passes under a guard of the same owner, as FOR KEY SHARE allows. Elsewhere it is skipped, which is a lost statement.
Renew == \E m \in wire, now \in Clocks :
    /\ m.op = "renew" /\ ~Locked
    /\ IF row.until > now /\ (Mine(m) \/ Is("renew without owner"))
       THEN /\ row' = [row EXCEPT !.until = Held(now)]
            /\ Durable(~Is("asynchronous renew"))
            /\ live' = [live EXCEPT ![m.owner] = now + Length]
            /\ wire' = (wire \ {m}) \cup Answer(m, "renewed", 0)
       ELSE /\ wire' = wire \ {m}
            /\ UNCHANGED <<row, disk, live>>
    /\ UNCHANGED <<time, ahead, guards, me, used, granted, committed, gone>>

Release == \E m \in wire, now \in Clocks :
    /\ m.op = "release" /\ ~Locked
    /\ wire' = (wire \ {m}) \cup (IF Mine(m) THEN Answer(m, "released", row.fence) ELSE {})
    /\ IF Mine(m) \/ (Is("release without owner") /\ row.fence > 0)
       THEN /\ row' = [row EXCEPT !.until = IF Is("release by the clock") THEN now ELSE 0,
                                  !.owner = IF Is("release by the clock") THEN @ ELSE Nobody]
            /\ Durable(FALSE)
            /\ live' = [live EXCEPT ![m.owner] = 0]
            /\ gone' = gone \cup {m.owner}
       ELSE UNCHANGED <<row, disk, live, gone>>
    /\ UNCHANGED <<time, ahead, guards, me, used, granted, committed>>

\* An operator ends a lease by force.
Break == \E now \in Clocks :
    /\ "break" \in Faults /\ ~Locked
    /\ row.owner # Nobody /\ row.until > now
    /\ row' = [row EXCEPT !.until = 0, !.owner = IF Is("break keeps owner") THEN @ ELSE Nobody]
    /\ Durable(TRUE)
    /\ live' = [live EXCEPT ![row.owner] = 0]
    /\ gone' = gone \cup {row.owner}
    /\ UNCHANGED <<time, ahead, guards, wire, me, used, granted, committed>>

Purge == \E now \in Clocks :
    /\ row.fence > 0 /\ Free(now)
    /\ Max(row.until, row.acquired) + (IF Is("no retention") THEN 0 ELSE Retention) <= now
    /\ row' = NoRow
    /\ Durable(TRUE)
    /\ UNCHANGED <<time, ahead, guards, wire, me, used, granted, committed, live, gone>>

------------------------------------------------------------------------------
(* A session. It acquires by a fresh token. It holds until its own deadline, unless a renewal is answered in time.      *)

Set(s, state) == me' = [me EXCEPT ![s] = state]
SessionOnly == UNCHANGED <<time, ahead, guards, committed>> /\ UNCHANGED database
Holds(s) == me[s].state = "holds"
Valid(s) == Holds(s) /\ time < me[s].deadline /\ (me[s].doubt => Is("no second look"))
Deadline(s) == (IF Is("deadline from the answer") THEN time ELSE me[s].sent) + Length - Margin

SendAcquire(s) ==
    /\ me[s].state = "idle" /\ used < Attempts
    /\ used' = used + 1
    /\ Set(s, [Idle EXCEPT !.state = "asks", !.owner = used + 1, !.sent = time])
    /\ wire' = wire \cup {Statement("acquire", used + 1)}
    /\ SessionOnly /\ UNCHANGED gone

\* Retakes a lock that it has released itself, once for each release. If that fails, it may still acquire.
SendRetake(s) ==
    /\ me[s].state = "idle" /\ me[s].known > 0 /\ used < Attempts
    /\ used' = used + 1
    /\ Set(s, [Idle EXCEPT !.state = "asks", !.owner = used + 1, !.sent = time])
    /\ wire' = wire \cup {[Statement("retake", used + 1) EXCEPT !.fence = me[s].known]}
    /\ SessionOnly /\ UNCHANGED gone

\* Forgets the token for ever, and releases it in the background.
Leave(s) ==
    /\ Set(s, Idle)
    /\ wire' = HangUp(s) \cup {Unheard("release", me[s].owner)}

\* If the grant is known only after its own deadline, it is released and not returned.
Adopt(s, fence) ==
    IF time < Deadline(s)
    THEN /\ Set(s, [me[s] EXCEPT !.state = "holds", !.fence = fence, !.deadline = Deadline(s), !.sent = 0])
         /\ wire' = HangUp(s)
    ELSE Leave(s)

HearGrant(s) ==
    /\ me[s].state = "asks"
    /\ \E m \in wire : m.op = "granted" /\ m.owner = me[s].owner /\ Adopt(s, m.fence)
    /\ SessionOnly /\ UNCHANGED <<used, gone>>

\* There is no answer, or a busy one. Reads the row by token: it is ours; or it is not yet ours, and the token is abandoned.
Resolve(s) ==
    /\ me[s].state = "asks"
    /\ IF row.owner = me[s].owner
       THEN Adopt(s, row.fence) /\ UNCHANGED gone
       ELSE IF Is("token sent twice")
       THEN /\ Set(s, [me[s] EXCEPT !.sent = time])
            /\ wire' = HangUp(s) \cup {Statement("acquire", me[s].owner)}
            /\ UNCHANGED gone
       ELSE Leave(s) /\ gone' = gone \cup {me[s].owner}
    /\ SessionOnly /\ UNCHANGED used

\* Repeated in the next tick at the earliest. From then on the session ignores the answer to the one before.
SendRenew(s) ==
    /\ Holds(s) /\ time < me[s].deadline /\ me[s].deadline < time + Length - Margin /\ me[s].sent < time
    /\ Set(s, [me[s] EXCEPT !.sent = time])
    /\ wire' = HangUp(s) \cup {Statement("renew", me[s].owner)}
    /\ SessionOnly /\ UNCHANGED <<used, gone>>

\* Extends only a lease that has not expired.
HearRenewed(s) ==
    /\ Holds(s)
    /\ \E m \in wire : m.op = "renewed" /\ m.owner = me[s].owner
    /\ LET alive == time < me[s].deadline \/ Is("late answer revives")
       IN  Set(s, [me[s] EXCEPT !.sent = 0, !.deadline = IF alive THEN Deadline(s) ELSE @])
    /\ wire' = HangUp(s)
    /\ SessionOnly /\ UNCHANGED <<used, gone>>

\* The session does not wait for the answer if the lease was guarded. Its guard may still be open, so a plain UPDATE must not retake it.
SendRelease(s) ==
    /\ Holds(s)
    /\ IF Retakes /\ (me[s].guarded => Is("retake after guard"))
       THEN /\ Set(s, [Idle EXCEPT !.state = "gives back", !.owner = me[s].owner])
            /\ wire' = HangUp(s) \cup {Statement("release", me[s].owner)}
       ELSE Leave(s)
    /\ SessionOnly /\ UNCHANGED <<used, gone>>

HearReleased(s) ==
    /\ me[s].state = "gives back"
    /\ \E m \in wire : m.op = "released" /\ m.owner = me[s].owner /\ Set(s, [Idle EXCEPT !.known = m.fence])
    /\ wire' = HangUp(s)
    /\ SessionOnly /\ UNCHANGED <<used, gone>>

Crash(s) ==
    /\ me[s].state # "idle"
    /\ Set(s, Idle) /\ wire' = HangUp(s)
    /\ SessionOnly /\ UNCHANGED <<used, gone>>

\* After its clock stood still, the holder reads the row again. It ignores the answers to earlier statements.
SecondLook(s) == \E now \in Clocks :
    /\ Holds(s) /\ me[s].doubt /\ row.owner = me[s].owner /\ row.until > now
    /\ Set(s, [me[s] EXCEPT !.doubt = FALSE, !.sent = 0, !.deadline = Min(@, time + (row.until - Tolerance - now) - Margin)])
    /\ wire' = HangUp(s)
    /\ SessionOnly /\ UNCHANGED <<used, gone>>

\* The first statement of a business transaction. The real statement checks the time as well, to agree with isValid.
\* No promise depends on that (the clock may stand still in a transaction). So here it looks at the owner alone.
Guard(s) ==
    /\ Holds(s) /\ guards[s] = Nothing /\ ~Locked
    /\ IF Is("guard without owner") THEN row.until > Slowest ELSE row.owner = me[s].owner
    /\ guards' = [guards EXCEPT ![s] = [owner |-> me[s].owner, fence |-> me[s].fence]]
    /\ Set(s, [me[s] EXCEPT !.guarded = Retakes])
    /\ UNCHANGED <<time, ahead, wire, used, committed, gone>> /\ UNCHANGED database

\* Possible after a crash of its session, too: the COMMIT may have been on its way.
EndGuard(s) ==
    /\ guards[s] # Nothing /\ ~Locks(s)
    /\ guards' = [guards EXCEPT ![s] = Nothing]
    /\ committed' \in {committed, guards[s]}
    /\ UNCHANGED <<time, ahead, wire, me, used, gone>> /\ UNCHANGED database

\* The first statement of a transaction without a lease: it locks the row, if its lease has expired and nobody has it locked.
Transaction(s) == \E now \in Clocks :
    /\ "transaction" \in Faults
    /\ guards[s] = Nothing /\ row.fence > 0
    /\ IF Is("transaction without lock") THEN row.until <= now ELSE Free(now)
    /\ guards' = [guards EXCEPT ![s] = [owner |-> Nobody, fence |-> row.fence]]
    /\ live' = [t \in Tokens |-> IF live[t] > Slowest THEN live[t] ELSE 0]
    /\ UNCHANGED <<time, ahead, row, disk, wire, me, used, granted, committed, gone>>

\* It is rolled back; or committed, with which it takes the lock from a holder whose lease has expired.
EndTransaction(s) ==
    /\ Locks(s)
    /\ guards' = [guards EXCEPT ![s] = Nothing]
    /\ \/ UNCHANGED <<row, disk, gone>>
       \/ /\ row' = IF Is("transaction keeps owner") THEN row ELSE [row EXCEPT !.owner = Nobody, !.until = 0]
          /\ gone' = gone \cup ({row.owner} \ {Nobody})
          /\ Durable(TRUE)
    /\ UNCHANGED <<time, ahead, wire, me, used, granted, committed, live>>

------------------------------------------------------------------------------
(* The world.                                                                                                           *)

Tick ==
    /\ time < End /\ time' = time + 1
    /\ UNCHANGED <<ahead, guards, wire, me, used, committed, gone>> /\ UNCHANGED database

\* The database's clock is set: forward by no more than the margin; back, in sum, by less than the retention.
SetClock ==
    /\ "clock" \in Faults
    /\ ahead' \in {0, IF Is("clock beyond margin") THEN Margin + 1 ELSE Margin} \ {ahead}
    /\ UNCHANGED <<time, guards, wire, me, used, committed, gone>> /\ UNCHANGED database

\* A tick in which one session's clock stands still. Seen from true time, all of its times move by one.
Suspend(s) ==
    /\ "suspend" \in Faults /\ me[s].state # "idle" /\ time < End /\ time' = time + 1
    /\ Set(s, [me[s] EXCEPT !.doubt = TRUE, !.deadline = @ + 1, !.sent = IF @ = 0 THEN 0 ELSE @ + 1])
    /\ UNCHANGED <<ahead, guards, wire, used, committed, gone>> /\ UNCHANGED database

\* At any time the disk, or a standby, gets what it did not have yet.
Flush ==
    /\ Falls /\ disk # row
    /\ disk' = row
    /\ UNCHANGED <<time, ahead, row, guards, wire, me, used, granted, committed, live, gone>>

\* A restart or failover, which takes a tick. Connections are cut, and transactions are rolled back.
Fail ==
    /\ Falls /\ time < End
    /\ time' = time + 1
    /\ row' = disk
    /\ guards' = [s \in Sessions |-> Nothing]
    /\ wire' = {}
    /\ UNCHANGED <<ahead, disk, me, used, granted, committed, live, gone>>

Next ==
    \/ Acquire \/ Retake \/ Renew \/ Release \/ Break \/ Purge
    \/ \E s \in Sessions :
        \/ SendAcquire(s) \/ SendRetake(s) \/ HearGrant(s) \/ Resolve(s)
        \/ SendRenew(s) \/ HearRenewed(s) \/ SecondLook(s)
        \/ SendRelease(s) \/ HearReleased(s) \/ Crash(s) \/ Guard(s) \/ EndGuard(s) \/ Suspend(s)
        \/ Transaction(s) \/ EndTransaction(s)
    \/ Tick \/ SetClock \/ Flush \/ Fail

Spec == Init /\ [][Next]_vars
Symmetry == Permutations(Sessions)

------------------------------------------------------------------------------
(* The promises, numbered as in the project's list of them.                                                             *)

\* 1. By no clock of the database is there ever more than one live lease.
OneHolder == \A t, u \in Tokens : live[t] > Slowest /\ live[u] > Slowest => t = u

\* 2. Every grant has a fence greater than all before it, also after a purge and after a failover.
FencesGrow == [][granted' # granted => granted'.fence > granted.fence]_vars

\* 3. A stale holder touches nothing: the row of a live lease is as that lease's own statements wrote it.
OnlyOwnersTouch == \A t \in Tokens : live[t] > Slowest => row.owner = t /\ row.until = live[t] + Tolerance

\* 4. The holder knows first: while it assumes that it holds, every node of the database agrees. A forced break is the exception.
HolderKnowsFirst ==
    \A s \in Sessions : Valid(s) => \/ row.owner = me[s].owner /\ row.until > Fastest
                                    \/ me[s].owner \in gone

\* 4. Loss is final: a lease that has passed its local deadline never becomes valid again.
LossIsFinal ==
    [][\A s \in Sessions :
        Holds(s) /\ time >= me[s].deadline /\ me'[s].owner = me[s].owner => time' >= me'[s].deadline]_vars

\* Guard: no other grant came between the guard's own grant and its commit ..
GuardExcludes == [][committed' # committed => committed'.owner = granted.owner]_vars

\* .. and so guarded writes are committed in the order of their fences.
GuardedInOrder == [][committed'.fence >= committed.fence]_vars

\* A transaction that has the lock without a lease: meanwhile there is no grant, no guard and no other such transaction.
TransactionExcludes ==
    [][\A s \in Sessions : Locks(s) =>
        /\ granted' = granted
        /\ \A t \in Sessions \ {s} : guards[t] = Nothing => guards'[t] = Nothing]_vars

\* 10. A token that was abandoned, released or broken stays so: it is not held, not renewed and passes no guard.
GoneForEver ==
    [][/\ \A t \in gone : row.owner = t /\ row'.owner = t => row'.until <= row.until
       /\ \A s \in Sessions : guards[s] = Nothing => guards'[s].owner \notin gone]_vars
=============================================================================

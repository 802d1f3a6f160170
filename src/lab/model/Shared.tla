-------------------------------- MODULE Shared --------------------------------
(* The read-write lock of Dibs: a gate, which is the writers', and a row for each reader behind it. Lease.tla has the      *)
(* rules of a single lease. Here are the steps by which readers and writers exclude each other. An insert or a delete of a *)
(* reader's row may be executed long after its sender has given up. `Weak` switches single rules off.                      *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    Readers, Writers,
    Attempts,     \* the number of owner tokens
    End,          \* the last tick
    Length,       \* of a lease, in ticks
    Weak          \* the rules that are switched off: a subset of AllWeak

AllWeak == {"no look", "an expired gate is open", "an expired reader is gone", "sweep under guard",
            "release under guard", "free under guard", "adopt", "no look for readers"}

ASSUME Weak \subseteq AllWeak

VARIABLES
    time,
    gate,         \* its owner, or Nobody, and until when
    rows,         \* per token: until when its reader's row holds; 0 if there is none
    wire,         \* statements not yet executed: inserts and deletes of readers' rows
    me,           \* per process: what it knows
    guards,       \* per process: the token of its open guarded transaction, or Nobody
    used          \* the tokens handed out so far

vars == <<time, gate, rows, wire, me, guards, used>>

Tokens == 1 .. Attempts
Nobody == 0
Processes == Readers \cup Writers
Idle == [state |-> "idle", owner |-> Nobody, deadline |-> 0]
Is(weakness) == weakness \in Weak

Init ==
    /\ time = 1 /\ used = 0 /\ wire = {}
    /\ gate = [owner |-> Nobody, until |-> 0]
    /\ rows = [t \in Tokens |-> 0]
    /\ me = [p \in Processes |-> Idle]
    /\ guards = [p \in Processes |-> Nobody]

Locked(token) == \E p \in Processes : guards[p] = token
GateLocked == gate.owner # Nobody /\ Locked(gate.owner)
Valid(p) == me[p].state = "in" /\ time < me[p].deadline
Set(p, state) == me' = [me EXCEPT ![p].state = state]
Start(p, state) ==
    /\ me[p].state = "idle" /\ used < Attempts
    /\ used' = used + 1
    /\ me' = [me EXCEPT ![p] = [state |-> state, owner |-> used + 1, deadline |-> time + Length]]

------------------------------------------------------------------------------
(* A reader: inserts its row, commits, looks at the gate. It deletes the row if the gate is closed.                      *)

Open == gate.owner = Nobody \/ (Is("an expired gate is open") /\ gate.until <= time)

SendInsert(r) ==
    /\ Start(r, "asks")
    /\ wire' = wire \cup {<<"insert", used + 1>>}
    /\ UNCHANGED <<time, gate, rows, guards>>

\* The statement itself asks for an open gate. That proves nothing: the gate may close before the row can be seen.
Insert(t) ==
    /\ <<"insert", t>> \in wire
    /\ wire' = wire \ {<<"insert", t>>}
    /\ rows' = [rows EXCEPT ![t] = time + Length]
    /\ me' = [p \in Processes |-> IF me[p].owner = t /\ me[p].state = "asks" THEN [me[p] EXCEPT !.state = "made"] ELSE me[p]]
    /\ UNCHANGED <<time, gate, guards, used>>

Look(r) ==
    /\ me[r].state = "made"
    /\ Set(r, IF Is("no look") \/ (Open /\ rows[me[r].owner] > 0) THEN "open" ELSE "closed")
    /\ UNCHANGED <<time, gate, rows, wire, guards, used>>

\* The answer counts only if it comes in time.
Enter(p) ==
    /\ me[p].state = "open" /\ time < me[p].deadline
    /\ Set(p, "in")
    /\ UNCHANGED <<time, gate, rows, wire, guards, used>>

\* Gives up. The row must be deleted, whether it is there already or comes later.
Leave(p) ==
    /\ me[p].state # "idle"
    /\ me' = [me EXCEPT ![p] = Idle]
    /\ wire' = IF p \in Readers THEN wire \cup {<<"delete", me[p].owner>>} ELSE wire
    /\ UNCHANGED <<time, gate, rows, guards, used>>

\* Sends the delete of its row, gets no answer, and looks whether the row is there all the same.
Adopt(r) ==
    /\ Is("adopt") /\ me[r].state = "closed" /\ rows[me[r].owner] > time /\ gate.owner = Nobody
    /\ wire' = wire \cup {<<"delete", me[r].owner>>}
    /\ Set(r, "open")
    /\ UNCHANGED <<time, gate, rows, guards, used>>

Delete(t) ==
    /\ <<"delete", t>> \in wire
    /\ wire' = wire \ {<<"delete", t>>}
    /\ rows' = IF Locked(t) THEN rows ELSE [rows EXCEPT ![t] = 0]
    /\ UNCHANGED <<time, gate, me, guards, used>>

Crash(p) ==
    /\ me[p].state # "idle"
    /\ me' = [me EXCEPT ![p] = Idle]
    /\ UNCHANGED <<time, gate, rows, wire, guards, used>>

RenewReader(r) ==
    /\ Valid(r) /\ rows[me[r].owner] > time
    /\ rows' = [rows EXCEPT ![me[r].owner] = time + Length]
    /\ me' = [me EXCEPT ![r].deadline = time + Length]
    /\ UNCHANGED <<time, gate, wire, guards, used>>

------------------------------------------------------------------------------
(* A writer: takes the gate, commits, and looks for readers until there are none.                                        *)

Take(w) ==
    /\ gate.until <= time /\ ~GateLocked
    /\ Start(w, "intends")
    /\ gate' = [owner |-> used + 1, until |-> time + Length]
    /\ UNCHANGED <<time, rows, wire, guards>>

\* Deletes a row that has expired and is not locked.
Sweep ==
    /\ gate.owner # Nobody
    /\ \E t \in Tokens :
        /\ rows[t] > 0 /\ rows[t] <= time /\ (~Locked(t) \/ Is("sweep under guard"))
        /\ rows' = [rows EXCEPT ![t] = 0]
    /\ UNCHANGED <<time, gate, wire, me, guards, used>>

LookForReaders(w) ==
    /\ me[w].state = "intends" /\ gate.owner = me[w].owner
    /\ \A t \in Tokens : \/ rows[t] = 0
                         \/ Is("no look for readers")
                         \/ Is("an expired reader is gone") /\ rows[t] <= time
    /\ Set(w, "open")
    /\ UNCHANGED <<time, gate, rows, wire, guards, used>>

RenewGate(w) ==
    /\ me[w].state \in {"intends", "open", "in"} /\ time < me[w].deadline
    /\ gate.owner = me[w].owner /\ gate.until > time
    /\ gate' = [gate EXCEPT !.until = time + Length]
    /\ me' = [me EXCEPT ![w].deadline = time + Length]
    /\ UNCHANGED <<time, rows, wire, guards, used>>

\* The gate has no writer any more that relies on it.
ReleaseGate ==
    /\ gate.owner # Nobody /\ ~\E w \in Writers : me[w].owner = gate.owner /\ time < me[w].deadline
    /\ ~GateLocked \/ Is("release under guard")
    /\ gate' = [owner |-> Nobody, until |-> IF gate.until < time THEN gate.until ELSE time]
    /\ UNCHANGED <<time, rows, wire, me, guards, used>>

\* By a reader that finds it expired.
FreeGate ==
    /\ gate.owner # Nobody /\ gate.until <= time
    /\ ~GateLocked \/ Is("free under guard")
    /\ gate' = [gate EXCEPT !.owner = Nobody]
    /\ UNCHANGED <<time, rows, wire, me, guards, used>>

------------------------------------------------------------------------------
(* The guard locks the row of its own process until its transaction ends, even if the process crashes.                   *)

Guard(p) ==
    /\ me[p].state = "in" /\ guards[p] = Nobody
    /\ IF p \in Readers THEN rows[me[p].owner] > time ELSE gate.owner = me[p].owner /\ gate.until > time
    /\ guards' = [guards EXCEPT ![p] = me[p].owner]
    /\ UNCHANGED <<time, gate, rows, wire, me, used>>

EndGuard(p) ==
    /\ guards[p] # Nobody
    /\ guards' = [guards EXCEPT ![p] = Nobody]
    /\ UNCHANGED <<time, gate, rows, wire, me, used>>

Tick ==
    /\ time < End /\ time' = time + 1
    /\ UNCHANGED <<gate, rows, wire, me, guards, used>>

Next ==
    \/ \E r \in Readers : SendInsert(r) \/ Look(r) \/ Adopt(r) \/ RenewReader(r)
    \/ \E w \in Writers : Take(w) \/ LookForReaders(w) \/ RenewGate(w)
    \/ \E t \in Tokens : Insert(t) \/ Delete(t)
    \/ \E p \in Processes : Enter(p) \/ Leave(p) \/ Crash(p) \/ Guard(p) \/ EndGuard(p)
    \/ Sweep \/ ReleaseGate \/ FreeGate \/ Tick

Spec == Init /\ [][Next]_vars
Symmetry == Permutations(Readers) \cup Permutations(Writers)

------------------------------------------------------------------------------

\* While a writer assumes that it writes, no other process assumes that it reads or writes.
ManyReadOrOneWrites == \A w \in Writers : \A p \in Processes \ {w} : Valid(w) => ~Valid(p)

\* Beside a guarded transaction of a writer nobody else reads, writes, or is guarded.
GuardedWriterIsAlone ==
    \A w \in Writers : \A p \in Processes \ {w} : guards[w] # Nobody => ~Valid(p) /\ guards[p] = Nobody

\* Beside a guarded transaction of a reader nobody else writes.
GuardedReaderMeetsNoWriter == \A r \in Readers, w \in Writers : guards[r] # Nobody => ~Valid(w) /\ guards[w] = Nobody
===============================================================================

<?php

/**
 * Locks, claims of rows and one-time tokens in the database that you already have.
 *
 * Two files, this one and statements.php, and no dependency but PDO with its driver for PostgreSQL, MariaDB, MySQL or SQLite. They share their
 * tables with Dibs for Java and with any other program that keeps the protocol, docs/lab/protocol.md.
 *
 *     require 'Dibs.php';
 *     $dibs = new Dibs\Dibs($pdo);
 *     $dibs->createSchema();
 *
 *     $dibs->inTransaction("item:$id", 5, function (PDO $pdo) use ($id) {
 *         ...                               // nobody else, in any process, has this lock up to the commit
 *     });
 *
 *     $lease = $dibs->acquire('nightly-export', 600);
 *     try {
 *         ...
 *         $pdo->beginTransaction();
 *         $lease->guard($pdo);              // throws LeaseLost if the ten minutes are over
 *         ...
 *         $pdo->commit();
 *     } catch (Throwable $error) {
 *         $pdo->inTransaction() && $pdo->rollBack();
 *         throw $error;
 *     } finally {
 *         $lease->release();
 *     }
 *
 * PHP has no background: nothing renews a lease or a claim but renew(). Lengths and waits are seconds.
 */

declare(strict_types=1);

namespace Dibs;

use Closure;
use InvalidArgumentException;
use LogicException;
use PDO;
use PDOException;
use PDOStatement;
use RuntimeException;
use Throwable;

/** The database could not be asked, or refused. getPrevious() has the error of PDO. */
class DibsException extends RuntimeException
{
}

/** The answer was lost, and nobody can tell what came of the statement. */
final class UnknownOutcome extends DibsException
{
}

/** Somebody else has the lock, and had it for as long as the caller would wait. */
final class NotAcquired extends DibsException
{
    public function __construct(public readonly string $name, public readonly ?string $holder)
    {
        parent::__construct("'$name' is held" . ($holder === null ? ', or a transaction has it' : " by $holder"));
    }
}

/** The lease is over: it expired, or was taken over or broken. Roll back what was done under it. */
final class LeaseLost extends DibsException
{
    public function __construct(public readonly string $name, public readonly int $fence, string $reason)
    {
        parent::__construct("the lease on '$name' (fencing token $fence) is lost: $reason");
    }
}

/** Rows of a claim are not ours any more, and perhaps somebody else's. */
final class ClaimLost extends DibsException
{
    /** @param list<int|string> $keys theirs */
    public function __construct(string $table, public readonly array $keys, string $reason)
    {
        parent::__construct("claimed rows of $table are lost (" . Check::shown($keys) . "): $reason");
    }
}

/** Coordination through one database. Have one for each PDO. */
final class Dibs
{
    private readonly Session $session;
    private readonly string $holder;

    /**
     * A PDO is used as it is, with any of its modes, and never while a transaction of yours is open. With a function that opens a PDO, a lost
     * connection is replaced, and what came of a statement without an answer is looked up on the new one.
     *
     * @param PDO|Closure(): PDO $connection
     * @param string|null $holder who this is, for people; decides nothing. By default host and process, as `host:4711`
     */
    public function __construct(PDO|Closure $connection, ?string $holder = null)
    {
        $this->session = new Session($connection);
        $this->holder = Check::text('holder', $holder ?? substr((string) gethostname(), 0, 100) . ':' . getmypid());
    }

    /** Makes the tables of locks and tokens that are not there. Many processes may call it at once. */
    public function createSchema(): void
    {
        foreach (['create_lock', 'create_token'] as $name) {
            // On PostgreSQL two that make a table at the same instant may both see that it is not there. One of them asks again.
            Failure::explain(fn () => $this->session->ask($name));
        }
    }

    /**
     * Runs the work in a transaction that has this lock up to its end. No lease and no renewal: the database frees the lock when the
     * transaction ends, also if the process dies.
     *
     * Begins a transaction, locks, calls `$work($pdo)` and commits, or rolls back if the work throws. The work must leave commit and rollback
     * to this call, and should be short. The name `item:42` is `dibs.lock("item", 42)` in Java.
     *
     * @template T
     * @param float $wait for how long to wait for the lock
     * @param callable(PDO): T $work
     * @return T what the work returns
     * @throws NotAcquired if the lock was busy for the whole wait; the work did not run
     * @throws UnknownOutcome if the commit was not answered
     * @throws LogicException if a transaction is open already, or on PostgreSQL if transactions are not READ COMMITTED
     */
    public function inTransaction(string $name, float $wait, callable $work): mixed
    {
        $busy = $this->lockTransaction($name, $wait);
        return $busy instanceof NotAcquired ? throw $busy : $this->session->finish($work);
    }

    /** The same, but returns false if the lock was busy, and true after the commit. What the work returns is not used. */
    public function tryInTransaction(string $name, float $wait, callable $work): bool
    {
        if ($this->lockTransaction($name, $wait) instanceof NotAcquired) {
            return false;
        }
        $this->session->finish($work);
        return true;
    }

    /**
     * The step before tryGuard(): waits until the lock is free, and adds the row of a new name. Call it before your transaction.
     *
     * @return bool false if the lock was busy for the whole wait. True promises nothing: somebody else may be faster
     */
    public function awaitFree(string $name, float $wait = 0.0): bool
    {
        $isFree = $this->lockTransaction($name, $wait) instanceof PDO;
        $isFree && $this->session->rollBack();
        return $isFree;
    }

    /**
     * Locks for a transaction that you, or a framework, have begun, up to its end and without a lease. Call awaitFree() before the
     * transaction, and this as its first statement, outside of any savepoint.
     *
     * @return bool false if the lock is busy, or the name is new: end this transaction, and begin with awaitFree() again
     * @throws LogicException if no transaction is open, or if it may see a time before it got the lock: roll back. On MariaDB and MySQL that
     *     is so in REPEATABLE READ, their default: SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED
     */
    public function tryGuard(string $name, PDO $pdo): bool
    {
        return Failure::explain(fn () => $this->guardFree(Check::text('name', $name), $pdo, 'tryGuard'));
    }

    /**
     * Acquires a lock for a time that is longer than the work. Nothing renews it but Lease::renew().
     *
     * @param float $lease how long the lease lasts: 0.1 seconds to a day
     * @param float $wait for how long to wait for the lock
     * @throws NotAcquired if somebody else held the lock for the whole wait
     * @throws DibsException if the database could not tell; after UnknownOutcome the lock may be busy for one lease
     */
    public function acquire(string $name, float $lease, float $wait = 0.0): Lease
    {
        $got = $this->lease($name, $lease, $wait);
        return $got instanceof NotAcquired ? throw $got : $got;
    }

    /** The same, but returns null if somebody else held the lock for the whole wait. */
    public function tryAcquire(string $name, float $lease, float $wait = 0.0): ?Lease
    {
        $got = $this->lease($name, $lease, $wait);
        return $got instanceof NotAcquired ? null : $got;
    }

    /**
     * Claims of rows of a table of yours. Looks at the table at once: what is wrong is an error here.
     *
     * `$where`, `$order` and `$completeSet` are SQL of yours and go into statements as they are: never build them from user input.
     *
     * @param string $table its name, plain or quoted, with its schema before it if need be; likewise the columns
     * @param float $lease how long a claim holds without renew(): 0.1 seconds to a day
     * @param string $key a unique column of whole numbers, texts or bytes
     * @param string $token a column of at least 32 characters, NULL in a row that nobody has claimed
     * @param string $until a bigint: until when a claim holds, in milliseconds by the database's clock
     * @param string|null $where which rows are to be done. A completed row must not match it any more
     * @param string|null $order in which order; by default that of the key
     * @param string|null $completeSet what completing sets
     * @param bool $completeDelete completing deletes the row. With neither it only loses its mark
     */
    public function claims(
        string $table,
        float $lease,
        string $key = 'id',
        string $token = 'claimed_by',
        string $until = 'claimed_until',
        ?string $where = null,
        ?string $order = null,
        ?string $completeSet = null,
        bool $completeDelete = false
    ): Claims {
        Check::that($completeSet === null || !$completeDelete, 'completeSet and completeDelete exclude each other');
        return new Claims($this->session, $table, [$key, $token, $until], $lease, $where, $order, $completeSet, $completeDelete);
    }

    /** One-time tokens for a purpose: a token of one is unknown to another. */
    public function tokens(string $purpose): Tokens
    {
        return new Tokens($this->session, $purpose);
    }

    private function lease(string $name, float $lease, float $wait): Lease|NotAcquired
    {
        Check::millis('lease', $lease, 0.1, 86_400);
        $isFirst = true;
        return $this->got($name, new Patience($wait, min(Patience::LONGEST, $lease / 3)), function () use ($name, $lease, &$isFirst) {
            $row = $isFirst ? null : $this->look($name);
            $isFirst = false;
            return $row !== null && self::isAhead($row) ? $row : $this->send($name, $lease);
        });
    }

    /** Begins a transaction that has the lock. After NotAcquired none is open. */
    private function lockTransaction(string $name, float $wait): PDO|NotAcquired
    {
        return $this->got($name, new Patience($wait, Patience::LONGEST), function () use ($name): PDO|array {
            $row = $this->look($name) ?? $this->add($name);
            if (self::isAhead($row)) {
                return $row;
            }
            $locked = false;
            $pdo = $this->session->begin();
            try {
                $locked = $this->guardFree($name, $pdo, 'inTransaction');
            } finally {
                $locked || $this->session->rollBack();
            }
            return $locked ? $pdo : $row;
        });
    }

    /**
     * Tries until it gets something, or a row has been in the way for the whole wait.
     *
     * @template T of object
     * @param Closure(): (T|array<string, mixed>) $try returns what it got, or the row
     * @return T|NotAcquired
     */
    private function got(string $name, Patience $patience, Closure $try): object
    {
        Check::text('name', $name);
        while (true) {
            $row = null;
            try {
                $row = $try();
                if (is_object($row)) {
                    return $row;
                }
            } catch (Failure $failure) {
                $patience->requireAllows($failure);
            }
            if ($row !== null && $patience->isOver()) {
                return new NotAcquired($name, $row['owner'] !== null && self::isAhead($row) ? $row['holder'] : null);
            }
            $patience->pause($row);
        }
    }

    private function guardFree(string $name, PDO $pdo, string $what): bool
    {
        $row = Session::join($pdo, $what, 'guard_free_lock', ['name' => $name])->rows[0] ?? null;
        $isOld = $row !== null && ((int) $row['is_old'] !== 0 || $what === 'tryGuard' && self::mayBeOld($pdo));
        $isOld && throw new LogicException(
            "$what needs READ COMMITTED, on MariaDB and MySQL for the session: the transaction may see a time before it got the lock; roll back"
        );
        if ($row !== null && $row['owner'] !== null) {
            Session::join($pdo, $what, 'take_expired_lock', ['name' => $name]);
        }
        return $row !== null;
    }

    /** MySQL and MariaDB do not tell whether a statement has come first, and has fixed what all later ones see. */
    private static function mayBeOld(PDO $pdo): bool
    {
        $level = ['mysql' => 'transaction_isolation', 'mariadb' => 'tx_isolation'][Database::of($pdo)->dialect] ?? null;
        return $level !== null
            && Session::join($pdo, 'tryGuard', Statement::plain("SELECT @@$level AS level"), [])->rows[0]['level'] === 'REPEATABLE-READ';
    }

    /** @return array<string, mixed>|null the row of the lock, read without a lock */
    private function look(string $name): ?array
    {
        return $this->session->ask('look_lock', ['name' => $name])->rows[0] ?? null;
    }

    /** @return array<string, mixed> a row that is free */
    private function add(string $name): array
    {
        $this->session->ask('make_locks', Session::pairs($name, ''));
        return ['owner' => null, 'holder' => null, 'held_until' => 0, 'read_at' => 0];
    }

    /** @param array<string, mixed> $row whether it is held, or held back by its last holder */
    private static function isAhead(array $row): bool
    {
        return (int) $row['held_until'] > (int) $row['read_at'];
    }

    /**
     * Sends one acquire, with a token that is never sent again.
     *
     * @return Lease|array<string, mixed> the lease, or the row that is in the way
     */
    private function send(string $name, float $length): Lease|array
    {
        $owner = bin2hex(random_bytes(16));
        $term = new Term($length);
        $values = ['name' => $name, 'owner' => $owner, 'holder' => $this->holder, 'lease' => $term->millis];
        try {
            $rows = $this->session->run('acquire_lock', $values)->rows;
        } catch (Failure $failure) {
            $rows = $this->session->lookUp($failure, 'find_locks', Session::pairs($name, $owner));
            if ($rows === [] || $term->remaining() <= 0) {
                // It may still be on its way. What cannot be released now ends by time.
                $this->session->releaseNow($name, $owner);
                throw $failure;
            }
        }
        foreach ($rows as $row) {
            if ($row['owner'] === $owner) {
                if ($term->remaining() <= 0) {
                    $this->session->releaseNow($name, $owner);
                    throw new Failure(Outcome::Retry, 'the grant came after its own end');
                }
                return new Lease($this->session, $name, $owner, (int) $row['fence'], $length, $term);
            }
        }
        return $rows[0] ?? throw new Failure(Outcome::Retry, 'two were first at the same instant');
    }
}

/**
 * A lock that is held for a time. Nothing renews it but renew(), and nothing releases it at the end of the script: without release() the lock
 * is free when the time is over.
 */
final class Lease
{
    private ?LeaseLost $lost = null;
    private bool $released = false;
    private readonly int $process;

    /** @internal */
    public function __construct(
        private readonly Session $session,
        public readonly string $name,
        private readonly string $owner,
        /** Grows with each acquisition of the name. */
        public readonly int $fence,
        private readonly float $length,
        private Term $term
    ) {
        $this->process = (int) getmypid();
    }

    /** Whether the lease is held. Asks no database, and is false in a forked child. */
    public function isValid(): bool
    {
        return $this->remaining() > 0;
    }

    /** For how many seconds nobody else can have the lock. They go on while the machine is suspended. */
    public function remaining(): float
    {
        if ($this->released || $this->process !== getmypid()) {
            return 0.0;
        }
        if ($this->lost === null && $this->term->remaining() <= 0) {
            $this->lost = $this->loss('its time is over; nothing renews it but renew()');
        }
        return $this->lost === null ? $this->term->remaining() : 0.0;
    }

    /** @throws LeaseLost if the lease is not held any more */
    public function check(): void
    {
        if ($this->remaining() > 0) {
            return;
        }
        $this->process === getmypid() || throw $this->loss('it belongs to the parent of this process');
        throw $this->lost ?? new LogicException("the lease on '$this->name' is released");
    }

    /**
     * Makes the lease last for its whole length from now on. Call it between the steps of the work, the first time after a third of the length.
     *
     * @return bool false if a guarded transaction has the row at this moment: the lease is as it was, try again soon
     * @throws LeaseLost if the lock is not ours any more
     * @throws DibsException if the database could not be asked: the lease is as it was, try again soon
     */
    public function renew(): bool
    {
        $this->check();
        $term = new Term($this->length);
        $pair = Session::pairs($this->name, $this->owner);
        $renewed = Failure::explain(fn () => $this->session->ask('renew_locks', ['lease' => $term->millis] + $pair));
        if ($renewed->rows === [] && Failure::explain(fn () => $this->session->ask('find_locks', $pair))->rows === []) {
            $this->lost = $this->loss('the database says that it is not ours any more; it was taken over or broken, or it has expired');
        }
        // An answer that comes too late changes nothing.
        $this->check();
        $this->term = $renewed->rows === [] ? $this->term : $term;
        return $renewed->rows !== [];
    }

    /**
     * Joins a transaction of yours: nobody gets the lock before it ends. Must be the first statement of the transaction.
     *
     * @param PDO $pdo the one of Dibs or another one, to the same database
     * @throws LeaseLost if the lock is not ours: roll back
     * @throws LogicException if no transaction is open
     */
    public function guard(PDO $pdo): void
    {
        $this->check();
        $parameters = ['name' => $this->name, 'owner' => $this->owner];
        $guarded = Failure::explain(fn () => Session::join($pdo, 'guard', 'guard_lock', $parameters))->rows !== [];
        $guarded || throw $this->loss('in this transaction it is not ours; roll back');
    }

    /**
     * Gives the lock back. The second time it does nothing.
     *
     * @return bool whether the database has said that it was ours up to now. If not, it was lost before, or a guarded transaction has the row,
     *     or a transaction is open on the PDO of Dibs: then it is free when its time is over
     */
    public function release(): bool
    {
        $isReleased = $this->remaining() > 0 && $this->session->releaseNow($this->name, $this->owner);
        $this->released = true;
        return $isReleased;
    }

    private function loss(string $reason): LeaseLost
    {
        return new LeaseLost($this->name, $this->fence, $reason);
    }
}

/** The keys of the rows that were still ours and are changed, and of those that were not ours any more and were left alone. */
final class Changed
{
    /**
     * @internal
     * @param list<int|string> $done
     * @param list<int|string> $lost
     */
    public function __construct(public readonly array $done, public readonly array $lost)
    {
    }
}

/** Claims of rows of one table. Made by Dibs::claims(). */
final class Claims
{
    private const LARGEST = 10_000;
    /** For how long a change is sent again. */
    private const LONGEST_CHANGE = 10.0;

    /** @var array<string, string> */
    private array $texts;
    private string $keyColumn;
    private string $kind;
    private bool $isChar;
    private readonly int $millis;

    /**
     * @internal
     * @param array{string, string, string} $columns
     */
    public function __construct(
        private readonly Session $session,
        public readonly string $table,
        array $columns,
        private readonly float $length,
        ?string $where,
        ?string $order,
        ?string $completeSet,
        private readonly bool $deletes
    ) {
        $this->millis = Check::millis('lease', $length, 0.1, 86_400);
        $quote = $session->database()->quote;
        [$named, $bareTable] = Check::name('table', $table, $quote, 3);
        $names = array_map(fn (string $column): array => Check::name('column', $column, $quote), $columns);
        $key = $names[0][0];
        $this->texts = [
            '{table}' => $named,
            '{key}' => $key,
            '{token}' => $names[1][0],
            '{until}' => $names[2][0],
            // No statement finds a row whose key is NULL.
            '{where}' => "t.$key IS NOT NULL" . ($where === null ? '' : ' AND (' . Check::sql('where', $where, $quote) . ')'),
            '{order}' => $order === null ? $key : Check::sql('order', $order, $quote),
            '{effect}, ' => $completeSet === null ? '' : Check::sql('completeSet', $completeSet, $quote) . ', ',
        ];
        $this->lookAtColumns($bareTable, array_column($names, 1));
    }

    /** @param list<string> $bare */
    private function lookAtColumns(string $table, array $bare): void
    {
        $database = $this->session->database();
        $columns = Failure::explain(function () use ($database, $table): array {
            $checked = $this->session->ask($this->filled('check_condition'));
            return $database->columns($this->session, $checked, $this->texts['{table}'], $table);
        });
        [$key, $token, $until] = array_map(fn (string $name): array => $this->column($columns, $name), $bare);
        $wanted = [
            [$key, 'number bigint text char binary', 'cannot be the key: it is no whole number, text or bytes (on SQLite from 3.41)'],
            [$token, 'text char', 'is not a text; a token needs 32 characters'],
            [$until, 'bigint', 'is not a bigint; it is to hold milliseconds since 1970'],
        ];
        foreach ($wanted as [$column, $kinds, $wrong]) {
            in_array($column['kind'], explode(' ', $kinds), true) || throw new DibsException("the column {$column['name']} of $this->table $wrong");
        }
        $this->keyColumn = $key['name'];
        $this->isChar = $key['kind'] === 'char';
        $this->kind = ['bigint' => 'number', 'char' => 'text'][$key['kind']] ?? $key['kind'];
        $this->texts['{type}'] = $key['type'];
        if ($this->kind === 'text' && $database instanceof MySql) {
            $asked = Statement::plain('SELECT @@character_set_results AS letters');
            $letters = Failure::explain(fn () => $this->session->ask($asked))->rows[0]['letters'];
            $letters === 'utf8mb4' || throw new DibsException(
                "keys of $this->table would come in the character set $letters, and become others: add charset=utf8mb4 to the DSN"
            );
        }
        foreach (Statement::all()['keys'][$database->dialect][$this->kind] as $name => $text) {
            $this->texts['{' . $name . '}'] = strtr($text, $this->texts);
        }
    }

    /**
     * As the database has it: a name that is not quoted may be folded to lower case.
     *
     * @param list<array{name: string, kind: string, type: string}> $columns
     * @return array{name: string, kind: string, type: string}
     */
    private function column(array $columns, string $bare): array
    {
        $exact = array_filter($columns, fn (array $column): bool => $column['name'] === $bare);
        $found = $exact ?: array_filter($columns, fn (array $column): bool => strtolower($column['name']) === strtolower($bare));
        return current($found) ?: throw new DibsException("$this->table has no column $bare; it has " . implode(', ', array_column($columns, 'name')));
    }

    private function filled(string $name): Statement
    {
        return Statement::of($this->session->database()->dialect, $name, $this->texts);
    }

    /**
     * Claims up to n free rows, in order; none if nothing is free.
     *
     * @throws DibsException if the database could not tell; after UnknownOutcome rows may be claimed for one lease
     */
    public function claim(int $n): Claim
    {
        Check::that($n >= 1 && $n <= self::LARGEST, "a claim of $n rows is out of bounds; it must be between 1 and " . self::LARGEST);
        $patience = new Patience(self::LONGEST_CHANGE);
        while (true) {
            try {
                return $this->send($n);
            } catch (Failure $failure) {
                $failure->outcome === Outcome::Duplicate ? throw $failure->explained() : $patience->requireAllows($failure);
            }
            $patience->pause(null);
        }
    }

    /** Sends one claim, with a token that is never sent again. */
    private function send(int $n): Claim
    {
        $token = bin2hex(random_bytes(16));
        $term = new Term($this->length);
        try {
            $rows = $this->session->run($this->filled('claim_rows'), ['token' => $token, 'n' => $n, 'lease' => $this->millis])->rows;
        } catch (Failure $failure) {
            $rows = $this->session->lookUp($failure, $this->filled('find_rows'), ['token' => $token]);
            if ($rows === [] || $term->remaining() <= 0) {
                $this->releaseNow($token);
                throw new Failure(Outcome::Unknown, $failure->getMessage() . " (the token of the claim is $token)", $failure->getPrevious());
            }
        }
        if ($term->remaining() <= 0) {
            $this->releaseNow($token);
            throw new Failure(Outcome::Retry, 'the rows came after the end of their claim');
        }
        $marked = array_values(array_filter($rows, fn (array $row): bool => array_filter($row, fn ($value) => $value !== null) !== []));
        if ($marked === [] && $rows !== []) {
            throw new DibsException(
                "the database left a free row of $this->table as it was, without an error: a trigger or a policy refuses the claim"
            );
        }
        $keys = array_column($marked, $this->keyColumn);
        if (count(array_filter($keys, fn (mixed $key): bool => is_int($key) || is_string($key))) < count($marked)) {
            $this->releaseNow($token);
            throw new DibsException("a key in the column $this->keyColumn of $this->table is no value of the column's type");
        }
        return new Claim($this, $token, $marked, $keys, $this->length, $term, count($rows) - count($marked));
    }

    /** What cannot be released now ends by time. */
    private function releaseNow(string $token): void
    {
        Session::quietly(fn () => $this->session->run($this->filled('release_token'), ['token' => $token]));
    }

    /**
     * What tells a key from others: a session may read the blanks at the end of a CHAR, or not.
     *
     * @internal
     */
    public function same(int|string $key): string
    {
        return $this->isChar ? rtrim((string) $key, ' ') : (string) $key;
    }

    /**
     * Sends a change once.
     *
     * @internal
     * @param array<int|string> $keys by same(), as all such arrays here
     * @return array<int|string> those that were ours
     */
    public function change(string $statement, string $token, array $keys, int $delay = 0, ?PDO $joined = null): array
    {
        if ($keys === []) {
            return [];
        }
        $filled = $this->filled($statement === 'complete_rows' && $this->deletes ? 'delete_rows' : $statement);
        $values = ['token' => $token, 'lease' => $this->millis, 'delay' => $delay, 'keys' => $this->json($keys)];
        $result = $joined === null ? $this->session->run($filled, $values) : Session::join($joined, 'completeIn', $filled, $values);
        return array_intersect_key($keys, array_flip(array_map(fn (array $row) => $this->same($row['dibs_key1']), $result->rows)));
    }

    /**
     * Sends a change until it is answered. What is not ours any more when it is sent again was changed by the statement that was not answered,
     * if our claim has not expired: nobody else can have taken it. Else nobody knows.
     *
     * @internal
     * @param array<int|string> $keys
     * @param Closure(): array<int|string> $held what is certainly ours now
     * @return array<int|string>
     */
    public function changeUntilAnswered(string $statement, string $token, array $keys, Closure $held, int $delay = 0): array
    {
        $patience = new Patience(self::LONGEST_CHANGE);
        $answered = [];
        // What was sent without an answer, and what of it was ours before that.
        $doubtful = [];
        $wasOurs = [];
        do {
            $ours = $held();
            try {
                $answered = $this->change($statement, $token, $keys, $delay);
                $why = null;
            } catch (Failure $why) {
                if ($why->outcome === Outcome::Unknown) {
                    $doubtful += $keys;
                    $wasOurs += array_intersect_key($keys, $ours);
                }
            }
            $again = $why !== null && $why->outcome !== Outcome::Duplicate && $this->session->mayRepeat($why) && !$patience->isOver();
            $again && $patience->pause(null);
        } while ($again);
        $why === null || $doubtful !== [] || throw $why->explained();
        $changed = $why === null ? array_diff_key(array_intersect_key($wasOurs, $held()), $answered) : [];
        $unknown = array_diff_key($doubtful, $answered, $changed);
        if ($why !== null || $statement === 'complete_rows' && $unknown !== []) {
            $shown = Check::shown($unknown);
            throw new UnknownOutcome("what came of the rows $shown of $this->table is not known: the answer was lost. Look in the table", 0, $why);
        }
        return $answered + $changed;
    }

    /** @param array<int|string> $keys */
    private function json(array $keys): string
    {
        return Check::json(array_values(array_map(fn ($key): array => ['dibs_key1' => match ($this->kind) {
            'binary' => $this->session->database()->beforeHex . bin2hex((string) $key),
            // A session may read numbers as texts.
            'number' => is_string($key) && (string) (int) $key === $key ? (int) $key : $key,
            default => $key,
        }], $keys)));
    }
}

/**
 * Rows that are claimed for a time. Nothing renews them but renew(), and nothing releases them at the end of the script: without release() they
 * are free when the time is over.
 */
final class Claim
{
    /** @var array<int|string> all keys, by what tells them apart */
    private readonly array $all;
    /** @var array<int|string> those that are still ours */
    private array $held;
    /** @var array<int|string> those that are not: they can still be completed while nobody has taken them */
    private array $lost = [];
    private string $reason = '';
    private readonly int $process;

    /**
     * @internal
     * @param list<array<string, mixed>> $rows
     * @param list<int|string> $keys
     */
    public function __construct(
        private readonly Claims $claims,
        public readonly string $token,
        /** All columns of each row, in order. */
        public readonly array $rows,
        public readonly array $keys,
        private readonly float $length,
        private Term $term,
        /** How many free rows were picked, and kept from being claimed by a trigger or a policy. They stand in the way of those behind. */
        public readonly int $refused
    ) {
        $this->all = $this->held = array_combine(array_map($claims->same(...), $keys), $keys);
        $this->process = (int) getmypid();
    }

    /** Whether no row was lost, and those that are left are certainly still ours. Asks no database, and is false in a forked child. */
    public function isValid(): bool
    {
        $this->held();
        return $this->process === getmypid() && $this->lost === [];
    }

    /** @throws ClaimLost if rows were lost */
    public function check(): void
    {
        $this->process === getmypid() || throw new ClaimLost($this->claims->table, $this->keys, 'they belong to the parent of this process');
        $this->isValid() || throw new ClaimLost($this->claims->table, array_values($this->lost), $this->reason);
    }

    /**
     * Makes the claim last for its whole length from now on, for the rows that are left. Call it between rows, the first time after a third
     * of the length.
     *
     * @return bool false if another transaction has one of the rows locked at this moment: the claim ends when it did, try again soon
     * @throws ClaimLost if rows were lost
     * @throws DibsException if the database could not be asked: the claim is as it was, try again soon
     */
    public function renew(): bool
    {
        $this->check();
        $term = new Term($this->length);
        [$renewed, $locked] = Failure::explain(function (): array {
            $renewed = $this->claims->change('renew_rows', $this->token, $this->held);
            return [$renewed, $this->claims->change('still_rows', $this->token, array_diff_key($this->held, $renewed))];
        });
        $this->lose(array_diff_key($this->held(), $renewed, $locked), 'the claim has expired, or was released by force');
        $this->check();
        $this->term = $locked === [] ? $term : $this->term;
        return $locked === [];
    }

    /**
     * Completes rows: all that are left, or these. The others were not ours any more and are as they were.
     *
     * @param list<int|string>|null $keys
     * @throws UnknownOutcome if the answer was lost and nobody can tell what came of it
     */
    public function complete(?array $keys = null): Changed
    {
        return $this->change('complete_rows', $keys);
    }

    /**
     * Completes rows in a transaction of yours: they are completed if and only if that commits. Roll back if some were lost. From here on
     * renew() and isValid() do not count them. After a rollback complete them again, before the end of the claim.
     *
     * @param list<int|string> $keys
     * @throws LogicException if no transaction is open
     */
    public function completeIn(PDO $pdo, array $keys): Changed
    {
        $chosen = $this->chosen($keys);
        $done = Failure::explain(fn () => $this->claims->change('complete_rows', $this->token, $chosen, 0, $pdo));
        return $this->changed($chosen, $done, $done);
    }

    /**
     * Gives rows back: all that are left, or these.
     *
     * @param list<int|string>|null $keys
     * @return Changed a row that is locked at this moment counts as lost, and is free when its time is over
     */
    public function release(?array $keys = null): Changed
    {
        return $this->change('release_rows', $keys);
    }

    /**
     * Gives rows back that nobody gets for so many seconds: all that are left, or these.
     *
     * @param list<int|string>|null $keys
     */
    public function postpone(float $seconds, ?array $keys = null): Changed
    {
        return $this->change('postpone_rows', $keys, Check::millis('seconds', $seconds, 0, 3650 * 86_400));
    }

    /** @param list<int|string>|null $keys */
    private function change(string $statement, ?array $keys, int $delay = 0): Changed
    {
        $chosen = $this->chosen($keys);
        if ($chosen === []) {
            return new Changed([], []);
        }
        try {
            $done = $this->claims->changeUntilAnswered($statement, $this->token, $chosen, $this->held(...), $delay);
        } catch (UnknownOutcome $unknown) {
            // Perhaps they are completed. Nothing may tell later that they were lost.
            $statement === 'complete_rows' && $this->changed($chosen, [], $chosen);
            throw $unknown;
        }
        foreach ($statement === 'complete_rows' ? [] : [2, 10, 50] as $millis) {
            // A row may be locked for a moment.
            $rest = array_diff_key($chosen, $done);
            if (Failure::explain(fn () => $this->claims->change('still_rows', $this->token, $rest)) === []) {
                break;
            }
            usleep($millis * 1000);
            $done += $this->claims->changeUntilAnswered($statement, $this->token, $rest, $this->held(...), $delay);
        }
        return $this->changed($chosen, $done, $chosen);
    }

    /**
     * @param array<int|string> $keys
     * @param array<int|string> $done
     * @param array<int|string> $gone what is no longer ours
     */
    private function changed(array $keys, array $done, array $gone): Changed
    {
        $this->held = array_diff_key($this->held, $gone);
        $this->lost = array_diff_key($this->lost, $gone);
        return new Changed(array_values(array_intersect_key($keys, $done)), array_values(array_diff_key($keys, $done)));
    }

    /**
     * @param list<int|string>|null $keys
     * @return array<int|string>
     */
    private function chosen(?array $keys): array
    {
        $this->process === getmypid() || $this->check();
        if ($keys === null) {
            return array_intersect_key($this->all, $this->held() + $this->lost);
        }
        $chosen = [];
        foreach ($keys as $key) {
            $same = $this->claims->same($key);
            $chosen[$same] = $this->all[$same] ?? throw new InvalidArgumentException("'$key' is not the key of a row of this claim");
        }
        return $chosen;
    }

    /** @return array<int|string> */
    private function held(): array
    {
        if ($this->term->remaining() <= 0) {
            $this->lose($this->held, 'its time is over; nothing renews it but renew()');
        }
        return $this->held;
    }

    /** @param array<int|string> $keys */
    private function lose(array $keys, string $reason): void
    {
        if ($keys !== []) {
            $this->held = array_diff_key($this->held, $keys);
            $this->lost += $keys;
            $this->reason = $reason;
        }
    }
}

/** What came of a token that was shown. It is yours to use once, if ok(); else the status says used, expired, revoked or unknown. */
final class Token
{
    /** @internal */
    public function __construct(
        public readonly string $status,
        public readonly ?string $subject = null,
        public readonly ?string $payload = null
    ) {
    }

    public function ok(): bool
    {
        return $this->status === 'ok';
    }
}

/** One-time tokens for a purpose: of all who show one, exactly one gets ok. Made by Dibs::tokens(). */
final class Tokens
{
    /** @internal */
    public function __construct(private readonly Session $session, public readonly string $purpose)
    {
        Check::text('purpose', $purpose, 100);
        Check::that(trim($purpose) === $purpose, "the purpose '$purpose' has a blank at an end");
    }

    /**
     * A new token for a subject, 43 characters. The database has its digest alone.
     *
     * @param float $ttl for how many seconds it can be used, up to ten years
     */
    public function issue(string $subject, float $ttl, ?string $payload = null): string
    {
        $token = rtrim(strtr(base64_encode(random_bytes(32)), '+/', '-_'), '=');
        $parameters = [
            'purpose' => $this->purpose,
            'digest' => hash('sha256', $token, true),
            'id' => bin2hex(random_bytes(16)),
            'subject' => Check::text('subject', $subject),
            'payload' => $payload === null || $payload === '' ? $payload : Check::text('payload', $payload, 4000),
            'ttl' => Check::millis('ttl', $ttl, 0.001, 3650 * 86_400),
        ];
        Failure::explain(fn () => $this->session->ask('issue_token', $parameters));
        return $token;
    }

    /**
     * Uses a token up. Of all who do so exactly one gets ok. What is no token, null too, is unknown.
     *
     * @throws DibsException if the database could not tell; after UnknownOutcome it may be used up
     */
    public function consume(?string $token): Token
    {
        if ($token === null || preg_match('/^[A-Za-z0-9_-]{43}$/D', $token) !== 1) {
            return new Token('unknown');
        }
        // The same owner each time: after a lost answer the token may be ours already.
        $owner = bin2hex(random_bytes(16));
        $digest = hash('sha256', $token, true);
        $parameters = ['purpose' => $this->purpose, 'digest' => $digest, 'owner' => $owner, 'attempt' => $owner];
        $row = Failure::explain(fn () => $this->session->ask('consume_token', $parameters))->rows[0] ?? null;
        return match (true) {
            $row === null => new Token('unknown'),
            $row['owner'] === $owner => new Token('ok', $row['subject'], $row['payload']),
            default => new Token($row['ended'] ?? 'expired', $row['subject']),
        };
    }
}

// --- what the classes above are made of; nothing below is for callers ---------------------------------------------------------------------

/** @internal Seconds, which never go back. */
final class Clock
{
    /** By how much the wall clock must gain before that counts: below the margin of every lease, above what reading costs. */
    private const NOTICED = 0.01;

    private static float $asleep = 0.0;
    private static ?float $lead = null;

    /**
     * The monotonic clock stands still while the machine is suspended. So whatever the wall clock gains on it counts as time that has passed.
     * What the wall clock loses, because somebody set it back, does not.
     */
    public static function now(): float
    {
        $monotonic = hrtime(true) / 1e9;
        $ahead = microtime(true) - $monotonic;
        $gained = $ahead - (self::$lead ??= $ahead);
        if ($gained > self::NOTICED) {
            self::$asleep += $gained;
        }
        if ($gained > self::NOTICED || $gained < 0) {
            self::$lead = $ahead;
        }
        return $monotonic + self::$asleep;
    }
}

/** @internal For how long to believe in a lease: counted from before the statement was sent, less a margin. */
final class Term
{
    private readonly float $end;
    public readonly int $millis;

    public function __construct(float $length)
    {
        $this->millis = (int) round($length * 1000);
        $this->end = Clock::now() + $length - max(0.02, $length / 100);
    }

    public function remaining(): float
    {
        return $this->end - Clock::now();
    }
}

/** @internal For how long to ask again, and the pauses. */
final class Patience
{
    /** How long a caller without a wait puts up with collisions. */
    public const LONGEST = 1.0;
    private const TRIES = 3;

    private readonly float $begin;
    private float $pause = 0.005;
    private int $failures = 0;

    public function __construct(private readonly float $wait, private readonly float $collisions = 0.0)
    {
        Check::millis('wait', $wait, 0, 3650 * 86_400);
        $this->begin = Clock::now();
    }

    public function isOver(): bool
    {
        return Clock::now() - $this->begin >= $this->wait;
    }

    /** After a failure: throws what the caller gets, unless the statement was undone and there is time to send another one. */
    public function requireAllows(Failure $failure): void
    {
        $this->failures++;
        $isOver = Clock::now() - $this->begin >= max($this->wait, $this->collisions) || $this->wait <= 0 && $this->failures >= self::TRIES;
        $isUndone = $failure->outcome === Outcome::Retry || $failure->outcome === Outcome::Duplicate;
        $isUndone && !$isOver || throw $failure->explained();
    }

    /** @param array<string, mixed>|null $busy the row that is in the way */
    public function pause(?array $busy): void
    {
        $seconds = $this->pause * random_int(500, 1000) / 1000;
        if ($busy !== null) {
            $left = ((int) $busy['held_until'] - (int) $busy['read_at']) / 1000;
            $seconds = min($seconds, $left > 0 ? max(0.001, $left) : $seconds, max(0.001, $this->begin + $this->wait - Clock::now()));
        }
        usleep((int) ($seconds * 1e6));
        $this->pause = min(0.1, $this->pause * 2);
    }
}

/** @internal What is known of a statement that failed. */
enum Outcome
{
    /** It was undone, and may be sent again. */
    case Retry;
    /** It was undone, too. In an acquire two were first; of a claim it would fail again. */
    case Duplicate;
    case Unknown;
    case Refused;
    case NotSent;
}

/** @internal A statement failed. */
final class Failure extends RuntimeException
{
    public function __construct(public readonly Outcome $outcome, string $message, ?Throwable $previous = null)
    {
        parent::__construct($message, 0, $previous);
    }

    public function explained(): DibsException
    {
        return $this->outcome === Outcome::Unknown
            ? new UnknownOutcome($this->getMessage(), 0, $this->getPrevious())
            : new DibsException($this->getMessage(), 0, $this->getPrevious());
    }

    /**
     * @template T
     * @param Closure(): T $work
     * @return T
     */
    public static function explain(Closure $work): mixed
    {
        try {
            return $work();
        } catch (Failure $failure) {
            throw $failure->explained();
        }
    }
}

/** @internal A statement in steps. A step has the pieces of its text between the parameters, and their names. */
final class Statement
{
    /** @var array<string, array<string, array<string, mixed>>>|null */
    private static ?array $all = null;

    /** @param list<array{when: string, binds: list<string>, pieces: list<string>}> $steps */
    public function __construct(public readonly bool $together, public readonly array $steps)
    {
    }

    /** @param array<string, string> $texts all are filled in at once, so that nothing in a text of the caller's is taken for a place */
    public static function of(string $dialect, string $name, array $texts = []): self
    {
        $found = self::all()['statements'][$dialect][$name];
        $pieces = fn (string $sql): array => array_map(fn (string $piece): string => strtr($piece, $texts), explode('?', $sql));
        return new self($found['together'], array_map(fn (array $step): array => $step + ['pieces' => $pieces($step['sql'])], $found['steps']));
    }

    public static function plain(string $sql, string ...$binds): self
    {
        return new self(false, [['when' => 'always', 'binds' => array_values($binds), 'pieces' => explode('?', $sql)]]);
    }

    /** @return array<string, array<string, array<string, mixed>>> */
    public static function all(): array
    {
        return self::$all ??= require __DIR__ . '/statements.php';
    }
}

/** @internal The rows of all steps, how many rows were changed, and what PDO gave for the last step. */
final class Result
{
    /** @var list<array<string, mixed>> */
    public array $rows = [];
    public int $count = 0;
    public ?PDOStatement $last = null;

    /** Adds all results of a step. */
    public function add(PDOStatement|false $sent, bool $hasMany): void
    {
        $sent === false && throw new LogicException('PDO refused a statement, and did not say why');
        do {
            if ($sent->columnCount() > 0) {
                foreach ($sent->fetchAll(PDO::FETCH_ASSOC) as $row) {
                    // Of bytes PDO may give a stream.
                    $this->rows[] = array_map(fn (mixed $value): mixed => is_resource($value) ? stream_get_contents($value) : $value, $row);
                }
            } else {
                $this->count += max(0, $sent->rowCount());
            }
        } while ($hasMany && $sent->nextRowset());
        $this->last = $sent;
    }
}

/** @internal How the databases differ. */
abstract class Database
{
    /** Modes that a statement of ours needs, and what they must be. */
    public const MODES = [
        PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
        PDO::ATTR_CASE => PDO::CASE_NATURAL,
        PDO::ATTR_ORACLE_NULLS => PDO::NULL_NATURAL,
    ];
    /** Sent before and after a work. The second is refused with this code if the transaction has ended, also if another one was begun. */
    public const MARK = ['SAVEPOINT dibs_work', 'RELEASE SAVEPOINT dibs_work', 1];

    /**
     * @param string $quote what a name is quoted by
     * @param string $beforeHex what stands before the hexadecimal digits of a binary key
     */
    public function __construct(public readonly string $dialect, public readonly string $quote, public readonly string $beforeHex = '')
    {
    }

    public static function of(PDO $pdo): self
    {
        $driver = $pdo->getAttribute(PDO::ATTR_DRIVER_NAME);
        $isMariaDb = $driver === 'mysql' && str_contains((string) $pdo->getAttribute(PDO::ATTR_SERVER_VERSION), 'MariaDB');
        return match ($driver) {
            'pgsql' => new Postgres('postgresql', '"', '\\x'),
            'mysql' => new MySql($isMariaDb ? 'mariadb' : 'mysql', '`'),
            'sqlite' => new Sqlite('sqlite', '"'),
            default => throw new LogicException("the PDO driver $driver is not known here: pgsql, mysql or sqlite"),
        };
    }

    /**
     * Sends one step.
     *
     * @param list<string> $pieces
     * @param array<string, mixed> $values by their names
     * @param list<string> $binds
     */
    public function send(PDO $pdo, array $pieces, array $values, array $binds, Result $result): void
    {
        // One message on PostgreSQL, without a statement that the server keeps: poolers and new columns do no harm.
        $options = $this->dialect === 'sqlite' ? [] : [PDO::ATTR_EMULATE_PREPARES => false, PDO::PGSQL_ATTR_DISABLE_PREPARES => true];
        $statement = $pdo->prepare(implode('?', $pieces), $options);
        foreach ($binds as $at => $name) {
            $value = $values[$name];
            $statement->bindValue($at + 1, $value, match (true) {
                $name === 'digest' => PDO::PARAM_LOB,
                $value === null => PDO::PARAM_NULL,
                default => is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR,
            });
        }
        $statement->execute();
        $result->add($statement, false);
    }

    /**
     * Sends steps that are one transaction.
     *
     * @param array<string, mixed> $values
     */
    public function sendTogether(PDO $pdo, Statement $statement, array $values, Result $result): void
    {
        $pdo->exec('BEGIN IMMEDIATE');
        foreach ($statement->steps as $step) {
            $this->send($pdo, $step['pieces'], $values, $step['binds'], $result);
        }
        $pdo->exec('COMMIT');
    }

    /** Lets it send statements. Those that join a transaction of the caller's wait for as long as the caller's. */
    public function around(PDO $pdo, Closure $work, bool $isJoined): mixed
    {
        return $work();
    }

    public function inTransaction(PDO $pdo): bool
    {
        return $pdo->inTransaction();
    }

    public function commit(PDO $pdo): void
    {
        $pdo->commit();
    }

    public function failure(PDOException $error, bool $isOurs): Failure
    {
        $info = $error->errorInfo ?? [];
        [$state, $code, $message] = [(string) ($info[0] ?? ''), (int) ($info[1] ?? 0), $error->getMessage()];
        $isMissing = in_array($state, ['42P01', '42S02'], true) || str_contains($message, 'no such table');
        $advice = $isMissing && $isOurs ? "; createSchema() or the command 'dibs init' makes the tables" : '';
        // Without a code, PDO itself has refused.
        $outcome = $info === [] ? Outcome::Refused : $this->outcome($state, $code);
        return new Failure($outcome, preg_replace('/\s+/', ' ', $message) . $advice, $error);
    }

    abstract protected function outcome(string $state, int $code): Outcome;

    /**
     * The columns of a table: the kind is number, bigint, text, char or binary if it is one of them. The type is as a list of keys wants it.
     *
     * @return list<array{name: string, kind: string, type: string}>
     */
    abstract public function columns(Session $session, Result $checked, string $table, string $bare): array;
}

/** @internal */
final class Postgres extends Database
{
    private const KINDS = [20 => 'bigint', 21 => 'number', 23 => 'number', 25 => 'text', 1043 => 'text', 1042 => 'char', 17 => 'binary'];
    private const TYPES = ['text' => 'text', 'char' => 'bpchar', 'binary' => 'bytea'];
    /** What is set so ends with the transaction. */
    public const MARK = [
        "SET LOCAL dibs.work = 'this'",
        "SELECT 1 / (pg_catalog.current_setting('dibs.work', true) IS NOT DISTINCT FROM 'this')::int",
        '22012',
    ];

    public function around(PDO $pdo, Closure $work, bool $isJoined): mixed
    {
        // Of a connection that is lost, PDO says that a transaction is open.
        $isLost = str_contains((string) $pdo->getAttribute(PDO::ATTR_CONNECTION_STATUS), 'Bad');
        $isLost && throw new Failure(Outcome::NotSent, 'the connection is lost');
        $info = (string) $pdo->getAttribute(PDO::ATTR_SERVER_INFO);
        $isOther = preg_match('/Client Encoding: (?!UTF8|UNICODE)([^;]+)/', $info, $found) === 1;
        $isOther && throw new LogicException(
            "client_encoding is $found[1], in which two names may become one: add options='--client_encoding=UTF8' to the DSN"
        );
        return $work();
    }

    protected function outcome(string $state, int $code): Outcome
    {
        return match (true) {
            in_array($state, ['40001', '40P01', '55P03'], true) => Outcome::Retry,
            $state === '23505' => Outcome::Duplicate,
            default => preg_match('/^(08|57|58|XX|HY)/', $state) === 1 ? Outcome::Unknown : Outcome::Refused,
        };
    }

    public function columns(Session $session, Result $checked, string $table, string $bare): array
    {
        $columns = [];
        for ($at = 0; $at < $checked->last?->columnCount(); $at++) {
            $meta = (array) $checked->last->getColumnMeta($at);
            $kind = self::KINDS[$meta['pgsql:oid'] ?? 0] ?? '';
            $columns[] = ['name' => (string) $meta['name'], 'kind' => $kind, 'type' => self::TYPES[$kind] ?? 'bigint'];
        }
        return $columns;
    }
}

/** @internal MySQL and MariaDB. */
final class MySql extends Database
{
    public const MODES = parent::MODES + [PDO::ATTR_EMULATE_PREPARES => true, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => true];
    /** On MariaDB a statement after a deadlock begins another transaction. */
    public const MARK = [parent::MARK[0], parent::MARK[1], 1305];
    private const BEGIN = ['SET TRANSACTION ISOLATION LEVEL READ COMMITTED', 'START TRANSACTION'];
    private const GONE = [1053, 1077, 1078, 1079, 1152, 1153, 1158, 1159, 1160, 1161, 1317, 1927, 1969, 3024, 4031];

    private ?bool $takesMany = null;

    public function send(PDO $pdo, array $pieces, array $values, array $binds, Result $result): void
    {
        $result->add($pdo->query(self::text($pieces, $values, $binds)), true);
    }

    /** Values are literals of hexadecimal digits, so that neither sql_mode nor the character set of the connection changes them. */
    private static function text(array $pieces, array $values, array $binds): string
    {
        $text = $pieces[0];
        foreach ($binds as $at => $name) {
            $value = $values[$name];
            $text .= match (true) {
                $value === null => 'NULL',
                is_int($value) => (string) $value,
                default => ($name === 'digest' ? '' : '_utf8mb4 ') . "x'" . bin2hex((string) $value) . "'",
            } . $pieces[$at + 1];
        }
        return $text;
    }

    /** In one message, unless PDO::MYSQL_ATTR_MULTI_STATEMENTS is off: a claim is late by one round trip then. */
    public function sendTogether(PDO $pdo, Statement $statement, array $values, Result $result): void
    {
        $texts = array_map(fn (array $step): string => self::text($step['pieces'], $values, $step['binds']), $statement->steps);
        $all = [...self::BEGIN, ...$texts, 'COMMIT'];
        foreach ($this->takesMany($pdo) ? [implode(";\n", $all)] : $all as $text) {
            $result->add($pdo->query($text), true);
        }
    }

    private function takesMany(PDO $pdo): bool
    {
        try {
            return $this->takesMany ??= $pdo->query('DO 0; DO 0')->nextRowset();
        } catch (PDOException $error) {
            return $this->takesMany = ($error->errorInfo[1] ?? 0) === 1064 ? false : throw $error;
        }
    }

    protected function outcome(string $state, int $code): Outcome
    {
        return match (true) {
            in_array($code, [1205, 1213, 1020, 3572], true) => Outcome::Retry,
            $code === 1062 => Outcome::Duplicate,
            // Something of the caller's is still to be read.
            $code === 2014 => Outcome::Refused,
            default => $code < 1000 || $code >= 2000 && $code < 3000 || in_array($code, self::GONE, true) ? Outcome::Unknown : Outcome::Refused,
        };
    }

    public function columns(Session $session, Result $checked, string $table, string $bare): array
    {
        return array_map(fn (array $row): array => [
            'name' => $row['Field'],
            'kind' => match (true) {
                preg_match('/^(bigint|char)\b/i', $row['Type'], $found) === 1 => strtolower($found[1]),
                preg_match('/^(tiny|small|medium)?int\b/i', $row['Type']) === 1 => 'number',
                preg_match('/^(var)?binary\b/i', $row['Type']) === 1 => 'binary',
                default => preg_match('/^(varchar|(tiny|medium|long)?text)\b/i', $row['Type']) === 1 ? 'text' : '',
            },
            'type' => str_contains($row['Type'], 'unsigned') ? 'bigint unsigned' : 'bigint',
        ], $session->ask(Statement::plain("SHOW COLUMNS FROM $table"))->rows);
    }
}

/** @internal */
final class Sqlite extends Database
{
    /** For how long one statement waits for the transaction that is writing the file. It is sent again after that. */
    private const WAIT_MILLIS = 300;

    /** PDO does not notice what BEGIN and ROLLBACK do as statements. Within a transaction another BEGIN is refused. */
    public function inTransaction(PDO $pdo): bool
    {
        try {
            $pdo->exec('BEGIN');
        } catch (PDOException $error) {
            return str_contains($error->getMessage(), 'within a transaction') ? true : throw $error;
        }
        $pdo->exec('ROLLBACK');
        return false;
    }

    public function around(PDO $pdo, Closure $work, bool $isJoined): mixed
    {
        if ($isJoined) {
            return $work();
        }
        $millis = (int) $pdo->query('PRAGMA busy_timeout')->fetchColumn();
        $pdo->exec('PRAGMA busy_timeout = ' . min($millis, self::WAIT_MILLIS));
        try {
            return $work();
        } finally {
            $pdo->exec("PRAGMA busy_timeout = $millis");
        }
    }

    /** Without write-ahead logging it waits for those that read. */
    public function commit(PDO $pdo): void
    {
        $pdo->exec('PRAGMA busy_timeout = 10000');
        $pdo->commit();
    }

    protected function outcome(string $state, int $code): Outcome
    {
        return match ($code & 0xFF) {
            5, 6 => Outcome::Retry,
            19 => Outcome::Duplicate,
            1, 3, 8, 9, 13, 18, 20, 21, 23, 25, 26 => Outcome::Refused,
            default => Outcome::Unknown,
        };
    }

    /** By SQLite's rule, the declared type of a column decides. Keys of bytes need unhex, which came with 3.41. */
    public function columns(Session $session, Result $checked, string $table, string $bare): array
    {
        return array_map(fn (array $row): array => ['name' => $row['name'], 'type' => '', 'kind' => match (true) {
            preg_match('/INT/i', $row['type']) === 1 => 'bigint',
            preg_match('/CHAR|CLOB|TEXT/i', $row['type']) === 1 => 'text',
            preg_match('/BLOB/i', $row['type']) === 1 && version_compare($row['version'], '3.41', '>=') => 'binary',
            default => '',
        }], $session->ask(
            Statement::plain('SELECT name, type, sqlite_version() AS version FROM pragma_table_info(?)', 'name'),
            ['name' => $bare]
        )->rows);
    }
}

/** @internal A PDO, and how to send statements over it. */
final class Session
{
    private const TRIES = 5;
    private const PROTOCOL = 1;
    private const IN_TRANSACTION
        = 'a transaction is open on this PDO, and a statement of Dibs would be part of it: end it first, or give Dibs a PDO of its own';
    private const AUTOCOMMIT = 'autocommit is off, so that a statement of Dibs would not be committed: switch it on';
    private const ENDED = 'the transaction ended within the work, and the lock with it: by a commit, a rollback or a deadlock. What came after'
        . ' that is not guarded. Leave commit and rollback to inTransaction';

    private ?PDO $pdo = null;
    private ?Closure $open = null;
    private ?Database $database = null;
    /** @var array<string, bool> tables that can be used */
    private array $usable = [];

    public function __construct(PDO|Closure $connection)
    {
        $connection instanceof PDO ? $this->pdo = $connection : $this->open = $connection;
    }

    public function database(): Database
    {
        return $this->database ??= Database::of(Failure::explain($this->pdo(...)));
    }

    private function pdo(): PDO
    {
        try {
            return $this->pdo ??= ($this->open ?? throw new LogicException('no PDO'))();
        } catch (PDOException $error) {
            throw new Failure(Outcome::NotSent, 'no connection: ' . $error->getMessage(), $error);
        }
    }

    /** @return array<string, string> a name and its owner, as each database wants them */
    public static function pairs(string $name, string $owner): array
    {
        $array = fn (string $text): string => '{"' . addcslashes($text, '"\\') . '"}';
        return ['names' => $array($name), 'owners' => $array($owner), 'pairs' => Check::json([['name' => $name, 'owner' => $owner]])];
    }

    /**
     * Runs a statement of ours, which is a transaction of its own.
     *
     * @param array<string, mixed> $values
     * @throws LogicException if a transaction of the caller's is open
     */
    public function run(string|Statement $statement, array $values = []): Result
    {
        $database = $this->database();
        return $this->sent(function (PDO $pdo) use ($database, $statement, $values): Result {
            $database->inTransaction($pdo) && throw new LogicException(self::IN_TRANSACTION);
            try {
                is_string($statement) && $this->requireUsable($pdo, $database, $statement);
                $result = self::steps($pdo, $database, $statement, $values);
            } catch (PDOException | LogicException $error) {
                // A statement that fails may leave its transaction open. On MySQL and MariaDB PDO may not know, as an error does not tell it.
                self::quietly(fn () => ($database instanceof MySql || $database->inTransaction($pdo)) && $pdo->exec('ROLLBACK'));
                throw $error;
            }
            if ($database instanceof MySql && $pdo->inTransaction()) {
                $pdo->exec('ROLLBACK');
                throw new LogicException(self::AUTOCOMMIT);
            }
            return $result;
        }, is_string($statement));
    }

    /**
     * Before the first statement about a table: refuses one of a later protocol, which has a column protocol_N, N from 2 on. And refuses modes
     * that would not be noticed later: without autocommit, an acquire on MariaDB commits all the same, and a release does not.
     */
    private function requireUsable(PDO $pdo, Database $database, string $statement): void
    {
        $table = str_ends_with($statement, '_token') ? 'dibs_token' : 'dibs_lock';
        if (isset($this->usable[$table]) || str_starts_with($statement, 'create_')) {
            return;
        }
        $autocommit = $database instanceof MySql ? '@@autocommit' : '1';
        $sql = "SELECT o.autocommit, t.* FROM (SELECT $autocommit AS autocommit) AS o LEFT JOIN $table AS t ON 1 = 0";
        $result = new Result();
        $database->send($pdo, [$sql], [], [], $result);
        $row = $result->rows[0] ?? [];
        isset($row['autocommit']) || throw new LogicException('PDO::ATTR_FETCH_TABLE_NAMES is on, so that Dibs finds no column: switch it off');
        (int) $row['autocommit'] === 1 || throw new LogicException(self::AUTOCOMMIT);
        preg_match_all('/^protocol_([1-9]\d{0,8})$/mi', implode("\n", array_keys($row)), $found);
        $newest = max([self::PROTOCOL, ...array_map(intval(...), $found[1])]);
        $newest === self::PROTOCOL || throw new DibsException(
            "the table $table is of protocol $newest, and this Dibs.php speaks protocol " . self::PROTOCOL . ': take a newer one; nothing was written'
        );
        $this->usable[$table] = true;
    }

    /**
     * The same for what does no harm if it is sent twice.
     *
     * @param array<string, mixed> $values
     */
    public function ask(string|Statement $statement, array $values = []): Result
    {
        for ($try = 1, $lost = null;; $try++) {
            try {
                return $this->run($statement, $values);
            } catch (Failure $failure) {
                // Whatever comes later: this one may have had its effect.
                $lost ??= $failure->outcome === Outcome::Unknown ? $failure : null;
                $try < self::TRIES && $this->mayRepeat($failure) || throw $lost ?? $failure;
            }
            usleep(5_000 << $try);
        }
    }

    /** Whether it makes sense to send something harmless again. A connection that is lost is replaced, if we have opened it. */
    public function mayRepeat(Failure $failure): bool
    {
        return $failure->outcome === Outcome::Unknown ? $this->open !== null : $failure->outcome !== Outcome::Refused;
    }

    /**
     * After a lost answer: what a new connection finds. No rows: not known, or not yet. Throws any other failure.
     *
     * @param array<string, mixed> $values
     * @return list<array<string, mixed>>
     */
    public function lookUp(Failure $failure, string|Statement $statement, array $values): array
    {
        $failure->outcome === Outcome::Unknown || throw $failure;
        try {
            return $this->open === null ? [] : $this->ask($statement, $values)->rows;
        } catch (Failure) {
            return [];
        }
    }

    /** Whether the database has said that it has released it. It skips a row that is locked at this moment. */
    public function releaseNow(string $name, string $owner): bool
    {
        for ($try = 0; $try < 3; $try++) {
            try {
                $result = $this->run('release_lock', ['name' => $name, 'owner' => $owner]);
                if ($result->rows !== [] || $result->count > 0) {
                    return true;
                }
            } catch (Failure | LogicException) {
                // It ends by time. A transaction is open, or PDO believes so of a connection that is lost: no reason to hide the first error.
            }
            usleep(2_000);
        }
        return false;
    }

    public function begin(): PDO
    {
        return $this->sent(function (PDO $pdo): PDO {
            $pdo->beginTransaction() || throw new LogicException('PDO began no transaction');
            $pdo->exec($this->database()::MARK[0]);
            return $pdo;
        });
    }

    /** Ends the transaction of begin(), if it is open. */
    public function rollBack(): void
    {
        self::quietly(fn () => $this->pdo !== null && $this->sent(function (PDO $pdo): bool {
            // On SQLite PDO does not notice a work's own ROLLBACK or COMMIT, and could never begin a transaction again.
            $pdo->inTransaction() && !$this->database()->inTransaction($pdo) && $pdo->exec('BEGIN');
            return $pdo->inTransaction() && $pdo->rollBack();
        }));
    }

    /** Runs the work in the transaction of begin(), and commits. */
    public function finish(callable $work): mixed
    {
        try {
            $value = $work($this->pdo());
            Failure::explain(fn () => $this->sent(function (PDO $pdo): void {
                $this->isSame($pdo) || throw new LogicException(self::ENDED);
                $this->database()->commit($pdo);
            }));
            return $value;
        } catch (Throwable $error) {
            $this->rollBack();
            throw $error;
        }
    }

    /** Whether the transaction of begin() is still open. On PostgreSQL an error before, after which a commit would roll back, is thrown. */
    private function isSame(PDO $pdo): bool
    {
        [, $release, $code] = $this->database()::MARK;
        try {
            $pdo->exec($release);
            return true;
        } catch (PDOException $refused) {
            return in_array($code, $refused->errorInfo ?? [], true) ? false : throw $refused;
        }
    }

    /**
     * Runs a statement in a transaction of the caller's.
     *
     * @param array<string, mixed> $values
     * @throws LogicException outside of one: there the statement would be a transaction of its own
     */
    public static function join(PDO $pdo, string $what, string|Statement $statement, array $values): Result
    {
        $database = Database::of($pdo);
        $work = function () use ($pdo, $database, $what, $statement, $values): Result {
            self::refresh($pdo, $database);
            return $database->inTransaction($pdo)
                ? self::steps($pdo, $database, $statement, $values, true)
                : throw new LogicException("$what needs a transaction: call beginTransaction() first");
        };
        return self::plainly($pdo, $database, is_string($statement), $work, $what !== 'inTransaction');
    }

    /**
     * On MySQL and MariaDB PDO knows of a transaction what the last answer said, and an error says nothing: after a deadlock, which has rolled
     * all back, PDO believes in it. DO 0 is answered, and begins neither a transaction nor a snapshot. On MariaDB the next statement would begin
     * a transaction again, which nobody commits: up to a ROLLBACK.
     */
    private static function refresh(PDO $pdo, Database $database): void
    {
        $database instanceof MySql && $pdo->exec('DO 0');
        $database instanceof MySql && !$pdo->inTransaction() && $pdo->exec('ROLLBACK');
    }

    /**
     * Over the connection of this session. One that is lost is not used again, if we have opened it.
     *
     * @template T
     * @param Closure(PDO): T $work
     * @return T
     */
    private function sent(Closure $work, bool $isOurs = false): mixed
    {
        $pdo = $this->pdo();
        try {
            return self::plainly($pdo, $this->database(), $isOurs, fn () => $work($pdo));
        } catch (Failure $failure) {
            $isLost = $failure->outcome === Outcome::Unknown || $failure->outcome === Outcome::NotSent;
            $this->pdo = $isLost && $this->open !== null ? null : $pdo;
            throw $failure;
        }
    }

    /**
     * With the modes of PDO that our statements need, and without warnings. Puts back what the caller had.
     *
     * @template T
     * @param Closure(): T $work
     * @return T
     */
    private static function plainly(PDO $pdo, Database $database, bool $isOurs, Closure $work, bool $isJoined = false): mixed
    {
        $had = [];
        set_error_handler(static fn (): bool => true);
        try {
            foreach ($database::MODES as $mode => $wanted) {
                $had[$mode] = $pdo->getAttribute($mode);
                $pdo->setAttribute($mode, $wanted);
            }
            return $database->around($pdo, $work, $isJoined);
        } catch (PDOException $error) {
            throw $database->failure($error, $isOurs);
        } finally {
            foreach (array_reverse($had, true) as $mode => $value) {
                $pdo->setAttribute($mode, $value);
            }
            restore_error_handler();
        }
    }

    /** @param array<string, mixed> $values */
    private static function steps(PDO $pdo, Database $database, string|Statement $given, array $values, bool $isJoined = false): Result
    {
        $statement = is_string($given) ? Statement::of($database->dialect, $given) : $given;
        $result = new Result();
        $isHeld = fn (array $row): bool => $row['owner'] !== null && (int) $row['held_until'] > (int) $row['read_at'];
        if ($statement->together && !$isJoined) {
            $database->sendTogether($pdo, $statement, $values, $result);
            return $result;
        }
        foreach ($statement->steps as $at => $step) {
            $isSkipped = match ($step['when']) {
                'if no row so far' => $result->rows !== [],
                // On MySQL a step before the last one may have added the row: the last one reads it.
                'unless held' => array_filter($result->rows, $isHeld) !== [] || $result->count > 0 && $at < count($statement->steps) - 1,
                default => false,
            };
            if (!$isSkipped) {
                $database->send($pdo, $step['pieces'], $values, $step['binds'], $result);
            }
        }
        return $result;
    }

    public static function quietly(Closure $work): void
    {
        try {
            $work();
        } catch (PDOException | Failure | LogicException) {
            // The connection has died, which ends its transaction, too. PDO may believe that one is still open.
        }
    }
}

/** @internal Checks of what callers give. */
final class Check
{
    private const NAME = '/\G(?:([\p{L}_][\p{L}\p{N}_$]*)|"((?:[^"\0]|"")+)"|`((?:[^`\0]|``)+)`|\[((?:[^]\0]|]])+)])/u';

    /** Quoted texts, and what stands alone. */
    private const SQL = '~\'[^\'\\\\]*\'|"[^"\\\\]*"|`[^`\\\\]*`|\[[^]\\\\]*]|::|--|/\*|(?<![\w$])\$\d+|[^$]~s';

    public static function that(bool $isRight, string $message): void
    {
        $isRight || throw new InvalidArgumentException($message);
    }

    public static function millis(string $what, float $seconds, float $least, float $most): int
    {
        self::that($seconds >= $least && $seconds <= $most, "$what is $seconds; it must be $least to $most seconds");
        return (int) round($seconds * 1000);
    }

    public static function text(string $what, string $text, int $most = 200): string
    {
        self::that(preg_match('//u', $text) === 1, "$what is not UTF-8");
        self::that(!str_contains($text, "\0"), "$what has a NUL character");
        // A character beyond the basic plane has four bytes in UTF-8, and two units in UTF-16.
        $units = preg_match_all('/[\x{10000}-\x{10FFFF}]/u', $text) + preg_match_all('/./su', $text);
        self::that($units >= 1 && $units <= $most, "$what has $units characters (UTF-16 units); it must have 1 to $most");
        return $text;
    }

    /** @param array<mixed> $value */
    public static function json(array $value): string
    {
        return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    }

    /** @param array<int|string> $keys */
    public static function shown(array $keys): string
    {
        $told = array_map(fn ($key): string => preg_match('/^\P{C}*$/u', (string) $key) === 1 ? (string) $key : bin2hex((string) $key), $keys);
        return implode(', ', array_slice($told, 0, 10)) . (count($keys) > 10 ? ', ..' : '');
    }

    /**
     * A name as a statement takes it, and its last part without quotes. It is plain, or quoted in the way of any database.
     *
     * @return array{string, string}
     */
    public static function name(string $what, string $text, string $quote, int $most = 1): array
    {
        $parts = [];
        $bare = '';
        for ($at = 0, $dot = '.'; $dot === '.' && preg_match(self::NAME, $text, $found, 0, $at) === 1; $at += strlen($found[0]) + 1) {
            $end = substr($found[0], -1);
            $bare = $found[1] !== '' ? $found[1] : str_replace($end . $end, $end, substr($found[0], 1, -1));
            $parts[] = $found[1] !== '' ? $bare : $quote . str_replace($quote, $quote . $quote, $bare) . $quote;
            $dot = substr($text, $at + strlen($found[0]), 1);
        }
        $isName = $at === strlen($text) + 1 && count($parts) <= $most && strlen($text) <= 1000;
        self::that($isName, "'$text' is not a $what's name: letters, digits and underscores, or quoted as in \"order\"");
        return [implode('.', $parts), $bare];
    }

    /** SQL of the caller's must be complete in itself, so that it cannot change what stands around it. */
    public static function sql(string $what, string $text, string $quote): string
    {
        $wrong = trim($text) === '' ? 'is empty; it must be a piece of SQL' : null;
        $depth = 0;
        preg_match_all(self::SQL, $text, $found);
        foreach ($found[0] as $token) {
            $depth += ['(' => 1, ')' => -1][$token] ?? 0;
            $wrong ??= match (true) {
                $depth < 0 => 'closes a parenthesis that it did not open',
                $token === ';' => 'has a semicolon',
                $token === '--' || $token === '/*' || $token === '#' && $quote === '`' => 'has a comment',
                // PDO, and some databases, take a backslash for the beginning of an escape.
                in_array($token, ["'", '"', '`', '['], true) => "opens a $token that it does not close, or has a backslash in it",
                preg_match('/^[?:$]\d*$/', $token) === 1 => 'has a parameter, which nobody would bind',
                default => null,
            };
        }
        $wrong ??= $depth > 0 ? 'opens a parenthesis that it does not close' : null;
        self::that($wrong === null, "$what $wrong: $text");
        return trim($text);
    }
}

<?php

/**
 * Dibs.php under the modes of PDO and of sessions: modes.php FOLDER_OF_DIBS_PHP, with the database in DIBS_HOST and so on, as for the client of
 * `dibs conformance`. Each line begins with "ok" or "FAULT".
 *
 * A mode makes no difference to what Dibs does, and Dibs none to the mode. Or it is refused by a sentence.
 */

declare(strict_types=1);

use Dibs\Dibs;
use Dibs\DibsException;
use Dibs\LeaseLost;
use Dibs\NotAcquired;
use Dibs\UnknownOutcome;

require $argv[1] . '/Dibs.php';
$driver = ['postgresql' => 'pgsql', 'sqlite' => 'sqlite'][getenv('DIBS_DIALECT')] ?? 'mysql';
$table = 'php_' . bin2hex(random_bytes(4));

/**
 * @param array<int, mixed> $modes
 * @return array{string, ?string, ?string, array<int, mixed>}
 */
function address(array $modes = [], string $dsn = ''): array
{
    global $driver;
    $get = fn (string $name): string => (string) getenv("DIBS_$name");
    return $driver === 'sqlite'
        ? ['sqlite:' . $get('DATABASE'), null, null, $modes]
        : ["$driver:host={$get('HOST')};port={$get('PORT')};dbname={$get('DATABASE')};$dsn", $get('USER'), $get('PASSWORD'), $modes];
}

/** @param array<int, mixed> $modes */
function connect(array $modes = [], string $dsn = ''): PDO
{
    return new PDO(...address($modes, $dsn));
}

/** Loses its connection after it has used a token up. */
final class Losing extends PDO
{
    private function lose(string $text): void
    {
        if (str_contains($text, 'UPDATE dibs_token')) {
            $error = new PDOException('the answer is lost');
            $error->errorInfo = ['08006', ['pgsql' => 7, 'mysql' => 2013, 'sqlite' => 10][$this->getAttribute(PDO::ATTR_DRIVER_NAME)], ''];
            throw $error;
        }
    }

    public function prepare(string $query, array $options = []): PDOStatement|false
    {
        $this->lose($query);
        return parent::prepare($query, $options);
    }

    public function query(string $query, ?int $fetchMode = null, mixed ...$fetchModeArgs): PDOStatement|false
    {
        $this->lose($query);
        return parent::query($query, $fetchMode, ...$fetchModeArgs);
    }
}

function same(mixed $wanted, mixed $found, string $what): void
{
    if ($wanted !== $found) {
        throw new Exception("$what was to be " . json_encode($wanted) . ' and is ' . json_encode($found));
    }
}

/** @param class-string<Throwable> $type what is thrown; the message has the text */
function refused(string $type, string $text, Closure $work, string $what): void
{
    try {
        $work();
    } catch (Throwable $error) {
        same(true, $error instanceof $type && str_contains($error->getMessage(), $text), "$what: " . get_class($error) . ' ' . $error->getMessage());
        return;
    }
    throw new Exception("$what was not refused");
}

function check(string $what, Closure $check): void
{
    try {
        $check();
        echo "ok: $what\n";
    } catch (Throwable $error) {
        echo "FAULT: $what: " . get_class($error) . ' ' . str_replace("\n", ' ', $error->getMessage()) . "\n";
    }
}

/** Uses all that there is over this PDO alone. Names have all that could be quoted wrongly. */
function useAll(PDO $pdo): void
{
    global $table, $driver;
    $dibs = new Dibs($pdo, 'modes');
    $others = new Dibs(fn () => connect(dsn: $driver === 'mysql' ? 'charset=utf8mb4' : ''), 'others');
    $name = bin2hex(random_bytes(4)) . ' \'"\\{}, ? :a $1 é🚀';
    same([42], $dibs->inTransaction($name, 1, fn () => [42]), 'the value of the work');
    $lease = $dibs->acquire($name, 30);
    same([false, null], [$others->tryInTransaction($name, 0, fn () => 1), $others->tryAcquire($name, 30)], 'what others get');
    refused(NotAcquired::class, 'is held by modes', fn () => $others->acquire($name, 30), 'a lock that is held');
    same(true, $lease->renew(), 'the answer of renew');
    $pdo->beginTransaction();
    $lease->guard($pdo);
    refused(LogicException::class, 'a transaction is open on this PDO', fn () => $lease->renew(), 'a renewal in a transaction');
    $pdo->commit();
    refused(LogicException::class, 'needs a transaction', fn () => $lease->guard($pdo), 'a guard after the commit');
    same(true, $lease->release(), 'the answer of release');
    $next = $dibs->acquire($name, 30);
    same(true, $next->fence > $lease->fence, 'that the fence grows');
    same(true, $others->awaitFree("$name 2") && $next->release(), 'the answer of the second release');

    $claims = $dibs->claims($table, 30, where: 'done = 0', completeSet: 'done = 1');
    $claim = $claims->claim(3);
    $number = fn (array $keys): array => array_map(intval(...), $keys);
    same([[1, 2, 3], true], [$number($claim->keys), $claim->renew()], 'a claim');
    same(['id', 'claimed_by', 'claimed_until', 'done', 'note'], array_keys($claim->rows[0]), 'the columns of a row');
    same([[1], []], array_map($number, array_values((array) $claim->complete([1]))), 'a completion');
    $pdo->beginTransaction();
    same([[2], []], array_map($number, array_values((array) $claim->completeIn($pdo, [2]))), 'a completion in a transaction');
    $pdo->rollBack();
    same([[2, 3], []], array_map($number, array_values((array) $claim->release($claim->keys === [] ? [] : [2, 3]))), 'a release');
    same([2, 3, 4], $number($others->claims($table, 30, where: 'done = 0')->claim(3)->keys), 'what others claim');
    $pdo->exec("UPDATE $table SET done = 0, claimed_by = NULL, claimed_until = NULL WHERE id > 0");

    $tokens = $dibs->tokens('modes');
    $token = $tokens->issue("ann's \\", 60, '{"a": "?"}');
    $consumed = $tokens->consume($token);
    same(['ok', "ann's \\", '{"a": "?"}'], [$consumed->status, $consumed->subject, $consumed->payload], 'a token');
    same(['used', 'unknown'], [$others->tokens('modes')->consume($token)->status, $tokens->consume('x')->status], 'a token that was used');
}

/** Within a transaction on MariaDB or MySQL: a deadlock with another process, after which the database has rolled the transaction back. */
function deadlock(PDO $pdo): void
{
    global $argv, $table;
    $pdo->exec("UPDATE $table SET note = 'x' WHERE id = 1");
    $other = proc_open([PHP_BINARY, __FILE__, $argv[1], $table], [1 => ['pipe', 'w']], $pipes);
    same("ready\n", fgets($pipes[1]), 'what the other one says');
    try {
        $pdo->exec("UPDATE $table SET note = 'x' WHERE id = 2");
        $code = 0;
    } catch (PDOException $error) {
        $code = $error->errorInfo[1];
    }
    same([1213, 0], [$code, proc_close($other)], 'the deadlock');
}

if (isset($argv[2])) {
    // The other one in a deadlock. It has changed more rows: so it is the one that goes on.
    $pdo = connect();
    $pdo->beginTransaction();
    $pdo->exec("UPDATE $argv[2] SET note = 'x' WHERE id > 1");
    echo "ready\n";
    $pdo->exec("UPDATE $argv[2] SET note = 'x' WHERE id = 1");
    exit;
}

$own = connect();
(new Dibs($own))->createSchema();
$own->exec("CREATE TABLE $table (id bigint PRIMARY KEY, claimed_by varchar(32), claimed_until bigint, done int, note varchar(20))");
for ($id = 1; $id <= 5; $id++) {
    $own->exec("INSERT INTO $table (id, done) VALUES ($id, 0)");
}

$modes = [
    'no mode' => [],
    'ERRMODE_SILENT' => [PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT],
    'ERRMODE_WARNING' => [PDO::ATTR_ERRMODE => PDO::ERRMODE_WARNING],
    'STRINGIFY_FETCHES' => [PDO::ATTR_STRINGIFY_FETCHES => true],
    'CASE_UPPER' => [PDO::ATTR_CASE => PDO::CASE_UPPER],
    'NULL_TO_STRING' => [PDO::ATTR_ORACLE_NULLS => PDO::NULL_TO_STRING],
    'NULL_EMPTY_STRING' => [PDO::ATTR_ORACLE_NULLS => PDO::NULL_EMPTY_STRING],
    'FETCH_OBJ' => [PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_OBJ],
    'PERSISTENT' => [PDO::ATTR_PERSISTENT => true],
    'all at once' => [
        PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT,
        PDO::ATTR_STRINGIFY_FETCHES => true,
        PDO::ATTR_CASE => PDO::CASE_UPPER,
        PDO::ATTR_ORACLE_NULLS => PDO::NULL_TO_STRING,
        PDO::ATTR_PERSISTENT => true,
    ],
];
if ($driver !== 'sqlite') {
    $modes['EMULATE_PREPARES off'] = [PDO::ATTR_EMULATE_PREPARES => false];
    $modes['EMULATE_PREPARES on'] = [PDO::ATTR_EMULATE_PREPARES => true];
}
if ($driver === 'mysql') {
    $modes['USE_BUFFERED_QUERY off'] = [PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false];
    $modes['FOUND_ROWS'] = [PDO::MYSQL_ATTR_FOUND_ROWS => true];
    $modes['MULTI_STATEMENTS off'] = [PDO::MYSQL_ATTR_MULTI_STATEMENTS => false];
    $modes['MULTI_STATEMENTS and EMULATE_PREPARES off'] = [PDO::MYSQL_ATTR_MULTI_STATEMENTS => false, PDO::ATTR_EMULATE_PREPARES => false];
} elseif ($driver === 'pgsql') {
    $modes['DISABLE_PREPARES'] = [PDO::PGSQL_ATTR_DISABLE_PREPARES => true];
}
// As a framework, which makes an exception of each warning.
set_error_handler(fn (int $level, string $message) => throw new ErrorException($message, 0, $level));
foreach ($modes as $what => $set) {
    check($what, function () use ($set): void {
        $pdo = connect($set);
        useAll($pdo);
        foreach ($set as $mode => $value) {
            if (!in_array($mode, [PDO::ATTR_STRINGIFY_FETCHES, 1003, 1005, 1013, 1015], true)) {
                same((int) $value, (int) $pdo->getAttribute($mode), "the mode $mode afterwards");
            }
        }
    });
}

$sessions = [
    'pgsql' => ["SET standard_conforming_strings = off", "SET default_transaction_deferrable = on", "SET bytea_output = 'escape'", "SET DateStyle = 'German'"],
    'mysql' => ["SET sql_mode = 'NO_BACKSLASH_ESCAPES'", "SET sql_mode = 'ANSI_QUOTES'", "SET NAMES latin1", "SET sql_safe_updates = 1",
        'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE', 'SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED',
        "SET collation_connection = utf8mb4_general_ci"],
    'sqlite' => ['PRAGMA busy_timeout = 60000', 'PRAGMA busy_timeout = 0', 'PRAGMA foreign_keys = 1', 'PRAGMA case_sensitive_like = 1'],
][$driver];
foreach ($sessions as $statement) {
    check($statement, function () use ($statement): void {
        $pdo = connect();
        $pdo->exec($statement);
        useAll($pdo);
    });
}

check('an open transaction is refused', function (): void {
    foreach (['beginTransaction', 'BEGIN'] as $begin) {
        $pdo = connect();
        $dibs = new Dibs($pdo);
        $begin === 'BEGIN' ? $pdo->exec($begin) : $pdo->beginTransaction();
        foreach ([fn () => $dibs->acquire('open', 1), fn () => $dibs->inTransaction('open', 0, fn () => 1), fn () => $dibs->awaitFree('open')] as $call) {
            refused(LogicException::class, 'a transaction is open on this PDO', $call, $begin);
        }
        $begin === 'BEGIN' ? $pdo->exec('ROLLBACK') : $pdo->rollBack();
        same(1, $dibs->inTransaction('open', 1, fn () => 1), 'the value afterwards');
    }
});

check('a guard after the end of a transaction is refused', function (): void {
    foreach (['ROLLBACK', 'COMMIT'] as $end) {
        $pdo = connect();
        $lease = (new Dibs($pdo))->acquire("ended $end", 30);
        $other = connect();
        $other->exec('BEGIN');
        $other->exec($end);
        refused(LogicException::class, 'needs a transaction', fn () => $lease->guard($other), "a guard after $end");
        refused(LogicException::class, 'needs a transaction', fn () => (new Dibs($pdo))->tryGuard('ended', $other), "tryGuard after $end");
        $lease->release();
    }
});

check('a work that ends its transaction is an error', function () use ($table): void {
    foreach ([['commit'], ['rollBack'], ['COMMIT'], ['ROLLBACK'], ['COMMIT', 'BEGIN'], ['ROLLBACK', 'BEGIN'], ['commit', 'beginTransaction']] as $ends) {
        $dibs = new Dibs($pdo = connect());
        $work = function (PDO $pdo) use ($ends, $table): void {
            foreach ($ends as $end) {
                ctype_upper($end) ? $pdo->exec($end) : $pdo->$end();
            }
            isset($ends[1]) && $pdo->exec("UPDATE $table SET note = 'late' WHERE id = 5");
        };
        $what = implode(' and ', $ends);
        refused(LogicException::class, 'the transaction ended within the work', fn () => $dibs->inTransaction('ends', 1, $work), "a work with $what");
        same(0, (int) $pdo->query("SELECT count(*) FROM $table WHERE note = 'late'")->fetchColumn(), "what is stored after $what");
        same(1, $dibs->inTransaction('ends', 1, fn (PDO $pdo) => $pdo->exec('SAVEPOINT mine') === false ? 0 : 1), 'the value afterwards');
    }
});

check('a table of a later protocol is refused', function (): void {
    $pdo = connect();
    $dibs = new Dibs($pdo);
    // Hidden by it, that of all is left as it is.
    $pdo->exec('CREATE TEMPORARY TABLE dibs_lock (name varchar(20), protocol_2 int, PROTOCOL_11 int)');
    $pdo->exec('CREATE TEMPORARY TABLE dibs_token (id int, protocol_3 int)');
    $calls = [fn () => $dibs->acquire('later', 1), fn () => $dibs->inTransaction('later', 0, fn () => 1), fn () => $dibs->awaitFree('later')];
    foreach ($calls as $at => $call) {
        refused(DibsException::class, 'the table dibs_lock is of protocol 11, ', $call, "the call $at");
    }
    refused(DibsException::class, 'the table dibs_token is of protocol 3, ', fn () => $dibs->tokens('later')->issue('ann', 60), 'a token');
});

check('a token whose answer was lost may be used up, whatever comes later', function (): void {
    $token = (new Dibs(connect()))->tokens('lost')->issue('ann', 60);
    $opened = 0;
    $dibs = new Dibs(function () use (&$opened): PDO {
        return $opened++ === 0 ? new Losing(...address()) : throw new PDOException('refused');
    });
    refused(UnknownOutcome::class, 'the answer is lost', fn () => $dibs->tokens('lost')->consume($token), 'consume');
});

check('what a work throws is thrown, and undone', function () use ($table): void {
    $dibs = new Dibs($pdo = connect());
    $work = function (PDO $pdo) use ($table): void {
        $pdo->exec("UPDATE $table SET done = 7");
        throw new DomainException('mine');
    };
    refused(DomainException::class, 'mine', fn () => $dibs->inTransaction('throws', 1, $work), 'a work that throws');
    same(0, (int) $pdo->query("SELECT count(*) FROM $table WHERE done = 7")->fetchColumn(), 'the rows that it has changed');
});

check('a release in an open transaction does not hide an error', function (): void {
    $dibs = new Dibs($pdo = connect());
    $errors = [LeaseLost::class => 'in this transaction it is not ours', DomainException::class => 'mine'];
    foreach ($errors as $type => $text) {
        $name = 'hidden ' . bin2hex(random_bytes(4));
        $lease = $dibs->acquire($name, 30);
        $type === LeaseLost::class && $pdo->exec("DELETE FROM dibs_lock WHERE name = '$name'");
        $call = function () use ($lease, $pdo): void {
            try {
                $pdo->beginTransaction();
                $lease->guard($pdo);
                throw new DomainException('mine');
            } finally {
                same(false, $lease->release(), 'the release');
            }
        };
        refused($type, $text, $call, 'the work');
        $pdo->rollBack();
    }
});

check('a framework begins the transaction', function () use ($table): void {
    $dibs = new Dibs($pdo = connect());
    $others = new Dibs(connect());
    global $driver;
    same(true, $dibs->awaitFree('framework', 1), 'awaitFree');
    if ($driver === 'mysql') {
        $pdo->beginTransaction();
        refused(LogicException::class, 'needs READ COMMITTED', fn () => $dibs->tryGuard('framework', $pdo), 'tryGuard that may come too late');
        $pdo->rollBack();
        $pdo->exec('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    }
    $pdo->beginTransaction();
    same(true, $dibs->tryGuard('framework', $pdo), 'tryGuard');
    if ($driver !== 'sqlite') {
        same([false, false], [$others->tryInTransaction('framework', 0.1, fn () => 1), $others->awaitFree('framework')], 'what others get');
    }
    $pdo->commit();
    same(true, $others->tryInTransaction('framework', 1, fn () => 1), 'what others get afterwards');
});

check('one connection is enough', function (): void {
    $opened = 0;
    $dibs = new Dibs(function () use (&$opened): PDO {
        $opened++;
        return connect();
    });
    $dibs->inTransaction('new ' . bin2hex(random_bytes(4)), 1, fn () => 1);
    $dibs->acquire('one', 30)->release();
    same(1, $opened, 'the number of connections');
});

if ($driver === 'pgsql') {
    check('an error that the work has swallowed is no commit', function () use ($table): void {
        $dibs = new Dibs($pdo = connect());
        $work = function (PDO $pdo) use ($table): void {
            $pdo->exec("UPDATE $table SET done = 8");
            try {
                $pdo->exec('SELECT nothing');
            } catch (PDOException) {
                // The transaction can only be rolled back now.
            }
        };
        refused(DibsException::class, 'current transaction is aborted', fn () => $dibs->inTransaction('aborted', 1, $work), 'the commit');
        same(1, $dibs->inTransaction('aborted', 1, fn () => 1), 'the value afterwards');
    });
    check('REPEATABLE READ is refused for a lock of a transaction', function (): void {
        $dibs = new Dibs($pdo = connect());
        $pdo->exec("SET default_transaction_isolation = 'repeatable read'");
        refused(LogicException::class, 'needs READ COMMITTED', fn () => $dibs->inTransaction('old', 1, fn () => 1), 'the call');
        same(false, $pdo->inTransaction(), 'whether a transaction is open');
    });
    check('another client_encoding is refused', function (): void {
        $dibs = new Dibs(connect(dsn: "options='--client_encoding=LATIN1'"));
        refused(LogicException::class, 'client_encoding is LATIN1', fn () => $dibs->acquire('é', 1), 'an acquire');
    });
}
if ($driver === 'mysql') {
    check('AUTOCOMMIT off is refused', function (): void {
        $pdos = [connect([PDO::ATTR_AUTOCOMMIT => 0]), connect(), connect()];
        $pdos[1]->setAttribute(PDO::ATTR_AUTOCOMMIT, 0);
        $pdos[2]->exec('SET autocommit = 0');
        foreach ($pdos as $at => $pdo) {
            $dibs = new Dibs($pdo);
            refused(LogicException::class, 'autocommit is off', fn () => $dibs->inTransaction('autocommit', 0, fn () => 1), 'inTransaction');
            same(false, $pdo->inTransaction(), 'whether a transaction is open');
            refused(LogicException::class, 'autocommit is off', fn () => $dibs->acquire("autocommit $at", 1), 'acquire');
            same(false, $pdo->inTransaction(), 'whether a transaction is open');
        }
    });
    check('ATTR_FETCH_TABLE_NAMES is refused', function (): void {
        $dibs = new Dibs(connect([PDO::ATTR_FETCH_TABLE_NAMES => true]));
        refused(LogicException::class, 'ATTR_FETCH_TABLE_NAMES is on', fn () => $dibs->acquire('names', 1), 'acquire');
    });
    check('keys that are texts need utf8mb4', function () use ($table): void {
        $pdo = connect(dsn: 'charset=utf8mb4');
        $pdo->exec("CREATE TABLE {$table}_k (id varchar(20) CHARACTER SET utf8mb4, claimed_by varchar(32), claimed_until bigint)");
        $pdo->exec("INSERT INTO {$table}_k (id) VALUES ('é')");
        foreach (['latin1', 'utf8'] as $charset) {
            $dibs = new Dibs(connect(dsn: "charset=$charset"));
            refused(DibsException::class, 'add charset=utf8mb4', fn () => $dibs->claims("{$table}_k", 30), "claims in $charset");
        }
        $claim = (new Dibs($pdo))->claims("{$table}_k", 30)->claim(2);
        same([['é'], []], array_values((array) $claim->complete()), 'a completion');
        $pdo->exec("DROP TABLE {$table}_k");
    });
    check('nothing joins a transaction that a deadlock has ended', function () use ($table): void {
        $dibs = new Dibs($pdo = connect());
        $claim = $dibs->claims($table, 30, where: 'done = 0', completeSet: 'done = 1')->claim(5);
        $lease = $dibs->acquire($name = 'deadlock ' . bin2hex(random_bytes(4)), 30);
        same([5, true], [count($claim->keys), $dibs->awaitFree("$name 2")], 'what is there');
        $calls = [
            'completeIn' => fn () => $claim->completeIn($pdo, $claim->keys),
            'guard' => fn () => $lease->guard($pdo),
            'tryGuard' => fn () => $dibs->tryGuard("$name 2", $pdo),
        ];
        foreach ($calls as $what => $call) {
            $pdo->beginTransaction();
            deadlock($pdo);
            refused(LogicException::class, 'needs a transaction', $call, $what);
            $pdo->exec("UPDATE $table SET note = '$what' WHERE id = 5");
            same(false, $pdo->inTransaction(), "whether a transaction is open after $what");
        }
        same(0, (int) $pdo->query("SELECT count(*) FROM $table WHERE done = 1")->fetchColumn(), 'the rows that are completed');
        $goOn = function (PDO $pdo) use ($table): void {
            deadlock($pdo);
            $pdo->exec("UPDATE $table SET note = 'late' WHERE id = 5");
        };
        foreach ([deadlock(...), $goOn] as $at => $work) {
            $call = fn () => $dibs->inTransaction("$name 2", 1, $work);
            refused(LogicException::class, 'the transaction ended within the work', $call, "inTransaction $at");
        }
        $pdo->exec("UPDATE $table SET note = NULL");
        same(false, $pdo->inTransaction(), 'whether a transaction is open after inTransaction');
        same([5, true], [count($claim->release()->done), $lease->release()], 'what is released');
    });
    $isMariaDb = str_contains($own->getAttribute(PDO::ATTR_SERVER_VERSION), 'MariaDB');
    $isMariaDb && check('of a statement that took too long nobody knows, and no transaction stays open', function () use ($table): void {
        $name = 'long ' . bin2hex(random_bytes(4));
        $other = connect();
        $dibs = new Dibs($pdo = connect());
        $claim = $dibs->claims($table, 30, where: 'done = 0', completeSet: 'done = 1')->claim(2);
        $other->beginTransaction();
        $other->exec("INSERT INTO dibs_lock (name, fence, acquired_at, held_until) VALUES ('$name', 0, 0, 0)");
        $other->exec("UPDATE $table SET note = 'x' WHERE id = 1");
        foreach ([fn () => $dibs->acquire($name, 30), fn () => $claim->complete([1])] as $at => $call) {
            $pdo->exec('SET max_statement_time = 0.2');
            refused(UnknownOutcome::class, '', $call, "the call $at");
            $pdo->exec('SET max_statement_time = 0');
            same(0, (int) $pdo->query('SELECT @@in_transaction')->fetchColumn(), "whether a transaction is open after the call $at");
        }
        $other->rollBack();
        // As if it had been completed.
        $other->exec("UPDATE $table SET claimed_by = NULL, claimed_until = NULL WHERE id = 1");
        same([true, true], [$claim->renew(), $claim->isValid()], 'the rest of the claim');
        same(1, count($claim->release()->done), 'what is released');
    });
    check('a result that is still to be read is no lost answer', function (): void {
        $pdo = connect([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false]);
        $dibs = new Dibs($pdo);
        $open = $pdo->query('SELECT 1 UNION SELECT 2');
        refused(DibsException::class, '', fn () => $dibs->acquire('unbuffered', 1), 'an acquire');
        $open->closeCursor();
        same(true, $dibs->acquire('unbuffered', 30)->release(), 'the release afterwards');
    });
}
$driver === 'sqlite' && check('what joins a transaction waits as long as its PDO does', function () use ($table): void {
    $dibs = new Dibs(connect());
    $lease = $dibs->acquire('patient', 30);
    $claim = $dibs->claims($table, 30)->claim(1);
    $calls = [
        'guard' => fn (PDO $pdo) => $lease->guard($pdo),
        'tryGuard' => fn (PDO $pdo) => $dibs->tryGuard('patient 2', $pdo),
        'completeIn' => fn (PDO $pdo) => $claim->completeIn($pdo, $claim->keys),
    ];
    foreach ($calls as $what => $call) {
        $code = '$p = new PDO($argv[1]); $p->exec("BEGIN IMMEDIATE"); echo "ready\n"; usleep(1_500_000); $p->exec("COMMIT");';
        $other = proc_open([PHP_BINARY, '-r', $code, '--', address()[0]], [1 => ['pipe', 'w']], $pipes);
        same("ready\n", fgets($pipes[1]), 'what the other one says');
        $pdo = connect();
        $pdo->beginTransaction();
        $call($pdo);
        same(60_000, (int) $pdo->query('PRAGMA busy_timeout')->fetchColumn(), "the patience after $what");
        $pdo->rollBack();
        proc_close($other);
    }
    $lease->release();
    $claim->release();
});
check('an error is not busy', function () use ($driver): void {
    $pdo = $driver === 'sqlite' ? new PDO('sqlite::memory:') : connect();
    // There is no such table then.
    $driver === 'sqlite' || $pdo->exec($driver === 'mysql' ? 'USE mysql' : 'SET search_path = pg_catalog');
    $dibs = new Dibs($pdo);
    $calls = [fn () => $dibs->tryAcquire('error', 1), fn () => $dibs->tryInTransaction('error', 0, fn () => 1), fn () => $dibs->awaitFree('error')];
    foreach ($calls as $call) {
        refused(DibsException::class, "createSchema() or the command 'dibs init' makes the tables", $call, 'a call without tables');
    }
});
check('a lease that has expired is lost for good', function (): void {
    $dibs = new Dibs($pdo = connect());
    $name = 'expired ' . bin2hex(random_bytes(4));
    $lease = $dibs->acquire($name, 0.2, 60);
    // As when the database's clock is set back: the row still says that it is ours.
    $pdo->exec("UPDATE dibs_lock SET held_until = held_until + 60000 WHERE name = '$name'");
    usleep(250_000);
    foreach ([fn () => $lease->renew(), fn () => $lease->check(), fn () => $lease->guard($pdo)] as $call) {
        refused(LeaseLost::class, 'its time is over', $call, 'a call');
    }
    same([false, 0.0, false], [$lease->isValid(), $lease->remaining(), $lease->release()], 'a lost lease');
});
check('names are refused', function (): void {
    $dibs = new Dibs(connect());
    foreach (['', str_repeat('x', 201), str_repeat('🚀', 101), "a\0", "\xff"] as $name) {
        refused(InvalidArgumentException::class, 'name', fn () => $dibs->acquire($name, 1), 'a name');
    }
    $dibs->acquire(str_repeat('🚀', 100), 1)->release();
});
check('tables and SQL are refused', function () use ($table): void {
    $dibs = new Dibs(connect());
    refused(DibsException::class, 'nothing', fn () => $dibs->claims($table, 1, key: 'nothing'), 'a key');
    refused(DibsException::class, 'has no column nothing', fn () => $dibs->claims($table, 1, token: 'nothing'), 'a token');
    refused(DibsException::class, 'is not a text', fn () => $dibs->claims($table, 1, token: 'done'), 'a token');
    refused(DibsException::class, 'is not a bigint', fn () => $dibs->claims($table, 1, until: 'note'), 'until');
    refused(DibsException::class, 'nothing', fn () => $dibs->claims($table, 1, where: 'nothing = 1'), 'where');
    refused(InvalidArgumentException::class, 'is not a table\'s name', fn () => $dibs->claims("$table x", 1), 'a table');
});
$own->exec("DROP TABLE $table");

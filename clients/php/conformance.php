<?php

/**
 * Lets `dibs conformance` drive Dibs.php: dibs conformance --url jdbc:.. -- php clients/php/conformance.php
 *
 * Nothing renews in PHP but renew(). So this program, like any script that has time between its steps, renews while it waits for a request or
 * sleeps. `--broken RULE` breaks a rule on purpose, to show that the run finds it: a name of BROKEN, below.
 */

declare(strict_types=1);

use Dibs\Claim;
use Dibs\Claims;
use Dibs\Dibs;
use Dibs\DibsException;
use Dibs\Lease;
use Dibs\UnknownOutcome;

/** A rule, and how it is broken: the end of the files' names, a statement or null, patterns, and what replaces them. */
const BROKEN = [
    'token-twice' => ['Dibs.php', null, '/bin2hex\(random_bytes\(16\)\)/', "str_repeat('0123456789abcdef', 2)"],
    'no-margin' => ['Dibs.php', null, '/ - max\(0\.02, \$length \/ 100\)/', ''],
    'no-deadline' => ['Dibs.php', null, '/return \$this->end - Clock::now\(\);/', 'return 1.0;'],
    'deadline-from-answer' => [
        'Dibs.php',
        null,
        ['/private readonly float \$end;/', '/return \$this->end - Clock::now\(\);/'],
        [
            'private ?float $begun = null; private readonly float $end;',
            '$this->begun ??= Clock::now(); return $this->begun + $this->millis * 0.99 / 1000 - Clock::now();',
        ],
    ],
    'renewal-after-the-deadline' => [
        'Dibs.php',
        null,
        '/(?<=renew\(\): bool\n    \{\n)        \$this->check\(\);|(?<=too late changes nothing\.\n)        \$this->check\(\);/',
        '',
    ],
    'guard-of-any-owner' => ['statements.php', 'guard_lock', '/(\w\.)?owner = \?/', 'length(?) > 0'],
    'guard-without-its-row' => ['Dibs.php', null, '/\$guarded \|\| throw/', '0 && throw'],
    'guard-without-end' => ['statements.php', 'guard_lock', '/AND (\w\.)?held_until > .*/', ''],
    // On MariaDB the statement refuses, too.
    'guard-outside' => ['php', null, ['/return \$database->inTransaction\(\$pdo\)\s+\? /', '/ AND @@in_transaction = 1/'], ['return true ? ', '']],
    'busy-unheeded' => ['Dibs.php', null, ['/return \$row !== null;/', '/if \(self::isAhead\(\$row\)\) \{/'], ['return true;', 'if (false) {']],
    'expired-owner-unheeded' => ['statements.php', 'take_expired_lock', '/owner = NULL/', 'owner = owner'],
    'release-by-name' => ['statements.php', 'release_lock', '/(\w\.)?owner = \?/', 'length(?) > 0'],
    'busy-for-an-error' => ['Dibs.php', null, '/\$patience->requireAllows\(\$failure\);(?=\s+\}\s+if)/', 'return new NotAcquired($name, null);'],
    'token-read-and-then-deleted' => [
        'Dibs.php',
        null,
        "/Failure::explain\(fn \(\) => \\\$this->session->ask\('consume_token', \\\$parameters\)\)(.*)/",
        "\$this->session->ask(Statement::plain('SELECT subject, payload, ? AS owner FROM dibs_token WHERE digest = ?', 'owner', 'digest'), \$parameters)\\1"
            . "\$this->session->run(Statement::plain('DELETE FROM dibs_token WHERE digest = ?', 'digest'), \$parameters);",
    ],
    'claim-token-unheeded' => ['statements.php', 'complete_rows', '/\{token\} = \?/', 'length(?) > 0'],
    'claim-transaction-unheeded' => ['Dibs.php', null, '/\$this->token, \$chosen, 0, \$pdo\)/', '$this->token, $chosen)'],
];

function connect(): PDO
{
    $get = fn (string $name): string => (string) getenv("DIBS_$name");
    if ($get('DIALECT') === 'sqlite') {
        return new PDO('sqlite:' . $get('DATABASE'));
    }
    $isPostgres = $get('DIALECT') === 'postgresql';
    $dsn = ($isPostgres ? 'pgsql' : 'mysql') . ":host={$get('HOST')};port={$get('PORT')};dbname={$get('DATABASE')}";
    return new PDO($dsn . ($isPostgres ? ';sslmode=disable' : ';charset=utf8mb4'), $get('USER'), $get('PASSWORD'), [PDO::ATTR_TIMEOUT => 5]);
}

final class Client
{
    private readonly Dibs $dibs;
    private ?Lease $lease = null;
    /** @var array<string, Claims> */
    private array $claims = [];
    private ?Claim $claim = null;
    private float $length = 0.0;
    private float $renewAt = INF;

    public function __construct()
    {
        $this->dibs = new Dibs(connect(...), 'conformance');
    }

    /** Renews what it has, if it is time. Returns in how many seconds it wants to be called again. */
    public function renew(): float
    {
        if ($this->renewAt <= microtime(true)) {
            $this->renewAt = microtime(true) + $this->length / 3;
            foreach ([$this->lease, $this->claim] as $held) {
                try {
                    if ($held !== null && $held->isValid() && !$held->renew()) {
                        $this->renewAt = microtime(true) + $this->length / 30;
                    }
                } catch (DibsException | LogicException) {
                    $this->renewAt = microtime(true) + $this->length / 30;
                }
            }
        }
        return max(0.001, min(1.0, $this->renewAt - microtime(true)));
    }

    private function sleep(int $millis): void
    {
        for ($end = microtime(true) + $millis / 1000; microtime(true) < $end;) {
            usleep((int) (1e6 * max(0.0, min($this->renew(), $end - microtime(true)))));
        }
    }

    private function begins(int $leaseMillis): float
    {
        $this->length = $leaseMillis / 1000;
        $this->renewAt = microtime(true) + $this->length / 3;
        return $this->length;
    }

    public function acquire(string $name, int $leaseMillis, int $waitMillis): array
    {
        $this->lease = null;
        $this->lease = $this->dibs->tryAcquire($name, $this->begins($leaseMillis), $waitMillis / 1000);
        $this->begins($leaseMillis);
        return ['got' => $this->lease !== null, 'fence' => $this->lease?->fence];
    }

    public function valid(): array
    {
        return ['valid' => $this->lease !== null && $this->lease->isValid()];
    }

    public function add(string $table, int $millis): array
    {
        $pdo = connect();
        try {
            $pdo->beginTransaction();
            $this->lease->guard($pdo);
            $this->addOne($pdo, $table, $millis);
        } catch (DibsException) {
            $pdo->rollBack();
            return ['added' => false];
        }
        try {
            $pdo->commit();
            return ['added' => true];
        } catch (PDOException $error) {
            throw new UnknownOutcome('the answer to the commit was lost', 0, $error);
        }
    }

    public function add_free(string $name, string $table, int $millis): array
    {
        return ['added' => $this->dibs->tryInTransaction($name, 0, fn (PDO $pdo) => $this->addOne($pdo, $table, $millis))];
    }

    /** Read first and written later: what only the guard makes safe. */
    private function addOne(PDO $pdo, string $table, int $millis): void
    {
        $count = (int) $pdo->query("SELECT n FROM $table WHERE id = 1")->fetchColumn();
        $this->sleep($millis);
        $pdo->exec("UPDATE $table SET n = " . ($count + 1) . ' WHERE id = 1');
    }

    public function guard_outside(array $after): array
    {
        return $this->outside($after, fn (PDO $pdo) => $this->lease->guard($pdo));
    }

    public function complete_outside(array $keys, array $after): array
    {
        return $this->outside($after, fn (PDO $pdo) => $this->claim->completeIn($pdo, $keys));
    }

    private function outside(array $statements, Closure $join): array
    {
        $pdo = connect();
        foreach ($statements as $statement) {
            $pdo->exec($statement);
        }
        try {
            $join($pdo);
            return ['refused' => false];
        } catch (LogicException | DibsException) {
            return ['refused' => true];
        }
    }

    public function release(): array
    {
        return ['released' => $this->lease !== null && $this->lease->release()];
    }

    public function claim(string $table, int $n, int $leaseMillis): array
    {
        $this->claims[$table] ??= $this->dibs->claims(
            $table,
            $leaseMillis / 1000,
            where: 'done = 0',
            completeSet: 'done = done + 1'
        );
        $this->claim = null;
        $this->claim = $this->claims[$table]->claim($n);
        $this->begins($leaseMillis);
        return ['keys' => $this->claim->keys];
    }

    public function claim_valid(): array
    {
        return ['valid' => $this->claim->isValid()];
    }

    public function complete(array $keys): array
    {
        return (array) $this->claim->complete($keys);
    }

    public function complete_joined(array $keys, bool $commit, int $millis = 0): array
    {
        $pdo = connect();
        $pdo->beginTransaction();
        $changed = $this->claim->completeIn($pdo, $keys);
        $this->sleep($millis);
        $commit ? $pdo->commit() : $pdo->rollBack();
        return (array) $changed;
    }

    public function release_claim(): array
    {
        return (array) $this->claim->release();
    }

    public function consume(string $purpose, string $token): array
    {
        return ['status' => $this->dibs->tokens($purpose)->consume($token)->status];
    }
}

/** Copies Dibs.php into a new folder, and breaks a rule there. */
function broken(string $rule): string
{
    [$file, $statement, $pattern, $replacement] = BROKEN[$rule];
    $folder = sys_get_temp_dir() . "/dibs-$rule-" . getmypid();
    mkdir($folder);
    $isBroken = false;
    foreach (['Dibs.php', 'statements.php'] as $name) {
        $text = $changed = (string) file_get_contents(__DIR__ . "/$name");
        if (str_ends_with($name, $file)) {
            $place = $statement === null ? '/.*/sA' : "/'$statement' => \[.*?\]\],/s";
            $changed = preg_replace_callback($place, fn ($found) => preg_replace($pattern, $replacement, $found[0]), $text);
        }
        $isBroken = $isBroken || $changed !== $text;
        file_put_contents("$folder/$name", $changed);
    }
    $isBroken || throw new LogicException("$rule breaks nothing");
    register_shutdown_function(function () use ($folder): void {
        array_map(unlink(...), glob("$folder/*"));
        rmdir($folder);
    });
    return $folder;
}

$folder = ($argv[1] ?? '') === '--broken' ? broken($argv[2]) : __DIR__;
if (isset($argv[3])) {
    // Another program meets the broken rule: conformance.php --broken RULE PROGRAM
    passthru(PHP_BINARY . ' ' . escapeshellarg($argv[3]) . ' ' . escapeshellarg($folder), $code);
    exit($code);
}
require "$folder/Dibs.php";

$client = new Client();
$buffer = '';
while (true) {
    $at = strpos($buffer, "\n");
    if ($at === false) {
        $seconds = $client->renew();
        $read = [STDIN];
        $none = null;
        if (stream_select($read, $none, $none, (int) $seconds, (int) (fmod($seconds, 1) * 1e6)) > 0) {
            $more = fread(STDIN, 65_536);
            if ($more === '' || $more === false) {
                exit(0);
            }
            $buffer .= $more;
        }
        continue;
    }
    $request = json_decode(substr($buffer, 0, $at), true, 512, JSON_THROW_ON_ERROR);
    $buffer = substr($buffer, $at + 1);
    $verb = $request['do'];
    unset($request['do']);
    try {
        $answer = is_callable([$client, $verb]) ? $client->$verb(...$request) : ['unsupported' => true];
    } catch (Throwable $error) {
        $answer = ['error' => ($error instanceof UnknownOutcome ? 'not known: ' : '') . $error->getMessage()];
    }
    echo json_encode($answer, JSON_THROW_ON_ERROR), "\n";
}

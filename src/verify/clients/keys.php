<?php

/**
 * Claims and completes the rows of tables with keys of many types: keys.php FOLDER_OF_DIBS_PHP TABLE.., with the database in DIBS_HOST and so on.
 *
 * A table has the columns id, claimed_by, claimed_until and done, a row without a key, and one with a key. `refused` is right for a type that
 * Dibs.php does not know.
 */

declare(strict_types=1);

use Dibs\Dibs;
use Dibs\DibsException;

require $argv[1] . '/Dibs.php';

function connect(): PDO
{
    $get = fn (string $name): string => (string) getenv("DIBS_$name");
    if ($get('DIALECT') === 'sqlite') {
        return new PDO('sqlite:' . $get('DATABASE'));
    }
    $driver = $get('DIALECT') === 'postgresql' ? 'pgsql' : 'mysql';
    return new PDO("$driver:host={$get('HOST')};port={$get('PORT')};dbname={$get('DATABASE')}" . ($driver === 'mysql' ? ';charset=utf8mb4' : ''), $get('USER'), $get('PASSWORD'));
}

function judge(Dibs $dibs, string $table): string
{
    try {
        $claims = $dibs->claims($table, 30, where: 'done = 0', completeSet: 'done = 1');
        $claim = $claims->claim(100);
    } catch (DibsException) {
        return 'refused';
    }
    $keys = $claim->keys;
    if (count($keys) !== 1) {
        return 'FAULT: claimed ' . json_encode($keys);
    }
    $renewed = $claim->renew();
    $released = $claim->release($keys);
    $claim = $claims->claim(100);
    $changed = $claim->complete($keys);
    $left = $claims->claim(100)->keys;
    if (!$renewed || $released->done !== $keys || $changed->done !== $keys || $changed->lost !== [] || $left !== []) {
        return 'FAULT: ' . json_encode([$keys, $renewed, $released, $changed, $left], JSON_INVALID_UTF8_SUBSTITUTE);
    }
    return 'ok';
}

foreach (array_slice($argv, 2) as $table) {
    echo "$table ", judge(new Dibs(connect(...)), $table), "\n";
}

<?php

/**
 * How Dibs.php counts time while its clocks are set or the machine sleeps: clock.php FOLDER_OF_DIBS_PHP. Both clocks are ours; the database is
 * SQLite's, in memory.
 */

declare(strict_types=1);

namespace Dibs;

const HOUR = 3600.0;
$clock = ['monotonic' => 1000.0, 'wall' => 1_700_000_000.0];

function hrtime(bool $asNumber): int
{
    return (int) ($GLOBALS['clock']['monotonic'] * 1e9);
}

function microtime(bool $asFloat): float
{
    return $GLOBALS['clock']['wall'];
}

require $argv[1] . '/Dibs.php';

/**
 * Whether a lease of a second is believed in after these steps; before one step the lease is acquired.
 *
 * @param list<array<string, float>> $steps
 */
function believes(array $steps): bool
{
    $dibs = new Dibs(new \PDO('sqlite::memory:'));
    $dibs->createSchema();
    $lease = null;
    foreach ($steps as $step) {
        if ($step === []) {
            $lease = $dibs->acquire('x', 1);
        }
        foreach ($step as $which => $seconds) {
            $GLOBALS['clock'][$which] += $seconds;
        }
        $lease?->remaining();
    }
    return $lease !== null && $lease->isValid();
}

$acquire = [];
$ahead = ['wall' => HOUR];
$back = ['wall' => -HOUR];
$asleep = ['wall' => 2.0];
$later = ['monotonic' => 0.1, 'wall' => 0.1];
$over = ['monotonic' => 2.0, 'wall' => 2.0];
$expected = [
    ['a lease that is over', false, [$acquire, $over]],
    ['the clock was ahead and is set right', true, [$ahead, $acquire, $back, $later]],
    ['the clock was ahead and is set right, and the lease is over', false, [$ahead, $acquire, $back, $over]],
    ['the machine slept', false, [$acquire, $asleep]],
    ['the clock is set back', true, [$acquire, $back, $later]],
    ['the clock was set right, and the machine slept', false, [$ahead, $acquire, $back, $asleep]],
    ['the machine slept, and the clock is set back', false, [$acquire, $asleep, $back]],
];
foreach ($expected as [$what, $wanted, $steps]) {
    echo believes($steps) === $wanted ? 'ok' : 'FAULT', ": $what\n";
}

<?php

/** What Dibs.php answers for a token that a stranger sends, and that cannot be one: strangers.php FOLDER_OF_DIBS_PHP. It asks no database. */

declare(strict_types=1);

require $argv[1] . '/Dibs.php';
$one = str_repeat('A', 43);
$tokens = (new Dibs\Dibs(fn () => throw new DomainException('a connection was asked for')))->tokens('sign-in');
foreach ([null, '', 'x', "\xff", str_repeat("\xff", 43), "$one\n", $one . 'A', "\u{e4}" . substr($one, 1), "\u{661}" . substr($one, 1)] as $text) {
    $status = $tokens->consume($text)->status;
    echo $status === 'unknown' ? 'ok' : 'FAULT', ": $status for ", json_encode($text, JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
try {
    $status = $tokens->consume($one)->status;
    echo "FAULT: $status\n";
} catch (DomainException $asked) {
    echo 'ok: ', $asked->getMessage(), "\n";
}

<?php

declare(strict_types=1);

namespace Recado;

/** Base class of everything that a call throws. */
class RecadoException extends \RuntimeException
{
    /** Seconds until the next attempt; null if it would fail again or could repeat a change. */
    public function retryDelay(int $failures, bool $repeatable): ?float
    {
        return null;
    }

    protected function backoff(int $failures): float
    {
        return mt_rand() / mt_getrandmax() * min(8.0, 0.25 * 2 ** $failures);
    }
}

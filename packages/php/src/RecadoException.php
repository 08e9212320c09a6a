<?php

declare(strict_types=1);

namespace Recado;

/** Base class of everything that a call throws. */
class RecadoException extends \RuntimeException
{
    /** The key of a call that may have been made, with which it is repeated and made once; null if it was not made. */
    public ?string $idempotencyKey = null;

    /** Whether the server may have made the call that ended like this. */
    public function mayHaveRun(): bool
    {
        return false;
    }

    /** Says how to repeat the call; without a key, the server would make it again. */
    public function sayUncertain(?string $key): void
    {
        $how = $key === null ? 'confira antes de repeti-la' : 'repita-a com a idempotencyKey deste erro';
        $this->message .= ". A chamada pode ter sido feita: {$how}";
        $this->idempotencyKey = $key;
    }

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

<?php

declare(strict_types=1);

namespace Recado;

/** The server could not be reached, or did not answer in time. */
final class ConnectionException extends RecadoException
{
    public function mayHaveRun(): bool
    {
        return preg_match('/refused|getaddrinfo/i', $this->getMessage()) !== 1;
    }

    public function retryDelay(int $failures, bool $repeatable): ?float
    {
        return $repeatable ? $this->backoff($failures) : null;
    }
}

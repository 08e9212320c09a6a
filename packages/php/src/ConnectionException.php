<?php

declare(strict_types=1);

namespace Recado;

/** The server could not be reached, or did not answer in time. */
final class ConnectionException extends RecadoException
{
    public function __construct(string $message, private readonly bool $mayHaveRun = true)
    {
        parent::__construct($message);
    }

    public function mayHaveRun(): bool
    {
        return $this->mayHaveRun;
    }

    public function retryDelay(int $failures, bool $repeatable): ?float
    {
        return $repeatable ? $this->backoff($failures) : null;
    }
}

<?php

declare(strict_types=1);

namespace Recado;

/** An error response. */
final class ApiException extends RecadoException
{
    public readonly string $errorCode;
    public readonly ?string $reason;
    public readonly ?string $requestId;
    /** Seconds to wait before the next attempt; null if the server did not say. */
    public readonly ?int $retryAfter;

    /** @param string[] $headers lines of the response's head */
    public function __construct(public readonly int $status, array $body, array $headers)
    {
        // Other servers respond with JSON, too, such as {"error": "Not Found"}.
        $error = is_array($body['error'] ?? null) ? $body['error'] : [];
        $sentence = "a resposta {$status} não é do Recado: confira se baseUrl aponta para ele";
        parent::__construct($error['message'] ?? $sentence, $status);
        $this->errorCode = $error['code'] ?? '';
        $this->reason = $error['reason'] ?? null;
        $found = [];
        foreach ($headers as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $found[strtolower($name)] = trim($value);
        }
        $this->requestId = $found['x-request-id'] ?? null;
        $this->retryAfter = isset($found['retry-after']) ? (int) $found['retry-after'] : null;
    }

    public function mayHaveRun(): bool
    {
        return $this->status >= 500;
    }

    public function retryDelay(int $failures, bool $repeatable): ?float
    {
        $passing = $this->status === 429 || ($repeatable && $this->status >= 500);
        if (!$passing || $this->reason === 'DAILY_CAP_REACHED' || $this->status === 507) {
            return null;
        }
        $asked = $this->retryAfter ?? 0;
        return $asked > 60 ? null : max((float) $asked, $this->backoff($failures));
    }
}

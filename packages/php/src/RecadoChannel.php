<?php

declare(strict_types=1);

namespace Recado;

/**
 * Laravel notification channel. A notification lists `RecadoChannel::class` in `via()` and returns the body of a send
 * from `toRecado($notifiable)`; the notifiable's number is `routeNotificationFor('recado')`. The notification's id is the
 * Idempotency-Key, so that a queued job that is retried sends nothing twice.
 */
final class RecadoChannel
{
    public function __construct(private readonly Recado $recado, private readonly string $instanceId)
    {
    }

    /** Sends the notification; returns the message, or null if the notifiable has no number. */
    public function send(object $notifiable, object $notification): ?array
    {
        $to = $notifiable->routeNotificationFor('recado', $notification);
        if (!is_string($to) || $to === '') {
            return null;
        }
        $body = $notification->toRecado($notifiable);
        $body = is_string($body) ? ['type' => 'text', 'text' => $body] : $body;
        return $this->recado->send($this->instanceId, ['to' => $to] + $body, $notification->id ?? null);
    }
}

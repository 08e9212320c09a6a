<?php

declare(strict_types=1);

namespace Recado;

/** Verification of deliveries (Standard Webhooks). */
final class Webhook
{
    private const TOLERANCE_SECONDS = 300;

    /**
     * Returns the event of a delivery. Throws SignatureException.
     *
     * @param string $rawBody the body as received
     * @param array<string, string|string[]> $headers
     * @param string|string[] $secrets one or more `whsec_…`
     */
    public static function verify(string $rawBody, array $headers, string|array $secrets, ?int $now = null): array
    {
        $given = [];
        foreach ($headers as $name => $value) {
            $given[strtolower((string) $name)] = is_array($value) ? ($value[0] ?? '') : $value;
        }
        $id = $given['webhook-id'] ?? '';
        $sentAt = $given['webhook-timestamp'] ?? '';
        $signatures = $given['webhook-signature'] ?? '';
        if ($id === '' || $sentAt === '' || $signatures === '') {
            throw new SignatureException('faltam os cabeçalhos webhook-id, webhook-timestamp e webhook-signature');
        }
        if (!ctype_digit($sentAt) || abs(($now ?? time()) - (int) $sentAt) > self::TOLERANCE_SECONDS) {
            throw new SignatureException(
                'o horário da entrega está fora da tolerância: confira o relógio deste servidor',
            );
        }
        foreach ((array) $secrets as $secret) {
            $key = base64_decode(substr($secret, strlen('whsec_')), true);
            // A cut setting would leave a key that anyone can guess.
            if ($key === false || strlen($key) < 24 || !str_starts_with($secret, 'whsec_')) {
                throw new SignatureException('o segredo do webhook começa com whsec_ e vem inteiro na criação dele');
            }
            $mac = hash_hmac('sha256', "{$id}.{$sentAt}.{$rawBody}", $key, true);
            $expected = 'v1,' . base64_encode($mac);
            foreach (explode(' ', $signatures) as $signature) {
                if (hash_equals($expected, $signature)) {
                    $event = json_decode($rawBody, true);
                    return is_array($event) ? $event : throw new SignatureException('o corpo não é um evento do Recado');
                }
            }
        }
        throw new SignatureException(
            'a assinatura não confere: use o corpo recebido, byte a byte, e o segredo do webhook',
        );
    }
}

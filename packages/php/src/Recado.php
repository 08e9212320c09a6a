<?php

declare(strict_types=1);

namespace Recado;

/**
 * Client of Recado: the most used calls, and retries that send nothing twice. Every call returns the response body as an
 * array, and throws ApiException for an error response or ConnectionException if there was none.
 */
final class Recado
{
    /** POSTs that do not honor Idempotency-Key: repeated only if they were not run. */
    private const ONCE = '~/(history|pairing-code|pairing-link|presence|qr-token|rotate-secret|templates|webhooks)$~';

    /** Items whose ids are remembered, so that none is yielded again if the list grows meanwhile. */
    private const MAX_SEEN = 10_000;

    private const LOCAL = ['test' => 'http://sandbox.localhost:3000', 'live' => 'http://localhost:3000'];
    private readonly string $baseUrl;

    /**
     * @param string|null $baseUrl the host of the key's mode; by default of a server on this machine
     * @param array<string, string> $headers additional request headers
     */
    public function __construct(
        private readonly string $apiKey,
        ?string $baseUrl = null,
        private readonly float $timeout = 30.0,
        private readonly int $maxRetries = 4,
        private readonly array $headers = [],
    ) {
        if (preg_match('/^svc_(test|live)_\w+$/D', $apiKey, $found) !== 1) {
            throw new RecadoException('apiKey: informe a chave de API inteira (svc_test_… ou svc_live_…)');
        }
        $this->baseUrl = rtrim($baseUrl ?? (getenv('RECADO_URL') ?: self::LOCAL[$found[1]]), '/');
        if (preg_match('~^https?://~', $this->baseUrl) !== 1) {
            throw new RecadoException('baseUrl: use um endereço com http:// ou https://');
        }
    }

    /** Mode, Project, credits and daily cap of the key. */
    public function me(): array
    {
        return $this->call('GET', '/v1/me');
    }

    /** @return \Generator<array> the instances of the key's mode */
    public function instances(): \Generator
    {
        return $this->pages('/v1/instances');
    }

    public function createInstance(string $name, array $fields = []): array
    {
        return $this->call('POST', '/v1/instances', ['name' => $name] + $fields);
    }

    public function instance(string $id): array
    {
        return $this->call('GET', '/v1/instances/' . rawurlencode($id));
    }

    /** @param array $fields others of the message, such as `mentions` */
    public function sendText(
        string $instanceId,
        string $to,
        string $text,
        ?string $idempotencyKey = null,
        array $fields = [],
    ): array {
        return $this->send($instanceId, ['type' => 'text', 'to' => $to, 'text' => $text] + $fields, $idempotencyKey);
    }

    /**
     * @param string $type image, video, audio or document
     * @param array $media `url`, `base64` or `mediaId`
     * @param array $fields others of the message, such as `caption`
     */
    public function sendMedia(
        string $instanceId,
        string $to,
        string $type,
        array $media,
        array $fields = [],
        ?string $idempotencyKey = null,
    ): array {
        return $this->send($instanceId, ['type' => $type, 'to' => $to, 'media' => $media] + $fields, $idempotencyKey);
    }

    /** Sends any kind of message, selected by `type`. */
    public function send(string $instanceId, array $body, ?string $idempotencyKey = null): array
    {
        $path = '/v1/instances/' . rawurlencode($instanceId) . '/messages';
        return $this->call('POST', $path, $body, $idempotencyKey);
    }

    /** @return \Generator<array> messages, newest first */
    public function messages(string $instanceId, array $filters = []): \Generator
    {
        return $this->pages('/v1/instances/' . rawurlencode($instanceId) . '/messages', $filters);
    }

    public function message(string $instanceId, string $messageId): array
    {
        $path = '/v1/instances/' . rawurlencode($instanceId) . '/messages/' . rawurlencode($messageId);
        return $this->call('GET', $path);
    }

    public function markRead(string $instanceId, array $waMessageIds): array
    {
        $path = '/v1/instances/' . rawurlencode($instanceId) . '/messages/read';
        return $this->call('POST', $path, ['waMessageIds' => $waMessageIds]);
    }

    public function checkContacts(string $instanceId, array $phones): array
    {
        $path = '/v1/instances/' . rawurlencode($instanceId) . '/contacts/check';
        return $this->call('POST', $path, ['phones' => $phones]);
    }

    /** Returns the webhook with its secret, once. Not repeated if its response is lost. */
    public function createWebhook(string $name, string $url, array $events = []): array
    {
        $body = ['name' => $name, 'url' => $url] + ($events === [] ? [] : ['events' => $events]);
        return $this->call('POST', '/v1/webhooks', $body);
    }

    /** @return \Generator<array> every item of a list, page by page */
    public function pages(string $path, array $filters = []): \Generator
    {
        $given = array_map(fn ($value) => is_bool($value) ? ($value ? 'true' : 'false') : $value, $filters);
        $first = $offset = (int) ($given['offset'] ?? 0);
        $gap = null;
        $seen = [];
        while (true) {
            $page = $this->call('GET', $path . '?' . http_build_query(['offset' => $offset] + $given));
            $items = [];
            foreach ($page['items'] as $item) {
                $items['#' . json_encode($item['id'] ?? $item)] = $item;
            }
            // Pages overlap by one item. If none is known, items were removed, and others moved up before this page; or it
            // is the page at which the walk went back in vain.
            $isUnknown = $page['limit'] > 1 && array_intersect_key($items, $seen) === [];
            if ($offset > $first && $offset !== $gap && $isUnknown) {
                $gap ??= $offset;
                $offset = max($first, $offset - $page['limit']);
                continue;
            }
            $fresh = array_diff_key($items, $seen);
            $gap = $fresh === [] ? $gap : null;
            $seen = (count($seen) > self::MAX_SEEN ? [] : $seen) + array_map(fn () => true, $items);
            foreach ($fresh as $item) {
                yield $item;
            }
            if (!$page['hasMore']) {
                return;
            }
            $offset += max(1, count($items) - 1);
        }
    }

    /** Makes any call. Repeats it after transient failures, with one Idempotency-Key for all attempts. */
    public function call(
        string $method,
        string $path,
        ?array $body = null,
        ?string $idempotencyKey = null,
    ): array {
        $repeatable = $method !== 'POST' || !preg_match(self::ONCE, $path);
        $key = $idempotencyKey ?? bin2hex(random_bytes(16));
        // A line break would become another header.
        if (preg_match('/^[\x20-\x7e]{1,255}$/D', $key) !== 1) {
            throw new RecadoException('idempotencyKey: use até 255 caracteres ASCII');
        }
        $mayHaveRun = false;
        for ($failures = 0; ; $failures++) {
            try {
                return $this->attempt($method, $path, $body, $key);
            } catch (RecadoException $failure) {
                $delay = $failure->retryDelay($failures, $repeatable);
                $mayHaveRun = $mayHaveRun || $failure->mayHaveRun();
                if ($delay === null || $failures === $this->maxRetries) {
                    if ($mayHaveRun && $method !== 'GET') {
                        $failure->sayUncertain($repeatable ? $key : null);
                    }
                    throw $failure;
                }
                usleep((int) ($delay * 1_000_000));
            }
        }
    }

    /** @param string[] $lines of the response's head */
    private static function headerOf(string $name, array $lines): ?string
    {
        foreach ($lines as $line) {
            [$given, $value] = explode(':', $line, 2) + [1 => ''];
            if (strtolower($given) === $name) {
                return trim($value);
            }
        }
        return null;
    }

    private function attempt(string $method, string $path, ?array $body, string $key): array
    {
        $headers = $this->headers + ['Authorization' => "Bearer {$this->apiKey}", 'Idempotency-Key' => $key];
        $content = null;
        if ($body !== null) {
            $headers['Content-Type'] = 'application/json';
            try {
                // An empty array is an object without fields.
                $content = json_encode($body === [] ? new \stdClass() : $body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
            } catch (\JsonException $why) {
                throw new RecadoException('o corpo não pode virar JSON; use textos em UTF-8', 0, $why);
            }
        }
        $lines = array_map(fn (string $name) => "{$name}: {$headers[$name]}", array_keys($headers));
        $http = [
            'method' => $method,
            'header' => $lines,
            'content' => $content ?? '',
            'timeout' => $this->timeout,
            'ignore_errors' => true,
            'follow_location' => 0,
            'protocol_version' => 1.1,
        ];
        $http['header'][] = 'Connection: close';
        $why = '';
        // Frameworks have handlers of their own, after which error_get_last() is empty.
        set_error_handler(function (int $level, string $message) use (&$why): bool {
            $why .= $message;
            return true;
        });
        try {
            $text = file_get_contents($this->baseUrl . $path, false, stream_context_create(['http' => $http]));
        } finally {
            restore_error_handler();
        }
        if ($text === false || !isset($http_response_header[0])) {
            $isUnsent = preg_match('/refused|getaddrinfo|no suitable wrapper/i', $why) === 1;
            throw new ConnectionException($this->sentenceOf($why === '' ? 'sem resposta' : $why), !$isUnsent);
        }
        $status = (int) explode(' ', $http_response_header[0])[1];
        $length = self::headerOf('content-length', $http_response_header);
        if ($length !== null && strlen($text) < (int) $length) {
            throw new ConnectionException("a resposta de {$this->baseUrl} chegou pela metade");
        }
        $target = self::headerOf('location', $http_response_header);
        if ($status >= 300 && $status < 400 && $target !== null) {
            preg_match('~^https?://[^/]+~i', $this->baseUrl, $own);
            $target = str_starts_with($target, '//') ? "http:{$target}" : $target;
            $origin = preg_match('~^https?://[^/]+~i', $target, $found) === 1 ? $found[0] : $own[0];
            $advice = $origin === $own[0] ? 'outra página, e não é o Recado: confira' : "{$origin}: use esse endereço em";
            $sentence = "{$this->baseUrl} redireciona para {$advice} baseUrl";
            throw new ApiException($status, ['error' => ['message' => $sentence]], $http_response_header);
        }
        $parsed = $text === '' && $status === 204 ? [] : json_decode($text, true);
        // Everything that Recado sends has a request id of this form; other servers have their own.
        $requestId = self::headerOf('x-request-id', $http_response_header) ?? '';
        $isRecado = str_starts_with($requestId, 'req_');
        if ($status < 300 && is_array($parsed) && $isRecado) {
            return $parsed;
        }
        $parsed = $isRecado || $status >= 300 ? $parsed : [];
        throw new ApiException($status, is_array($parsed) ? $parsed : [], $http_response_header);
    }

    private function sentenceOf(string $why): string
    {
        if (str_contains($why, 'no suitable wrapper')) {
            return 'este PHP não abre endereços: ligue allow_url_fopen e a extensão openssl';
        }
        if (str_contains($why, 'getaddrinfo') && str_contains($this->baseUrl, '.localhost')) {
            return "este sistema não encontra {$this->baseUrl}: "
                . 'acrescente a linha 127.0.0.1 sandbox.localhost a /etc/hosts';
        }
        return "sem conexão com {$this->baseUrl}: confira baseUrl e se o servidor está no ar ({$why})";
    }
}

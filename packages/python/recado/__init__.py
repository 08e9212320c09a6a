"""Client of Recado: the most used calls, retries that send nothing twice, and webhook verification.

Needs Python 3.9 or newer, and nothing else. Every call returns the response body as dict or list items, and raises
ApiError for an error response or ConnectionFailed if there was none.
"""

import base64
import hashlib
import hmac
import json
import os
import random
import re
import socket
import time
import uuid
from http.client import HTTPException
from urllib import error, parse, request

__all__ = ["ApiError", "ConnectionFailed", "Recado", "RecadoError", "SignatureError", "verify_webhook"]

LOCAL = {"test": "http://sandbox.localhost:3000", "live": "http://localhost:3000"}
TOLERANCE_SECONDS = 300
# Items whose ids are remembered, so that none is yielded again if the list grows meanwhile.
MAX_SEEN = 10_000
# POSTs that do not honor Idempotency-Key: repeated only if they were not run.
ONCE = re.compile(r"/(history|pairing-code|pairing-link|presence|qr-token|rotate-secret|templates|webhooks)$")


class RecadoError(Exception):
    """Base class of everything that a call raises.

    `idempotency_key` is that of a call that may have been made, or None: repeated with it, the call is made once.
    """

    idempotency_key = None


class ConnectionFailed(RecadoError):
    """The server could not be reached, or did not respond in time."""


class SignatureError(RecadoError):
    """The signature, its headers or the time of a delivery is invalid: respond with 400 and ignore the body."""


class ApiError(RecadoError):
    """An error response. `retry_after` is in seconds, or None."""

    def __init__(self, status, body, headers):
        details = body.get("error") if isinstance(body, dict) else None
        if not isinstance(details, dict):
            # Other servers respond with JSON, too, such as {"error": "Not Found"}.
            details = _foreign(status)["error"]
        super().__init__(details.get("message", f"HTTP {status}"))
        self.status = status
        self.code = details.get("code")
        self.reason = details.get("reason")
        self.request_id = headers.get("x-request-id")
        seconds = headers.get("retry-after", "")
        self.retry_after = int(seconds) if seconds.isdigit() else None


class _RefuseRedirects(request.HTTPRedirectHandler):
    """A redirect would turn a POST into a GET, and send the key to another server."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        return None


_opener = request.build_opener(_RefuseRedirects)


class Recado:
    """`Recado(api_key)`; `base_url` is the host of the key's mode, by default RECADO_URL or a server on this machine."""

    def __init__(self, api_key, base_url=None, timeout=30.0, max_retries=4, headers=None):
        if not isinstance(api_key, str) or not re.fullmatch(r"svc_(test|live)_[A-Za-z0-9_]+", api_key):
            raise RecadoError("api_key: informe a chave de API inteira (svc_test_… ou svc_live_…)")
        mode = "test" if api_key.startswith("svc_test_") else "live"
        self._base_url = (base_url or os.environ.get("RECADO_URL") or LOCAL[mode]).rstrip("/")
        if not self._base_url.startswith(("http://", "https://")):
            raise RecadoError("base_url: use um endereço com http:// ou https://")
        self._timeout = timeout
        self._max_retries = max_retries
        self._headers = {"Authorization": f"Bearer {api_key}", **(headers or {})}

    def me(self):
        """Mode, Project, credits and daily cap of the key."""
        return self.call("GET", "/v1/me")

    def instances(self):
        """Yields the instances of the key's mode."""
        return self.pages("/v1/instances")

    def create_instance(self, name, **fields):
        return self.call("POST", "/v1/instances", {"name": name, **fields})

    def instance(self, instance_id):
        return self.call("GET", f"/v1/instances/{_part(instance_id)}")

    def send_text(self, instance_id, to, text, idempotency_key=None, **fields):
        body = {"to": to, "text": text, **fields}
        return self._send(instance_id, "/text", body, idempotency_key)

    def send_media(self, instance_id, to, type, media, idempotency_key=None, **fields):
        """`media` has `url`, `base64` or `mediaId`; `type` is image, video, audio or document."""
        body = {"to": to, "type": type, "media": media, **fields}
        return self._send(instance_id, "/media", body, idempotency_key)

    def send(self, instance_id, body, idempotency_key=None):
        """Sends any kind of message, selected by `type`."""
        return self._send(instance_id, "", body, idempotency_key)

    def messages(self, instance_id, **filters):
        """Yields messages, newest first."""
        return self.pages(f"/v1/instances/{_part(instance_id)}/messages", filters)

    def message(self, instance_id, message_id):
        return self.call("GET", f"/v1/instances/{_part(instance_id)}/messages/{_part(message_id)}")

    def mark_read(self, instance_id, wa_message_ids):
        path = f"/v1/instances/{_part(instance_id)}/messages/read"
        return self.call("POST", path, {"waMessageIds": wa_message_ids})

    def check_contacts(self, instance_id, phones):
        return self.call("POST", f"/v1/instances/{_part(instance_id)}/contacts/check", {"phones": phones})

    def create_webhook(self, name, url, events=None):
        """Returns the webhook with its secret, once. Not repeated if its response is lost."""
        body = {"name": name, "url": url, **({"events": events} if events else {})}
        return self.call("POST", "/v1/webhooks", body)

    def _send(self, instance_id, kind, body, idempotency_key):
        path = f"/v1/instances/{_part(instance_id)}/messages{kind}"
        return self.call("POST", path, body, idempotency_key=idempotency_key)

    def pages(self, path, filters=None):
        """Yields every item of a list, page by page."""
        given = {name: _query_value(value) for name, value in (filters or {}).items() if value is not None}
        first = offset = int(given.pop("offset", 0))
        gap, seen = None, set()
        while True:
            query = parse.urlencode({**given, "offset": offset})
            page = self.call("GET", f"{path}?{query}")
            items = {_id_of(item): item for item in page["items"]}
            # Pages overlap by one item. If none is known, items were removed, and others moved up before this page; or
            # it is the page at which the walk went back in vain.
            if offset > first and offset != gap and page["limit"] > 1 and not seen.intersection(items):
                gap = offset if gap is None else gap
                offset = max(first, offset - page["limit"])
                continue
            fresh = [item for key, item in items.items() if key not in seen]
            gap = None if fresh else gap
            if len(seen) > MAX_SEEN:
                seen.clear()
            seen.update(items)
            yield from fresh
            if not page["hasMore"]:
                return
            offset += max(1, len(items) - 1)

    def call(self, method, path, body=None, idempotency_key=None):
        """Makes any call. Repeats it after transient failures, with one Idempotency-Key for all attempts."""
        repeatable = method != "POST" or not ONCE.search(path)
        key = idempotency_key or str(uuid.uuid4())
        if not key.isascii() or not key.isprintable():
            raise RecadoError("idempotency_key: use até 255 caracteres ASCII")
        may_have_run = False
        for failures in range(self._max_retries + 1):
            try:
                return self._attempt(method, path, body, key)
            except RecadoError as failure:
                delay = _retry_delay(failure, failures, repeatable)
                may_have_run = may_have_run or _may_have_run(failure)
                if delay is None or failures == self._max_retries:
                    if may_have_run and method != "GET":
                        _say_uncertain(failure, key if repeatable else None)
                    raise
                time.sleep(delay)

    def _attempt(self, method, path, body, key):
        headers = {**self._headers, "Idempotency-Key": key}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        outgoing = request.Request(self._base_url + path, data=data, headers=headers, method=method)
        try:
            with _opener.open(outgoing, timeout=self._timeout) as response:
                return _parse(response.status, response.read(), response.headers)
        except error.HTTPError as failure:
            raise self._error_of(failure) from None
        # A response that ends before its length, too.
        except (OSError, HTTPException) as failure:
            raise ConnectionFailed(self._why(failure)) from failure

    def _why(self, failure):
        reason = getattr(failure, "reason", failure)
        if isinstance(reason, TimeoutError):
            return f"{self._base_url} não respondeu em {self._timeout} s"
        if isinstance(reason, socket.gaierror) and ".localhost" in self._base_url:
            hosts = "acrescente a linha 127.0.0.1 sandbox.localhost a /etc/hosts"
            return f"este sistema não encontra {self._base_url}: {hosts}"
        return f"sem conexão com {self._base_url}: confira base_url e se o servidor está no ar ({failure})"

    def _error_of(self, failure):
        try:
            text = failure.read()
        except (OSError, HTTPException) as cut:
            return ConnectionFailed(f"a resposta de {self._base_url} chegou pela metade ({cut})")
        target = failure.headers.get("location")
        if 300 <= failure.code < 400 and target:
            try:
                origin = "{0.scheme}://{0.netloc}".format(parse.urlsplit(parse.urljoin(self._base_url, target)))
            except ValueError:
                origin = "outro endereço"
            own = "{0.scheme}://{0.netloc}".format(parse.urlsplit(self._base_url))
            advice = "outra página, e não é o Recado: confira" if origin == own else f"{origin}: use esse endereço em"
            sentence = f"{self._base_url} redireciona para {advice} base_url"
            return ApiError(failure.code, {"error": {"message": sentence}}, failure.headers)
        try:
            parsed = json.loads(text)
        except ValueError:
            parsed = _foreign(failure.code)
        return ApiError(failure.code, parsed, failure.headers)


def _parse(status, text, headers):
    # Everything that Recado sends has a request id of this form; other servers have their own.
    if not headers.get("x-request-id", "").startswith("req_") or (not text and status != 204):
        raise ApiError(status, _foreign(status), headers)
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        raise ApiError(status, _foreign(status), headers) from None


def _foreign(status):
    message = f"a resposta {status} não é do Recado: confira se base_url aponta para ele e se o proxy o alcança"
    return {"error": {"message": message}}


def _id_of(item):
    return json.dumps(item["id"] if "id" in item else item, sort_keys=True)


def _say_uncertain(failure, key):
    """Says in the error of a call how to repeat it; without a key, the server would make it again."""
    how = "confira antes de repeti-la" if key is None else "repita-a com a idempotency_key deste erro"
    failure.args = (f"{failure}. A chamada pode ter sido feita: {how}",)
    failure.idempotency_key = key


def _may_have_run(failure):
    if isinstance(failure, ApiError):
        return failure.status >= 500
    reason = getattr(failure.__cause__, "reason", failure.__cause__)
    return not isinstance(reason, (ConnectionRefusedError, socket.gaierror))


def _query_value(value):
    return str(value).lower() if isinstance(value, bool) else value


def _part(value):
    if not isinstance(value, str) or not value:
        raise RecadoError(f"informe um id, e não {value!r}")
    return parse.quote(value, safe="")


def _retry_delay(failure, failures, repeatable):
    """Seconds until the next attempt; None if it would fail again or could repeat a change."""
    backoff = random.random() * min(8.0, 0.25 * 2**failures)
    if isinstance(failure, ApiError):
        passing = failure.status == 429 or (repeatable and failure.status >= 500)
        if not passing or failure.reason == "DAILY_CAP_REACHED" or failure.status == 507:
            return None
        asked = failure.retry_after or 0
        return None if asked > 60 else max(float(asked), backoff)
    return backoff if repeatable else None


def verify_webhook(raw_body, headers, secrets, now=None):
    """Verifies a delivery (Standard Webhooks) and returns its event. Raises SignatureError.

    `raw_body` is the body as received; `secrets` one or more `whsec_…`.
    """
    given = {name.lower(): value for name, value in (headers or {}).items()}
    try:
        identity, sent_at, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError:
        sentence = "faltam os cabeçalhos webhook-id, webhook-timestamp e webhook-signature"
        raise SignatureError(sentence) from None
    # Longer ones are no time, and Python does not convert them.
    if not re.fullmatch(r"[0-9]{1,15}", sent_at) or abs((now or time.time()) - int(sent_at)) > TOLERANCE_SECONDS:
        raise SignatureError("o horário da entrega está fora da tolerância: confira o relógio deste servidor")
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    signed = f"{identity}.{sent_at}.".encode() + body
    for secret in [secrets] if secrets is None or isinstance(secrets, (str, bytes)) else secrets:
        try:
            prefix, key = secret[: len("whsec_")], base64.b64decode(secret[len("whsec_") :], validate=True)
        except (TypeError, ValueError):
            prefix, key = "", b""
        # A cut setting would leave a key that anyone can guess.
        if prefix != "whsec_" or len(key) < 24:
            raise SignatureError("o segredo do webhook começa com whsec_ e vem inteiro na criação dele")
        expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        if any(hmac.compare_digest(expected.encode(), part.encode()) for part in signatures.split(" ")):
            try:
                return json.loads(raw_body)
            except ValueError:
                raise SignatureError("o corpo não é um evento do Recado") from None
    raise SignatureError("a assinatura não confere: use o corpo recebido, byte a byte, e o segredo do webhook")

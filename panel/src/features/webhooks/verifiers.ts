/** Code that verifies a delivery's signature over the raw body, before parsing, keyed by library or language. */
export const VERIFIERS: Record<string, string> = {
  'Standard Webhooks': `// npm install standardwebhooks
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.RECADO_SECRET)
const event = webhook.verify(rawBody, request.headers)`,
  'Node.js': `import { createHmac, timingSafeEqual } from 'node:crypto'

export function isGenuine(body, header, secret) {
  const expected = 'sha256=' + createHmac('sha256', secret).update(body).digest('hex')
  const [one, other] = [Buffer.from(expected), Buffer.from(header ?? '')]
  return one.length === other.length && timingSafeEqual(one, other)
}
// isGenuine(rawBody, request.headers['x-service-signature'], process.env.RECADO_SECRET)`,
  Python: `import hashlib, hmac

def is_genuine(body: bytes, header: str, secret: str) -> bool:
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, header or "")
# is_genuine(request.data, request.headers["X-Service-Signature"], os.environ["RECADO_SECRET"])`,
  PHP: `<?php
function is_genuine(string $body, string $header, string $secret): bool {
    return hash_equals('sha256=' . hash_hmac('sha256', $body, $secret), $header);
}
// is_genuine(file_get_contents('php://input'), $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', getenv('RECADO_SECRET'))`,
  Go: `func isGenuine(body []byte, header, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(header))
}
// isGenuine(body, request.Header.Get("X-Service-Signature"), os.Getenv("RECADO_SECRET"))`,
  Java: `static boolean isGenuine(byte[] body, String header, String secret) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    String expected = "sha256=" + HexFormat.of().formatHex(mac.doFinal(body));
    return MessageDigest.isEqual(expected.getBytes(UTF_8), header.getBytes(UTF_8));
}
// isGenuine(body, request.getHeader("X-Service-Signature"), System.getenv("RECADO_SECRET"))`,
}

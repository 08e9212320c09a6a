/** Operations of users who sign in, and streams, which the SDK follows in its own way: no call of an API key. */
export const NOT_CALLS =
  /^(login|refreshSession|logout|createKey|listKeys|revokeKey|streamQr|getQrImage|streamEvents)$/

/** Operations of users who sign in, streams, which the SDK follows in its own way, and an image, which a page shows by its address. */
export const NOT_CALLS =
  /^(login|refreshSession|logout|createKey|listKeys|revokeKey|streamQr|getQrImage|streamEvents)$/

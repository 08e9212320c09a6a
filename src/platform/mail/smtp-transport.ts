/** Creates a transport to an SMTP server; no step may take longer than `stepMs`. */
export async function openTransport(smtpUrl: string, stepMs: number) {
  // Loaded with the first mail, because most processes send none.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url: smtpUrl,
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
  })
}

/** Connects to an SMTP server and signs in. Throws if that fails, or if a step takes longer than `stepMs`. */
export async function verifySmtp(smtpUrl: string, stepMs: number): Promise<void> {
  const transport = await openTransport(smtpUrl, stepMs)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

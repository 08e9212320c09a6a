/** Whether the engine of WhatsApp, an optional dependency, is installed. */
export function isWhatsAppInstalled(): boolean {
  try {
    import.meta.resolve('baileys')
    import.meta.resolve('libsignal')
    return true
  } catch {
    return false
  }
}

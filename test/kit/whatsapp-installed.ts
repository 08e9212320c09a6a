/** Whether Baileys and libsignal, optional dependencies, are installed. */
export function isWhatsAppInstalled(): boolean {
  try {
    import.meta.resolve('baileys')
    import.meta.resolve('libsignal')
    return true
  } catch {
    return false
  }
}

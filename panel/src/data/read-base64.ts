/** Reads a file as base64. Rejects if the browser cannot read it. */
export function readBase64(file: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener('load', () => {
    const { result } = reader
    if (typeof result === 'string') resolve(result.replace(/^[^,]*,/, ''))
  })
  reader.addEventListener('error', () => reject(reader.error ?? new Error('cannot read the file')))
  reader.readAsDataURL(file)
  return promise
}

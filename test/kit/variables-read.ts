import { parseConfig } from '../../src/kernel/config/config.ts'

/** The variables that the configuration reads, with every store and payment service turned on. */
export function variablesRead(): string[] {
  const names = new Set<string>()
  const values: Record<string, string> = {
    MEDIA_STORE: 's3',
    S3_BUCKET: 'files',
    S3_ACCESS_KEY: 'key',
    S3_SECRET_KEY: 'secret',
  }
  const env = new Proxy(values, {
    get(target, name: string) {
      names.add(name)
      return target[name]
    },
  })
  parseConfig(env)
  return [...names].toSorted()
}

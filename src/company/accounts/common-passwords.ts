const MIN_LENGTH = 8

let loading: Promise<ReadonlySet<string>> | null = null

/** The most common passwords of leaks that are long enough to be chosen, in lower case. Loaded when first needed. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter((password) => password.length >= MIN_LENGTH))
}

/** Whether a password is among the first that an attacker tries. */
export async function isCommonPassword(password: string): Promise<boolean> {
  loading ??= load()
  return (await loading).has(password.toLowerCase())
}

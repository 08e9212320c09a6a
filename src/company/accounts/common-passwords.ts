const MIN_LENGTH = 8

let loading: Promise<ReadonlySet<string>> | null = null

/** Loads the most common leaked passwords of at least `MIN_LENGTH` characters, in lower case. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter((password) => password.length >= MIN_LENGTH))
}

/** Whether a password is among the most common leaked ones, ignoring case. */
export async function isCommonPassword(password: string): Promise<boolean> {
  loading ??= load()
  return (await loading).has(password.toLowerCase())
}

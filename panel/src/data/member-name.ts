/** How a name is shown that may be an address: an address without its domain. */
export const shortName = (nameOrEmail: string): string => nameOrEmail.split('@')[0] ?? nameOrEmail

/** What colleagues call a member: their name, or the part of the address before the at sign. */
export const memberName = ({ name, email }: { name: string | null; email: string }): string =>
  name ?? shortName(email)

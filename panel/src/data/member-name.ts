/** The name by which colleagues are shown: the part of the address before the at sign. */
export const shortName = (email: string): string => email.split('@')[0] ?? email

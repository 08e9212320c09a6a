/**
 * A phone number or LID as the audit log names it: its last four digits. The log cannot be changed, and would otherwise
 * keep the personal data of contacts that were erased.
 */
export const maskedAddress = (address: string): string => `…${address.split('@', 1)[0]?.slice(-4)}`

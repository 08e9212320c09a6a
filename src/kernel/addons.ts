/** The add-on that allows campaigns in production. */
export const MASS_SENDING = 'mass_sending'
/** What a company can buy besides its plan. */
export const ADDONS = [MASS_SENDING] as const
/** The name of an add-on, as stored in its Project. */
export type Addon = (typeof ADDONS)[number]

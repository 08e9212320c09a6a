import { ask } from './api.ts'

/** The signed-in user, with role and company. */
export type { Me } from './api-types.ts'

/** Loads the signed-in user, renewing the session if needed. Throws ApiError. */
export const readMe = () => ask('GET /panel/api/me')
/** Loads the company's plan, subscription and credits. Throws ApiError. */
export const readPlan = () => ask('GET /panel/api/plan')
/** Loads today's use of the daily limit of the test mode. Throws ApiError. */
export const readCap = () => ask('GET /panel/api/test/cap')
/** Ends the session on the server. Throws ApiError. */
export const signOut = () => ask('POST /v1/auth/logout')

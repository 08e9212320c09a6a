import { callPanel } from './api.ts'

/** The signed-in user, with role and company. */
export type { Me } from './api-types.ts'

/** Loads the signed-in user, renewing the session if needed. Throws ApiError. */
export const readMe = () => callPanel('GET /panel/api/me')
/** Loads the company's plan, subscription and credits. Throws ApiError. */
export const readPlan = () => callPanel('GET /panel/api/plan')
/** Loads today's use of the daily limit of the test mode. Throws ApiError. */
export const readCap = () => callPanel('GET /panel/api/test/cap')
/** Ends the session on the server. Throws ApiError. */
export const signOut = () => callPanel('POST /v1/auth/logout')

import { callPanel } from './api.ts'

/** The signed-in user, with role and company. */
export type { Me } from './api-types.ts'

const SIGNED_IN_KEY = 'recado.entrou'
/** Whether this browser was signed in before, so that a sign-in page means that a session has ended. */
export const wasSignedIn = (): boolean => localStorage.getItem(SIGNED_IN_KEY) !== null

/** Loads the signed-in user, renewing the session if needed. Throws ApiError. */
export async function readMe() {
  const me = await callPanel('GET /panel/api/me')
  localStorage.setItem(SIGNED_IN_KEY, 'sim')
  return me
}
/** Loads the company's plan, subscription and credits. Throws ApiError. */
export const readPlan = () => callPanel('GET /panel/api/plan')
/** Loads today's use of the daily limit of the test mode. Throws ApiError. */
export const readCap = () => callPanel('GET /panel/api/test/cap')
/** Ends the session on the server, and forgets what this tab keeps for it, such as drafts. Throws ApiError. */
export async function signOut() {
  await callPanel('POST /v1/auth/logout')
  localStorage.removeItem(SIGNED_IN_KEY)
  sessionStorage.clear()
}

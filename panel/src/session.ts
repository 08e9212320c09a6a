import { ask } from './api.ts'

export type { Me } from './api-types.ts'

export const readMe = () => ask('GET /panel/api/me')
export const readPlan = () => ask('GET /panel/api/plan')
export const readCap = () => ask('GET /panel/api/test/cap')
export const signOut = () => ask('POST /v1/auth/logout')

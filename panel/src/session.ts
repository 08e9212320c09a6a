import { call } from './api.ts'

export type Me = {
  id: string
  email: string
  role: 'Dono' | 'Admin' | 'Desenvolvedor' | 'Atendente' | 'Financeiro'
  secondFactor: boolean
  company: string
  projectId: string
  projectStatus: 'ACTIVE' | 'SUSPENDED'
  usageMode: 'CRM' | 'API' | 'BOTH'
}
export type Plan = {
  subscription: 'none' | 'active' | 'pending' | 'paused' | 'past_due' | 'canceled'
  exempt: boolean
  addons: string[]
  credits: number
  payments: 'manual' | 'stripe'
  contact: string
  manageable: boolean
  projectStatus: 'ACTIVE' | 'SUSPENDED'
}
export type Offer = {
  id: string
  kind: 'subscription' | 'mass_sending' | 'credits'
  credits: number | null
  amount: number
  currency: string
  interval: 'month' | 'year' | null
}
export type Cap = { used: number; limit: number; resetsAt: string }

export const readMe = () => call<Me>('GET', '/panel/api/me')
export const readPlan = () => call<Plan>('GET', '/panel/api/plan')
export const readCap = () => call<Cap>('GET', '/panel/api/test/cap')
export const signOut = () => call<null>('POST', '/v1/auth/logout')

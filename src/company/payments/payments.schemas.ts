import { MASS_SENDING } from '../../kernel/addons.ts'
import { Type } from 'typebox'
import { Nullable, Timestamp } from '../../kernel/schemas.ts'
import { ProjectStatus, Subscription, UsageMode } from '../projects/projects.schemas.ts'

/** Body that starts a checkout. */
export const CheckoutBody = Type.Object(
  { offer: Type.String({ minLength: 1, maxLength: 100 }) },
  { additionalProperties: false },
)

/** The subscription, add-ons and credits of a Project, and how it can pay. */
export const Plan = Type.Object(
  {
    subscription: Subscription,
    exempt: Type.Boolean(),
    addons: Type.Array(Type.String()),
    usageMode: UsageMode,
    projectStatus: ProjectStatus,
    credits: Nullable(Type.Integer()),
    payments: Type.Enum(['manual', 'stripe']),
    contact: Type.String({ description: "The operator's address" }),
    manageable: Type.Boolean({ description: 'Whether the payment service knows the company' }),
  },
  { title: 'Plan' },
)

/** A product that can be bought. `amount` is in the currency's smallest unit. */
const Offer = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum(['subscription', MASS_SENDING, 'credits']),
    credits: Nullable(Type.Integer()),
    amount: Type.Integer(),
    currency: Type.String(),
    interval: Nullable(Type.Enum(['month', 'year'])),
  },
  { title: 'Offer' },
)
/** The offers of the operator, cheapest first. */
export const Offers = Type.Object({ items: Type.Array(Offer) })
/** The latest invoices, newest first. */
export const Invoices = Type.Object({
  items: Type.Array(
    Type.Object(
      {
        id: Type.String(),
        number: Nullable(Type.String()),
        at: Timestamp,
        amount: Type.Integer(),
        currency: Type.String(),
        status: Type.Enum(['open', 'paid', 'void', 'uncollectible']),
        url: Nullable(Type.String()),
        lines: Type.Array(Type.Object({ description: Type.String(), amount: Type.Integer() })),
      },
      { title: 'Invoice' },
    ),
  ),
})
/** The URL of a page of the payment service, to which the browser is redirected. */
export const RedirectUrl = Type.Object({ url: Type.String() })

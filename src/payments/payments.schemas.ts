import { Type } from 'typebox'

export const CheckoutBody = Type.Object(
  { offer: Type.String({ minLength: 1, maxLength: 100 }) },
  { additionalProperties: false },
)

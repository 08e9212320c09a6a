import { Type, type Static, type TObject, type TProperties } from 'typebox'

/**
 * Defines an event: its name, a description of when it fires (Portuguese, for the API reference) and the fields of
 * `data`, to which `eventId` is added here (G45).
 */
export function defineEvent<const Name extends string, Fields extends TProperties>(definition: {
  name: Name
  when: string
  data: Fields
  example: Static<TObject<Fields>>
}) {
  const { name, when, data, example } = definition
  return { name, when, data: Type.Object({ eventId: Type.String(), ...data }), example }
}

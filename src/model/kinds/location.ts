import { Type } from 'typebox'
import { Nullable } from '../../kernel/schemas.ts'
import { defineMessageKind } from '../define-message-kind.ts'

/** A place on the map. */
export const location = defineMessageKind({
  name: 'location',
  path: '/location',
  summary: 'Enviar uma localização',
  fields: {
    latitude: Type.Number({ minimum: -90, maximum: 90, examples: [-23.55052] }),
    longitude: Type.Number({ minimum: -180, maximum: 180, examples: [-46.633308] }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    address: Type.Optional(Type.String({ maxLength: 500 })),
  },
  toContent: ({ latitude, longitude, name = null, address = null }) => ({
    type: 'location' as const,
    latitude,
    longitude,
    name,
    address,
  }),
  example: { type: 'location', latitude: -23.5, longitude: -46.6, name: 'Sé', address: null },
  textOf: (content) => content.name,
  shown: {
    location: Nullable(
      Type.Object(
        {
          latitude: Type.Number(),
          longitude: Type.Number(),
          name: Nullable(Type.String()),
          address: Nullable(Type.String()),
        },
        { title: 'Location' },
      ),
    ),
  },
  show: ({ latitude, longitude, name, address }) => ({
    location: { latitude, longitude, name, address },
  }),
})

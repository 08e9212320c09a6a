import { Type, type Static } from 'typebox'
import { Nullable } from '../../kernel/schemas.ts'
import { BusinessProfile, MAX_ABOUT } from '../../model/profile.schemas.ts'

const business = {
  description: 'Pães, bolos e café',
  category: 'Padaria',
  email: 'oi@padaria.com.br',
  address: 'Rua das Flores, 10, São Paulo',
  websites: ['https://padaria.com.br'],
}

/** The profile that a person, or the number itself, shows on the network; null fields are not shown. */
export const Profile = Type.Object(
  {
    name: Nullable(Type.String()),
    about: Nullable(Type.String()),
    business: Nullable(BusinessProfile),
  },
  { title: 'Profile', examples: [{ name: 'Padaria', about: 'Aberto até as 20h', business }] },
)
export type Profile = Static<typeof Profile>

/** Body that changes the number's own “about” text. */
export const PatchProfileBody = Type.Object(
  { about: Type.String({ maxLength: MAX_ABOUT, examples: ['Aberto até as 20h'] }) },
  { additionalProperties: false },
)

/** The size of a picture. */
export const PictureQuery = Type.Object({
  size: Type.Optional(
    Type.Union([Type.Literal('full'), Type.Literal('preview')], {
      default: 'full',
      description: '`full` tem até 640 pixels; `preview`, cerca de 96',
    }),
  ),
})

/** The size of a conversation's picture, and whether to return only a stored one. */
export const ChatPictureQuery = Type.Object({
  ...PictureQuery.properties,
  cached: Type.Optional(
    Type.Boolean({
      default: false,
      examples: [true],
      description:
        'com `true`, só a foto já guardada, de qualquer data e sem consultar a rede: para listas',
    }),
  ),
})

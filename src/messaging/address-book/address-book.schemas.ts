import { Type, type Static } from 'typebox'
import { Words } from '../../kernel/schemas.ts'
import { MAX_FIELDS } from '../contacts/contacts.schemas.ts'

const MAX_NAME_LENGTH = 120
const MAX_FIELD_NAME_LENGTH = 40
const MAX_FIELD_LENGTH = 500
/** Maximum contacts in one import. */
const MAX_IMPORTED = 1000

const name = Type.String({
  maxLength: MAX_NAME_LENGTH,
  description: 'O nome que a equipe dá; vazio volta ao nome do perfil',
})
const fields = Type.Record(
  Type.String({ pattern: `^\\S(?:.{0,${MAX_FIELD_NAME_LENGTH - 2}}\\S)?$` }),
  Type.String({ maxLength: MAX_FIELD_LENGTH }),
  {
    maxProperties: MAX_FIELDS,
    additionalProperties: false,
    description: `Até ${MAX_FIELDS} campos, com nomes de até ${MAX_FIELD_NAME_LENGTH} caracteres. Os que não vêm ficam como estão; um texto vazio apaga o campo.`,
  },
)

/** Body that changes the contact details maintained by the team; at least one field is required. */
export const PatchContactBody = Type.Object(
  { name: Type.Optional(name), fields: Type.Optional(fields) },
  { additionalProperties: false },
)
export type PatchContactBody = Static<typeof PatchContactBody>

/** Body with contacts to create or change, by phone number in any notation. */
export const ImportContactsBody = Type.Object(
  {
    contacts: Type.Array(
      Type.Object(
        {
          phone: Type.String({ maxLength: 40 }),
          name: Type.Optional(name),
          fields: Type.Optional(fields),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_IMPORTED },
    ),
  },
  { additionalProperties: false },
)
export type ImportContactsBody = Static<typeof ImportContactsBody>

/** The number of contacts that an import stored, and the entries that it rejected. */
export const ImportedContacts = Type.Object(
  {
    imported: Type.Integer(),
    problems: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Posição na lista, a partir de 0' }),
        phone: Type.String(),
        reason: Words(['invalid_number', 'too_many_fields']),
        message: Type.String(),
      }),
    ),
  },
  {
    title: 'ImportedContacts',
    examples: [
      {
        imported: 41,
        problems: [
          { index: 7, phone: '123', reason: 'invalid_number', message: 'telefone inválido: 123' },
        ],
      },
    ],
  },
)
export type ImportedContacts = Static<typeof ImportedContacts>

/** Body that names the contact to merge, by phone number or LID. */
export const MergeContactBody = Type.Object(
  { with: Type.String({ maxLength: 60, examples: ['123456789012345@lid'] }) },
  { additionalProperties: false },
)

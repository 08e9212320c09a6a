import { Type, type Static } from 'typebox'

/** Who becomes a recipient: the contacts of an instance, or the people whose conversation has a label. */
export const AudienceInput = Type.Object(
  {
    instanceId: Type.String({ maxLength: 64, description: 'A instância de quem são os contatos' }),
    labelId: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Só as pessoas cuja conversa tem esta etiqueta',
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'AudienceInput',
    examples: [
      {
        instanceId: 'ins_01jcqz3v8xf6k9m2n4p5r7s8t9',
        labelId: 'lab_01jcqz3v8xf6k9m2n4p5r7s8t9',
      },
    ],
  },
)
export type AudienceInput = Static<typeof AudienceInput>

/** An audience: how many people it has, the variables that a message may use, and the first people. */
export const Audience = Type.Object(
  {
    total: Type.Integer({ description: 'Quantas pessoas' }),
    variables: Type.Array(Type.String(), {
      description: 'As variáveis que a mensagem pode usar: nome, telefone e os campos dos contatos',
    }),
    first: Type.Array(
      Type.Object({
        to: Type.String({ description: 'O telefone, ou o LID de quem ainda não tem um' }),
        variables: Type.Record(Type.String(), Type.String()),
      }),
      { description: 'As três primeiras pessoas, com o valor das suas variáveis' },
    ),
  },
  {
    title: 'Audience',
    examples: [
      {
        total: 128,
        variables: ['nome', 'telefone', 'plano'],
        first: [
          {
            to: '+5511999998888',
            variables: { nome: 'Ana', telefone: '5511999998888', plano: 'anual' },
          },
        ],
      },
    ],
  },
)
export type Audience = Static<typeof Audience>

/** Filters of an audience. */
export const AudienceQuery = Type.Object({
  labelId: Type.Optional(Type.String({ maxLength: 64 })),
})

import { Type } from 'typebox'

export const StreamQuery = Type.Object({
  instanceId: Type.Optional(Type.String({ description: 'Só eventos desta instância' })),
  events: Type.Optional(
    Type.String({ description: 'Só estes eventos, separados por vírgula; ausente: todos' }),
  ),
})

import { Type } from 'typebox'

/** Query of the event stream: filters by instance and by event names. */
export const StreamQuery = Type.Object({
  instanceId: Type.Optional(Type.String({ description: 'Só eventos desta instância' })),
  events: Type.Optional(
    Type.String({ description: 'Só estes eventos, separados por vírgula; ausente: todos' }),
  ),
})

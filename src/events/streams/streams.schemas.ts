import { Type } from 'typebox'

/** Query of the event stream: filters by instance and by event names. */
export const StreamQuery = Type.Object({
  instanceId: Type.Optional(
    Type.String({ minLength: 1, description: 'Só eventos desta instância' }),
  ),
  events: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Só estes eventos, separados por vírgula; ausente: todos',
    }),
  ),
  ping: Type.Optional(
    Type.Boolean({
      examples: [true],
      description:
        'Com `true`, também um quadro {"type":"ping"} a cada 25 s, para clientes que não veem os pings do protocolo',
    }),
  ),
})

import { Type } from 'typebox'

/** Maximum messages that a WhatsApp phone shares per request. */
const MAX_COUNT = 50

/** Body that requests older messages. */
export const HistoryRequestBody = Type.Object(
  {
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_COUNT,
        description: 'Quantas mensagens, no máximo; 50 se ausente',
      }),
    ),
  },
  { additionalProperties: false },
)

/** The number of messages requested. */
export const HistoryRequest = Type.Object(
  { requested: Type.Integer() },
  { title: 'HistoryRequest', examples: [{ requested: 50 }] },
)

import { Type, type Static } from 'typebox'

/** The timers for disappearing messages that phones offer, in seconds; 0 turns them off. */
export const DISAPPEARING_SECONDS = [0, 86_400, 604_800, 7_776_000] as const

const fields = {
  onlyAdminsSend: Type.Boolean({ description: 'Só administradores enviam mensagens' }),
  onlyAdminsEdit: Type.Boolean({
    description: 'Só administradores mudam nome, descrição, foto e configurações',
  }),
  joinApproval: Type.Boolean({
    description: 'Quem entra pelo convite precisa da aprovação de um administrador',
  }),
  disappearingSeconds: Type.Unsafe<(typeof DISAPPEARING_SECONDS)[number]>({
    type: 'integer',
    enum: [...DISAPPEARING_SECONDS],
    description: 'Depois de quantos segundos as mensagens somem; 0 para nunca',
  }),
}

/** The settings of a group. */
export const GroupSettings = Type.Object(fields, { title: 'GroupSettings' })
export type GroupSettings = Static<typeof GroupSettings>

/** Settings to change; the others stay as they are. */
export const GroupSettingsChange = Type.Partial(Type.Object(fields), {
  additionalProperties: false,
  minProperties: 1,
  title: 'GroupSettingsChange',
})

/** The settings of a new group. */
export const INITIAL_SETTINGS: GroupSettings = {
  onlyAdminsSend: false,
  onlyAdminsEdit: false,
  joinApproval: false,
  disappearingSeconds: 0,
}

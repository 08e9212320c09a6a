/** The default time zone. */
export const SAO_PAULO = 'America/Sao_Paulo'

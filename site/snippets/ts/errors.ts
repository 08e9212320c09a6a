import { ApiError, PaymentRequiredError, RateLimitError, Recado } from '@recado/sdk'

const recado = new Recado({ apiKey: process.env.RECADO_KEY! })

try {
  await recado.messages.sendText(process.env.INSTANCE!, { to: '123', text: 'oi' })
} catch (error) {
  if (error instanceof PaymentRequiredError && error.reason === 'INSUFFICIENT_CREDITS') {
    console.log('buy credits')
  } else if (error instanceof RateLimitError && error.reason === 'DAILY_CAP_REACHED') {
    console.log('the limit of the day was reached')
  } else if (error instanceof ApiError) {
    console.log(error.status, error.code, error.message, error.requestId)
  } else throw error
}

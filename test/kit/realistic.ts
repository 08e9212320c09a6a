import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { oggOf } from './files.ts'
import { connectByApi, type Stage } from './panel.ts'

/** Ids of what `fillRealistically` creates, for the addresses of their pages. */
export type Realistic = {
  instanceId: string
  conversationId: string
  webhookId: string
  campaignId: string
  groupId: string
}

const CUSTOMERS = [
  ['Ana Beatriz Carvalho', '+5511980380700', 'Oi! Vocês fazem bolo de cenoura sem glúten?'],
  [
    'Carlos Eduardo Oficina',
    '+5521994899123',
    'O orçamento ficou pronto? Preciso do carro na sexta.',
  ],
  [
    'Condomínio Jardim das Acácias',
    '+5531999990021',
    'Podem entregar 40 pães na portaria amanhã às 7h?',
  ],
  ['Dona Lúcia', '+5511987651234', 'Muito obrigada, chegou tudo certinho!'],
  ['Escola Pequeno Príncipe', '+5548991234567', 'Segue a lista das crianças com alergia.'],
  ['Fernando Albuquerque Neto', '+5585988776655', 'Qual o horário de vocês no feriado?'],
  ['Gabriela', '+5511912345678', 'Pix enviado.'],
  [
    'Henrique Vasconcelos',
    '+5561998123456',
    'Pode trocar o endereço? Mudei para a Rua das Palmeiras, 1204, bloco C.',
  ],
] as const

/** A picture with a soft gradient, as a photo would fill its place. */
function drawPicture(): string {
  const png = new PNG({ width: 480, height: 320 })
  for (let y = 0; y < png.height; y++) {
    for (let x = 0; x < png.width; x++) {
      const at = (y * png.width + x) * 4
      png.data[at] = 190 + (x * 40) / png.width
      png.data[at + 1] = 150 + (y * 60) / png.height
      png.data[at + 2] = 110
      png.data[at + 3] = 255
    }
  }
  return PNG.sync.write(png).toString('base64')
}

const VOICE_PACKET_SAMPLES = 960

/** A voice note of four seconds, whose loudness rises and falls as speech does: the browser has the encoder. */
async function recordVoice(page: Page): Promise<string> {
  const packets = await page.evaluate<string[]>(`(async () => {
    const packets = []
    const encoder = new AudioEncoder({
      output: (chunk) => {
        const bytes = new Uint8Array(chunk.byteLength)
        chunk.copyTo(bytes)
        packets.push(btoa(String.fromCharCode(...bytes)))
      },
      error: (error) => { throw error },
    })
    encoder.configure({ codec: 'opus', sampleRate: 48000, numberOfChannels: 1, bitrate: 24000 })
    for (let packet = 0; packet < 200; packet++) {
      const data = new Float32Array(${VOICE_PACKET_SAMPLES})
      for (let index = 0; index < data.length; index++) {
        const at = (packet * data.length + index) / 48000
        const word = Math.max(0, Math.sin(at * 9) * Math.sin(at * 2.3 + 1)) ** 0.7
        data[index] = word * 0.6 * Math.sin(at * 2 * Math.PI * 180)
      }
      const timestamp = packet * 20000
      encoder.encode(new AudioData({ format: 'f32', sampleRate: 48000, numberOfFrames: data.length, numberOfChannels: 1, timestamp, data }))
    }
    await encoder.flush()
    return packets
  })()`)
  const bytes = packets.map((packet) => Buffer.from(packet, 'base64'))
  return oggOf(bytes, VOICE_PACKET_SAMPLES).toString('base64')
}

/**
 * Fills test mode with what a bakery has after a day: conversations of all kinds, labels, groups, calls, webhooks that
 * work and fail, a campaign and keys. Stays within the daily limit of test mode.
 */
export async function fillRealistically(page: Page, stage: Stage): Promise<Realistic> {
  const { origin } = stage
  // Encoders are given to pages only.
  await page.goto(`${origin}/entrar`)
  const { id: instanceId, phone: number } = await connectByApi(page, origin)
  const call = async <Body = { id: string }>(
    method: 'POST' | 'PATCH' | 'PUT' | 'GET',
    path: string,
    data?: object,
  ): Promise<Body> => {
    const answer = await page.request.fetch(`${origin}/panel/api/test/v1${path}`, {
      method,
      headers: { 'x-recado-panel': '1' },
      ...(data ? { data } : {}),
    })
    if (!answer.ok())
      throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`)
    const text = await answer.text()
    return (text ? JSON.parse(text) : null) as Body
  }
  const base = `/instances/${instanceId}`
  const inbox = await call<{ id: string; url: string }>('POST', '/simulator/inboxes', {
    name: 'Recebimento de testes',
  })
  const webhook = await call('POST', '/webhooks', { name: 'ERP da padaria', url: inbox.url })
  await call('POST', '/webhooks', {
    name: 'Planilha do contador',
    url: 'https://hooks.planilha-do-contador.invalid/recado/entrada/8f2c1d7a9b',
    events: ['message.received', 'message.status'],
  })
  for (const name of ['ERP de pedidos', 'Site', 'Integração da contabilidade'])
    await call('POST', '/keys', { name, expiresInDays: 90 })
  const labels = []
  for (const [name, color] of [
    ['Encomenda', '#ff9485'],
    ['Pago', '#64c4ff'],
    ['Entregar hoje', '#ffd429'],
  ])
    labels.push(await call('POST', `${base}/labels`, { name, color }))
  const phones = []
  for (const [name, phone, text] of CUSTOMERS) {
    const made = await call('POST', '/simulator/phones', { name, phone })
    phones.push(made)
    await call('POST', `/simulator/phones/${made.id}/messages`, { to: number, text })
  }
  const first = phones[0]?.id ?? ''
  const say = (text: string) =>
    call('POST', `${base}/messages`, { to: CUSTOMERS[0][1], text, type: 'text' })
  await say('Oi, Ana! Fazemos sim, com farinha de arroz. Para quantas pessoas?')
  await call('POST', `/simulator/phones/${first}/messages`, {
    to: number,
    text: 'Para umas 15. Quero assim:',
  })
  await call('POST', `/simulator/phones/${first}/messages`, {
    to: number,
    type: 'image',
    media: { base64: drawPicture(), mimeType: 'image/png' },
    caption: 'com cobertura de *chocolate*',
  })
  await call('POST', `/simulator/phones/${first}/messages`, {
    to: number,
    type: 'audio',
    voice: true,
    media: { base64: await recordVoice(page), mimeType: 'audio/ogg' },
  })
  await say('Fica lindo! Sai por R$ 180, com entrega. Pode ser sábado às 15h?')
  await call('POST', `${base}/messages`, {
    to: CUSTOMERS[0][1],
    type: 'location',
    latitude: -23.5614,
    longitude: -46.6559,
    name: 'Padaria Pão Quente',
    address: 'Av. Paulista, 1578',
  })
  await call('POST', `${base}/messages`, { to: '+5511988880003', text: 'Seu pedido está pronto!' })
  await call('POST', `/simulator/phones/${first}/calls`, { to: number, video: false })
  const group = await call('POST', `${base}/groups`, {
    subject: 'Equipe da manhã',
    participants: [CUSTOMERS[1][1], CUSTOMERS[3][1]],
  })
  const { items } = await call<{ items: { id: string; chat: { name: string | null } }[] }>(
    'GET',
    `${base}/conversations`,
  )
  const conversationId = items.find(({ chat }) => chat.name?.startsWith('Ana'))?.id ?? ''
  await call('PUT', `${base}/labels/${labels[0]?.id}/conversations/${conversationId}`)
  for (const { id } of items.slice(2, 5))
    await call('PUT', `${base}/labels/${labels[1]?.id}/conversations/${id}`)
  await call('POST', `${base}/conversations/${conversationId}/notes`, {
    text: 'Cliente antiga: prefere pagar por Pix e sempre pede nota.',
  })
  for (const [shortcut, text] of [
    ['horario', 'Oi, {{nome}}! Atendemos de segunda a sábado, das 7h às 20h.'],
    ['pix', 'Nossa chave Pix é o CNPJ 11.222.333/0001-81. Mande o comprovante aqui, por favor.'],
  ])
    await call('POST', '/quick-replies', { shortcut, text })
  const campaign = await call('POST', '/campaigns', {
    name: 'Promoção de Natal: panetones da casa',
    instanceIds: [instanceId],
    message: {
      type: 'text',
      text: 'Oi, {{nome}}! Panetone da casa com 20% de desconto até sexta.',
    },
    recipients: CUSTOMERS.map(([nome, to]) => ({ to, variables: { nome } })),
    pacing: null,
  })
  await call('POST', `/campaigns/${campaign.id}/start`)
  return {
    instanceId,
    conversationId,
    webhookId: webhook.id,
    campaignId: campaign.id,
    groupId: group.id,
  }
}

/** The addresses of all pages in test mode, without the mode, by a short name. */
export function pagesOf(made: Realistic): Record<string, string> {
  const { instanceId, conversationId, webhookId, campaignId, groupId } = made
  return {
    home: 'inicio',
    instances: 'instancias',
    instance: `instancias/${instanceId}`,
    messages: `instancias/${instanceId}/mensagens`,
    conversations: 'conversas',
    conversation: `conversas?conversa=${conversationId}`,
    contacts: 'contatos',
    groups: 'grupos',
    group: `grupos?grupo=${groupId}`,
    labels: 'etiquetas',
    calls: 'chamadas',
    'quick-replies': 'respostas',
    campaigns: 'campanhas',
    'new-campaign': 'campanhas/nova',
    campaign: `campanhas/${campaignId}`,
    keys: 'chaves',
    webhooks: 'webhooks',
    webhook: `webhooks/${webhookId}`,
    'new-webhook': 'webhooks/novo',
    events: 'eventos',
    requests: 'requisicoes',
    phone: 'telefone',
    'test-inbox': 'caixa',
    usage: 'uso',
    plan: 'plano',
    team: 'equipe',
    audit: 'auditoria',
    settings: 'configuracoes',
    security: 'configuracoes?aba=seguranca',
    appearance: 'configuracoes?aba=aparencia',
    notifications: 'configuracoes?aba=notificacoes',
  }
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callApi } from '../../data/api.ts'
import type { Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Field } from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ActionForm, trimmedText } from '../../ui/form.tsx'

const FIELDS = ['phoneNumberId', 'businessAccountId', 'accessToken', 'appSecret'] as const
const SECRET = new Set<string>(['accessToken', 'appSecret'])

/** Connects an instance to Meta's official API with the data of its account. */
export function CloudAccount({ instance }: { instance: Instance }) {
  const { mode } = usePanel()
  const { id, status } = instance
  const client = useQueryClient()
  const query = useQuery({
    queryKey: [mode, 'cloud-account', id],
    queryFn: () => callApi(mode, 'GET /v1/instances/{id}/cloud-account', { params: [id] }),
    // There is none before the first connection.
    retry: false,
  })
  const account = query.data
  async function connect(form: FormData) {
    const [phoneNumberId = '', businessAccountId = '', accessToken = '', appSecret = ''] =
      FIELDS.map((name) => trimmedText(form, name))
    const body = { phoneNumberId, businessAccountId, accessToken, appSecret }
    const made = await callApi(mode, 'PUT /v1/instances/{id}/cloud-account', {
      params: [id],
      body,
    })
    client.setQueryData([mode, 'cloud-account', id], made)
    await client.invalidateQueries({ queryKey: [mode, 'instances'] })
  }
  return (
    <>
      <section className="card" aria-labelledby="conta-meta">
        <h2 id="conta-meta">{t.official.connect}</h2>
        <ol className="numbered">
          {[t.official.step1, t.official.step2, t.official.step3].map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <ActionForm
          act={connect}
          label={status === 'CONNECTED' ? t.official.replace : t.official.connect}
        >
          {FIELDS.map((name) => (
            <Field
              key={name}
              name={name}
              label={t.cloudFields[name]}
              hint={t.cloudHints[name]}
              type={SECRET.has(name) ? 'password' : 'text'}
              inputMode={SECRET.has(name) ? 'text' : 'numeric'}
              defaultValue={
                name === 'phoneNumberId' || name === 'businessAccountId' ? account?.[name] : ''
              }
              autoComplete="off"
              required
            />
          ))}
        </ActionForm>
      </section>
      {account && (
        <section className="card" aria-labelledby="webhook-meta">
          <h2 id="webhook-meta">{t.official.webhook}</h2>
          <p className={account.webhook.configured === false ? 'status warn' : 'quiet'}>
            {account.webhook.configured === false
              ? t.official.webhookByHand
              : t.official.webhookDone}
          </p>
          <dl className="facts">
            <div>
              <dt>{t.official.webhookUrl}</dt>
              <dd>
                <code>{account.webhook.url}</code> <CopyButton text={account.webhook.url} />
              </dd>
            </div>
            <div>
              <dt>{t.official.verifyToken}</dt>
              <dd>
                <code>{account.webhook.verifyToken}</code>{' '}
                <CopyButton text={account.webhook.verifyToken} />
              </dd>
            </div>
          </dl>
        </section>
      )}
    </>
  )
}

import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ActionButton } from '../../ui/form.tsx'
import { absoluteMinute } from '../../ui/time.tsx'

/** Makes a link for someone who has the number's phone and no account. */
export function PairingLink({ id }: { id: string }) {
  const { mode } = usePanel()
  const [link, setLink] = useState<{ url: string; expiresAt: string } | null>(null)
  return (
    <details>
      <summary>{t.pairLink.offer}</summary>
      <div className="stack-small">
        <p>{t.pairLink.offerText}</p>
        {link && (
          <>
            <code className="link-once">{link.url}</code>
            <p className="quiet">{t.pairLink.until(absoluteMinute(Date.parse(link.expiresAt)))}</p>
          </>
        )}
        <div className="row">
          {link && <CopyButton text={link.url} label={t.common.copy} />}
          <ActionButton
            label={link ? t.pairLink.another : t.pairLink.create}
            act={async () =>
              setLink(await callApi(mode, 'POST /v1/instances/{id}/pairing-link', { params: [id] }))
            }
          />
          {link && (
            <ActionButton
              label={t.pairLink.end}
              act={async () => {
                await callApi(mode, 'DELETE /v1/instances/{id}/pairing-link', { params: [id] })
                setLink(null)
              }}
            />
          )}
        </div>
      </div>
    </details>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Phone } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { useInstances } from '../../data/queries.ts'
import { Choice, Field } from '../../ui/controls.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionForm, trimmedText, useAction } from '../../ui/form.tsx'
import { usePanel } from '../../shell/page.tsx'

const POLL_INTERVAL_MS = 200
/** Frame width in pixels: enough to decode a code shown on a screen. */
const WIDTH = 640

/** Scans a pairing code: of a waiting instance, pasted, or in front of the camera. */
export function Scan({ phone: { id } }: { phone: Phone }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const { data } = useInstances()
  const { set } = useFilters<'fone' | 'conversa'>()
  const [camera, setCamera] = useState(false)
  const waiting = (data?.items ?? []).filter(({ status }) => status === 'QR')
  async function scan(code: string) {
    await callApi('test', 'POST /v1/simulator/phones/{id}/scan', { params: [id], body: { code } })
    // The phone is now paired, so it must be selected explicitly to stay in view.
    set({ fone: id })
    await client.invalidateQueries({ queryKey: [mode] })
  }
  const seen = useAction(async (code: string) => {
    setCamera(false)
    await scan(code)
  })
  return (
    <details>
      <summary>{t.phone.scan}</summary>
      <ActionForm
        label={t.phone.scan}
        act={async (form) => {
          const chosen = trimmedText(form, 'instance')
          const pasted = trimmedText(form, 'code')
          const polled =
            chosen && !pasted
              ? await callApi('test', 'GET /v1/instances/{id}/qr/poll', { params: [chosen] })
              : null
          await scan(pasted || (polled?.code ?? ''))
        }}
        secondary={
          <button
            type="button"
            className="button"
            aria-pressed={camera}
            onClick={() => setCamera(!camera)}
          >
            {t.phone.camera}
          </button>
        }
      >
        <Choice
          label={t.phone.waiting}
          name="instance"
          options={[['', t.common.none], ...waiting.map((one) => [one.id, one.name] as const)]}
        />
        <Field label={t.phone.paste} name="code" autoComplete="off" />
      </ActionForm>
      {camera && <Camera onCode={seen.run} />}
      {seen.error !== null && <ErrorBlock error={seen.error} />}
    </details>
  )
}

/** Decodes camera frames until one contains a code. Frames never leave the page. */
function Camera({ onCode }: { onCode: (code: string) => void }) {
  const video = useRef<HTMLVideoElement>(null)
  const [shut, setShut] = useState(false)
  useEffect(() => {
    let stream: MediaStream | null = null
    let timer: number | undefined
    let over = false
    async function look() {
      const { default: decode } = await import('jsqr')
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
      if (over || !video.current) return stop()
      video.current.srcObject = stream
      await video.current.play()
      const canvas = document.createElement('canvas')
      const context = canvas.getContext('2d', { willReadFrequently: true })
      timer = window.setInterval(() => {
        const { videoWidth, videoHeight } = video.current ?? { videoWidth: 0, videoHeight: 0 }
        if (!context || !video.current || videoWidth === 0) return
        canvas.width = Math.min(WIDTH, videoWidth)
        canvas.height = Math.round((videoHeight * canvas.width) / videoWidth)
        context.drawImage(video.current, 0, 0, canvas.width, canvas.height)
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
        const code = decode(data, canvas.width, canvas.height)?.data
        if (code) onCode(code)
      }, POLL_INTERVAL_MS)
    }
    function stop() {
      over = true
      window.clearInterval(timer)
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    // No camera, no permission, or not a secure context.
    look().catch(() => setShut(true))
    return stop
  }, [])
  if (shut) return <p role="alert">{t.phone.noCamera}</p>
  return <video className="camera" ref={video} muted playsInline aria-label={t.phone.camera} />
}

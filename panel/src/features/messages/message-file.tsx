import { Download, FileText } from 'lucide-react'
import { Suspense, useRef, useState, type ReactNode } from 'react'
import { lazyPart } from '../../ui/lazy-part.tsx'
import type { Message } from '../../data/api-types.ts'
import { buildPath } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { readMe } from '../../data/session.ts'
import { usePanel } from '../../shell/page.tsx'
import { Skeleton } from '../../ui/controls.tsx'
import { fileSize } from '../../ui/file-size.ts'

const Lightbox = lazyPart(async () => (await import('../../ui/lightbox.tsx')).Lightbox)
const AudioPlayer = lazyPart(async () => (await import('./audio-player.tsx')).AudioPlayer)

/** A larger GIF is loaded only when the user plays it, because autoplay is the sender's choice. */
const MAX_GIF_BYTES = 2 * 1024 * 1024

/** Whether a video autoplays: a small GIF, unless the user prefers reduced motion. */
const playsItself = ({ gif = false, media }: Message): boolean =>
  gif &&
  (media?.sizeBytes ?? Number.POSITIVE_INFINITY) <= MAX_GIF_BYTES &&
  !window.matchMedia('(prefers-reduced-motion: reduce)').matches

/** The file of a message, served from the panel's own address. */
export function MessageFile({ message }: { message: Message }) {
  const { mode } = usePanel()
  const { id, instanceId, media, type } = message
  const [again, setAgain] = useState(0)
  if (!media) return null
  if (media.status !== 'available') {
    return <span className="quiet">{t.compose[media.status]}</span>
  }
  const template = `/panel/api/{mode}/v1/instances/{id}/messages/{messageId}/media`
  const src = buildPath(template, [mode, instanceId, id], again > 0 ? { n: again } : {})
  // A media request cannot renew the session: renew it, then load the file once more.
  const onError = () => {
    if (again === 0) void readMe().then(() => setAgain(1))
  }
  const name = media.fileName ?? t.kinds[type]
  switch (type) {
    case 'image':
    case 'sticker':
      return <Picture message={message} src={src} name={name} onError={onError} />
    case 'audio':
      return (
        <Suspense fallback={<Skeleton height={52} />}>
          <AudioPlayer media={media} src={src} name={name} onError={onError} />
        </Suspense>
      )
    case 'video':
      return (
        // Videos sent by contacts come without captions.
        <video
          className="picture"
          {...(playsItself(message) ? { autoPlay: true, loop: true, muted: true } : {})}
          controls
          playsInline
          preload={playsItself(message) ? 'auto' : 'none'}
          src={src}
          aria-label={name}
          onError={onError}
        />
      )
    default:
      return (
        <DownloadLink src={src} name={name} className="bubble-card">
          <span className="bubble-card-icon">
            <FileText size={20} aria-hidden />
          </span>
          <span className="bubble-card-text">
            <strong>{name}</strong>
            {media.sizeBytes !== null && (
              <small className="quiet">{fileSize(media.sizeBytes)}</small>
            )}
          </span>
        </DownloadLink>
      )
  }
}

/** An image or sticker within a bubble; a click on an image opens it in full size. */
function Picture(props: { message: Message; src: string; name: string; onError: () => void }) {
  const { message, src, name, onError } = props
  const { type, text, media } = message
  const [enlarged, setEnlarged] = useState(false)
  return (
    <>
      <a
        href={src}
        target="_blank"
        rel="noreferrer"
        onClick={(event) => {
          // With a key held, it opens a tab like any link.
          if (type === 'sticker' || event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          setEnlarged(true)
        }}
      >
        <img
          className="picture"
          src={src}
          alt={text ?? name}
          loading="lazy"
          // Reserves its place before it has loaded.
          {...(media?.width && media.height ? { width: media.width, height: media.height } : {})}
          onError={onError}
        />
      </a>
      {enlarged && (
        <Suspense>
          <Lightbox
            src={src}
            name={name}
            onError={onError}
            caption={text}
            actions={
              <DownloadLink src={src} name={name} className="button">
                <Download size={16} aria-hidden /> {t.compose.save}
              </DownloadLink>
            }
            onClose={() => setEnlarged(false)}
          />
        </Suspense>
      )}
    </>
  )
}

/** A link that saves a file. */
function DownloadLink(props: {
  src: string
  name: string
  className?: string
  children: ReactNode
}) {
  const { src, name, className, children } = props
  const fresh = useRef(false)
  return (
    <a
      href={src}
      download={name}
      className={className}
      onClick={(event) => {
        // A download cannot renew the session either: renew it first, then follow the link.
        if (fresh.current) return
        const link = event.currentTarget
        event.preventDefault()
        void readMe().then(() => {
          fresh.current = true
          link.click()
        })
      }}
    >
      {children}
    </a>
  )
}

/** Images of a tool. Bytes in the log are shown; an external address is fetched only on request. */
import { imageAddress } from '@toolwire/core/parts'
import { useEffect, useState } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { Icon } from '../shared/icon.tsx'
import { LongText } from './long-text.tsx'
import { SafeLink } from './safe-link.tsx'

export interface ImageViewProps {
  readonly images: readonly { readonly src: string; readonly media_type: string }[]
  readonly text: string
  readonly name: string
}

export function ImageView({ images, text, name }: ImageViewProps) {
  return (
    <div data-tw-part="images">
      {images.map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a finished list
        <GatedImage key={index} src={image.src} alt={name} />
      ))}
      {text !== '' && <LongText text={text} name={name} />}
    </div>
  )
}

/**
 * An image of the log, or a button that names the host from which it would come. Where the page's own
 * policy forbids other hosts, pressing it leaves a link.
 */
export function GatedImage({ src, alt }: { readonly src: string; readonly alt: string }) {
  const { t } = useSessionContext()
  const [wanted, setWanted] = useState<'no' | 'yes' | 'refused'>('no')
  const image = imageAddress(src)
  if (image.type === 'stored') return <StoredImage id={image.file_id} src={image.src} alt={alt} />
  if (image.type === 'inline') return <img data-tw-part="image" src={image.src} alt={alt} />
  if (image.type === 'refused') return <span data-tw-part="image-refused">{alt}</span>
  if (wanted === 'refused') return <SafeLink href={image.src}>{alt || image.src}</SafeLink>
  if (wanted === 'yes')
    return (
      <img
        data-tw-part="image"
        src={image.src}
        alt={alt}
        referrerPolicy="no-referrer"
        onError={() => setWanted('refused')}
      />
    )
  return (
    <button type="button" data-tw-part="image-gate" onClick={() => setWanted('yes')}>
      <Icon name="image" />
      <span>{t('image.blocked', { host: image.host })}</span>
    </button>
  )
}

interface StoredImageProps {
  readonly id: string
  readonly src: string
  readonly alt: string
}

/** Until its bytes are there, and when they are gone, its name. */
function StoredImage({ id, src, alt }: StoredImageProps) {
  const { files } = useSessionContext().commands
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!files) return
    const leave = new AbortController()
    let made: string | undefined
    files
      .content(id, leave.signal)
      .then(response => response.blob())
      .then(blob => {
        if (leave.signal.aborted) return
        made = URL.createObjectURL(blob)
        setUrl(made)
      })
      .catch(() => {})
    return () => {
      leave.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
      setUrl(undefined)
    }
  }, [files, id])
  const shown = files ? url : src
  if (shown === undefined) return <span data-tw-part="image-refused">{alt}</span>
  return <img data-tw-part="image" src={shown} alt={alt} />
}

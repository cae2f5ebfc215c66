/** The files of a message that is being written, and the element that they are dropped on. */
import {
  type Attachment,
  type Attachments,
  type AttachSetup,
  dropAreaOf,
  openAttachments,
  watchDrop,
} from '@toolwire/core/parts'
import type { Locale } from '@toolwire/core/view'
import { type RefObject, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'

interface AttachFrame {
  readonly frame: RefObject<HTMLElement | null>
  readonly locale: Locale
  readonly draftKey: string | undefined
}

const NONE: readonly Attachment[] = []
const never = () => () => {}

export function useAttachments(setup: AttachSetup | undefined, { frame, locale, draftKey }: AttachFrame) {
  const latest = useRef(setup)
  latest.current = setup
  const isWanted = setup !== undefined
  const store = useMemo(
    (): Attachments | undefined =>
      isWanted && latest.current
        ? openAttachments(
            { ...latest.current, upload: (file, options) => upload(latest.current, file, options) },
            { locale, draftKey },
          )
        : undefined,
    [isWanted, locale, draftKey],
  )
  const get = () => store?.getSnapshot() ?? NONE
  const files = useSyncExternalStore(store?.subscribe ?? never, get, get)
  const [isDragging, setDragging] = useState(false)
  useEffect(() => {
    if (!store || !frame.current) return
    const leave = watchDrop(dropAreaOf(frame.current), { onFiles: store.add, onDragging: setDragging })
    return () => {
      leave()
      store.close()
    }
  }, [store, frame])
  return { files, store, isDragging }
}

function upload(setup: AttachSetup | undefined, ...args: Parameters<AttachSetup['upload']>) {
  if (!setup) throw new Error('This composer takes no files.')
  return setup.upload(...args)
}

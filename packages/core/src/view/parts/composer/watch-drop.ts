/** Files that are dragged onto an element. */
import { bringsFiles, filesOf } from './attachments.ts'

export interface DropListener {
  readonly onFiles: (files: readonly File[]) => void
  /** Called with true while files are above the element. */
  readonly onDragging: (isDragging: boolean) => void
}

/** The element that takes files for a composer: the nearest one around it with `data-tw-drop`, or itself. */
export const dropAreaOf = (composer: HTMLElement): HTMLElement =>
  composer.closest<HTMLElement>('[data-tw-drop]') ?? composer

/** Returns the function that stops it. Drags without files are left to the page. */
export function watchDrop(area: HTMLElement, { onFiles, onDragging }: DropListener): () => void {
  const leave: (() => void)[] = []
  const listen = (type: 'dragover' | 'dragleave' | 'drop', handle: (event: DragEvent) => void) => {
    const listener = (event: DragEvent) => {
      if (bringsFiles(event.dataTransfer)) handle(event)
    }
    area.addEventListener(type, listener)
    leave.push(() => area.removeEventListener(type, listener))
  }
  listen('dragover', event => {
    event.preventDefault()
    onDragging(true)
  })
  listen('dragleave', event => {
    const { relatedTarget } = event
    if (!(relatedTarget instanceof Node && area.contains(relatedTarget))) onDragging(false)
  })
  listen('drop', event => {
    event.preventDefault()
    onDragging(false)
    onFiles(filesOf(event.dataTransfer))
  })
  return () => {
    for (const remove of leave) remove()
  }
}

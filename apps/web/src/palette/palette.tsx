/**
 * Everything that can be reached, by a few letters: screens, commands, sessions. Opened by its key, driven by the
 * keyboard: the field keeps the focus, the arrows move through the list.
 */
import { isComposing } from '@toolwire/react'
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useStrings } from '../strings/use-strings.ts'
import { useShortcut } from '../use-shortcuts.ts'
import { type PaletteItem, usePaletteItems } from './palette-items.ts'

export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [open, setOpen] = useState(false)
  const { a } = useStrings()
  useShortcut(
    'palette',
    useCallback(() => {
      // At once: letters that are typed right after the key belong to the field.
      flushSync(() => setOpen(true))
      if (dialog.current?.open === false) dialog.current.showModal()
    }, []),
  )
  const close = () => dialog.current?.close()
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={a('palette.title')}
      // The event comes late: the dialog may be open again.
      onClose={() => setOpen(dialog.current?.open === true)}
      // A click beside the box is one on the dialog itself.
      onClick={event => event.target === event.currentTarget && close()}
      onKeyDown={() => {}}
    >
      {open && <Finder onDone={close} />}
    </dialog>
  )
}

function Finder({ onDone }: { readonly onDone: () => void }) {
  const { a } = useStrings()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const items = usePaletteItems(text)
  const list = useId()
  const current = Math.min(at, items.length - 1)
  const run = (item: PaletteItem | undefined) => {
    if (!item) return
    onDone()
    item.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && items.length > 0) setAt((current + step + items.length) % items.length)
    else if (event.key === 'Enter') run(items[current])
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={items.length > 0 ? `${list}-${current}` : undefined}
        aria-label={a('palette.hint')}
        placeholder={a('palette.hint')}
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: it opened because its key was pressed
        autoFocus
        value={text}
        onChange={event => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" tabIndex={-1} aria-label={a('palette.title')}>
        {items.map((item, index) => (
          <Entry
            key={item.id}
            id={`${list}-${index}`}
            item={item}
            current={index === current}
            onChoose={() => run(item)}
          />
        ))}
      </div>
      {items.length === 0 && <p className="quiet">{a('palette.none')}</p>}
    </>
  )
}

interface EntryProps {
  readonly id: string
  readonly item: PaletteItem
  readonly current: boolean
  readonly onChoose: () => void
}

/** The field has the focus and takes the keys; the pointer works all the same. */
function Entry({ id, item, current, onChoose }: EntryProps) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (current) row.current?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
    <div ref={row} id={id} role="option" tabIndex={-1} aria-selected={current} onClick={onChoose}>
      <span>{item.label}</span>
      {item.key !== undefined && <kbd>{item.key}</kbd>}
      {item.kind !== undefined && <small>{item.kind}</small>}
    </div>
  )
}

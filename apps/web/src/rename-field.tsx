/** The name of a session while it is being changed. */
import { isComposing } from '@toolwire/react'
import { useState } from 'react'
import { useStrings } from './strings/use-strings.ts'

export interface RenameFieldProps {
  readonly title: string
  /** The new name; undefined when nothing is to change. Called once. */
  readonly onDone: (name: string | undefined) => void
}

/** Enter and leaving the field keep the name, Escape gives it up; an Enter that ends a composition does neither. */
export function RenameField({ title, onDone }: RenameFieldProps) {
  const { a } = useStrings()
  const [name, setName] = useState(title)
  const keep = () => {
    const given = name.trim()
    onDone(given === '' || given === title ? undefined : given)
  }
  return (
    <input
      className="rename"
      aria-label={a('session.rename')}
      value={name}
      // biome-ignore lint/a11y/noAutofocus: the field opens because its button was pressed
      autoFocus
      onFocus={event => event.target.select()}
      onChange={event => setName(event.target.value)}
      onBlur={keep}
      onKeyDown={event => {
        if (isComposing(event.nativeEvent)) return
        if (event.key === 'Enter') event.currentTarget.blur()
        if (event.key === 'Escape') {
          event.preventDefault()
          onDone(undefined)
        }
      }}
    />
  )
}

/** Asks for the API key of a server that needs one. */
import { type FormEvent, useState } from 'react'
import { setPreferences, usePreferences } from './preferences.ts'
import { useStrings } from './strings/use-strings.ts'

export function KeyForm() {
  const { a } = useStrings()
  return (
    <section className="notice">
      <h1>{a('key.title')}</h1>
      <KeyField reload />
    </section>
  )
}

/** The field alone. `reload`: everything on the page was refused, so it starts again. */
export function KeyField({ reload = false }: { readonly reload?: boolean }) {
  const { a } = useStrings()
  const { apiKey } = usePreferences()
  const [key, setKey] = useState(apiKey)
  const [saved, setSaved] = useState(false)
  const save = (event: FormEvent) => {
    event.preventDefault()
    setPreferences({ apiKey: key.trim() })
    setSaved(true)
    if (reload) location.reload()
  }
  return (
    <form className="key-form" onSubmit={save}>
      <label>
        <span>{a('settings.key')}</span>
        <input
          type="password"
          autoComplete="off"
          value={key}
          onChange={event => {
            setKey(event.target.value)
            setSaved(false)
          }}
        />
      </label>
      <button type="submit" className="button primary">
        {a(saved ? 'settings.saved' : 'settings.save')}
      </button>
      <p>{a('settings.key_note')}</p>
    </form>
  )
}

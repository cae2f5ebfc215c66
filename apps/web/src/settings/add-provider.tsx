/** Adds a provider by name, API, address and key. It is tested before it is stored. */
import { type FormEvent, useState } from 'react'
import { serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { errorText } from '../use-loaded.ts'
import { forgetModels } from '../use-models.ts'

const APIS = ['openai-chat', 'openai-responses', 'anthropic'] as const
type Api = (typeof APIS)[number]

const EMPTY = { name: '', api: 'openai-chat' as Api, base_url: '', key: '' }

export function AddProvider({ onAdd }: { readonly onAdd: () => void }) {
  const { a } = useStrings()
  const [values, setValues] = useState(EMPTY)
  const [busy, setBusy] = useState(false)
  const [message, setMessage] = useState('')
  const set = (change: Partial<typeof EMPTY>) => setValues({ ...values, ...change })
  const save = (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    void add(values)
      .then(
        error => {
          setMessage(error === undefined ? '' : a('providers.not_saved', { message: error }))
          if (error === undefined) {
            setValues(EMPTY)
            forgetModels()
            onAdd()
          }
        },
        (thrown: unknown) => setMessage(errorText(thrown)),
      )
      .then(() => setBusy(false))
  }
  return (
    <details className="provider-address">
      <summary>{a('providers.add')}</summary>
      <form className="provider-form" data-provider="new" onSubmit={save}>
        <Field label={a('providers.name')} value={values.name} onType={name => set({ name })} />
        <label className="field">
          <span>{a('providers.api')}</span>
          <select value={values.api} onChange={event => set({ api: event.target.value as Api })}>
            {APIS.map(api => (
              <option key={api} value={api}>
                {a(`providers.api.${api}`)}
              </option>
            ))}
          </select>
        </label>
        <Field
          label={a('providers.address')}
          value={values.base_url}
          onType={base_url => set({ base_url })}
        />
        <Field
          label={a('providers.new_key')}
          type="password"
          value={values.key}
          onType={key => set({ key })}
        />
        <div className="provider-actions">
          <button
            type="submit"
            className="button primary"
            disabled={busy || values.name.trim() === '' || values.base_url.trim() === ''}
          >
            {a(busy ? 'providers.testing' : 'providers.save')}
          </button>
        </div>
        <p className="error" role="status">
          {message}
        </p>
      </form>
    </details>
  )
}

/** Returns the reason when the provider does not accept it. */
async function add({ name, api, base_url, key }: typeof EMPTY): Promise<string | undefined> {
  const { test } = await serverApi.setProviderKey(name.trim(), {
    api,
    base_url: base_url.trim(),
    ...(key.trim() === '' ? {} : { key: key.trim() }),
  })
  return test.ok ? undefined : test.error.message
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly type?: 'text' | 'password'
  readonly onType: (value: string) => void
}

function Field({ label, value, type = 'text', onType }: FieldProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <input
        type={type}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={event => onType(event.target.value)}
      />
    </label>
  )
}

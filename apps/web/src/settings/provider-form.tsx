/** The key of one provider: pasted, tested, replaced and removed. What was typed leaves the page when it is saved. */
import { type FormEvent, useId, useState } from 'react'
import { type ProviderJson, type ProviderTestJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { errorText } from '../use-loaded.ts'
import { forgetModels } from '../use-models.ts'

export interface ProviderFormProps {
  readonly provider: ProviderJson
  /** A key was set, tested or removed: the models of the server may be others now. */
  readonly onChange: () => void
}

type FormMessage = { readonly good: boolean; readonly text: string }

export function ProviderForm({ provider, onChange }: ProviderFormProps) {
  const { a } = useStrings()
  const [key, setKey] = useState('')
  const [address, setAddress] = useState('')
  const [busy, setBusy] = useState(false)
  const [told, setTold] = useState<FormMessage>()
  const words = (tested: ProviderTestJson): FormMessage =>
    tested.ok
      ? { good: true, text: a('providers.good', { n: tested.models }) }
      : { good: false, text: a('providers.refused', reasonOf(tested)) }
  const act = (work: () => Promise<FormMessage | undefined>) => {
    setBusy(true)
    setTold(undefined)
    void work()
      .then(setTold, (thrown: unknown) => setTold({ good: false, text: errorText(thrown) }))
      .then(() => {
        setBusy(false)
        forgetModels()
        onChange()
      })
  }
  const test = async () => words(await serverApi.testProvider(provider.provider))
  const save = (event: FormEvent) => {
    event.preventDefault()
    act(async () => {
      const base_url = address.trim()
      const { test: result } = await serverApi.setProviderKey(provider.provider, {
        ...(key.trim() === '' ? {} : { key: key.trim() }),
        ...(base_url === '' ? {} : { base_url }),
      })
      if (result.ok) setKey('')
      return result.ok ? words(result) : { good: false, text: a('providers.not_saved', reasonOf(result)) }
    })
  }
  const remove = async () => {
    await serverApi.removeProviderKey(provider.provider)
    setAddress('')
    return undefined
  }
  return (
    <form className="provider-form" data-provider={provider.provider} onSubmit={save}>
      <Fields
        provider={provider}
        values={{ key, address }}
        onType={({ key: typed, address: place }) => {
          setKey(typed)
          setAddress(place)
          setTold(undefined)
        }}
      />
      <div className="provider-actions">
        <button
          type="submit"
          className="button primary"
          disabled={busy || (key.trim() === '' && address.trim() === '')}
        >
          {a(busy ? 'providers.testing' : 'providers.save')}
        </button>
        {provider.set && (
          <button type="button" className="button" disabled={busy} onClick={() => act(test)}>
            {a('providers.test')}
          </button>
        )}
        {provider.stored && (
          <button type="button" className="button" disabled={busy} onClick={() => act(remove)}>
            {a('providers.remove')}
          </button>
        )}
      </div>
      <p className={told?.good === false ? 'error' : 'quiet'} role="status">
        {told?.text}
      </p>
    </form>
  )
}

const reasonOf = (tested: ProviderTestJson): { readonly message: string } => ({
  message: tested.ok ? '' : tested.error.message,
})

interface FieldsProps {
  readonly provider: ProviderJson
  readonly values: { readonly key: string; readonly address: string }
  readonly onType: (values: { readonly key: string; readonly address: string }) => void
}

/** As each provider's address is written. */
const EXAMPLES: Readonly<Record<string, string>> = {
  anthropic: 'https://gateway.example',
  openai: 'http://127.0.0.1:11434/v1',
}

function Fields({ provider: { name, provider }, values, onType }: FieldsProps) {
  const { a } = useStrings()
  const note = useId()
  return (
    <>
      <label className="field">
        <span>{a('providers.key', { name })}</span>
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={values.key}
          onChange={event => onType({ ...values, key: event.target.value })}
        />
      </label>
      <details className="provider-address">
        <summary>{a('providers.elsewhere')}</summary>
        <label className="field">
          <span>{a('providers.address')}</span>
          <input
            type="url"
            autoComplete="off"
            aria-describedby={note}
            placeholder={EXAMPLES[provider] ?? ''}
            value={values.address}
            onChange={event => onType({ ...values, address: event.target.value })}
          />
        </label>
        <p className="field-note" id={note}>
          {a('providers.address_note', { name })}
        </p>
      </details>
    </>
  )
}

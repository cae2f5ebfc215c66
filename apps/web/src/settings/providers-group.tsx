/** The providers of models: where the key of each comes from, and a form to set it. */
import { type ProviderJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'
import { AddProvider } from './add-provider.tsx'
import { Group } from './group.tsx'
import { ProviderForm } from './provider-form.tsx'

/** Hidden from users who may not set keys. */
export function ProvidersGroup({ onChange }: { readonly onChange: () => void }) {
  const { a } = useStrings()
  const { data, refresh } = useLoaded(serverApi.providers)
  if (!data) return null
  const changed = () => {
    refresh()
    onChange()
  }
  return (
    <Group title={a('providers.title')} note={a('providers.note')}>
      {data.shared && <p className="group-note">{a('providers.shared')}</p>}
      {data.providers.map(provider => (
        <section className="provider" key={provider.provider} data-source={provider.source ?? 'none'}>
          <h3>{provider.name}</h3>
          <p className="quiet">
            <Origin provider={provider} />
          </p>
          <Problems provider={provider} />
          {provider.api !== 'ai-sdk' && <ProviderForm provider={provider} onChange={changed} />}
        </section>
      ))}
      <AddProvider onAdd={changed} />
    </Group>
  )
}

function Origin({ provider }: { readonly provider: ProviderJson }) {
  const { a } = useStrings()
  const { last4, stored, address, models, keys } = provider
  const { source } = provider
  const parts = [
    originText(provider, a),
    ...(last4 === undefined ? [] : [a('providers.ends', { last4 })]),
    ...(address === undefined ? [] : [address]),
    ...(keys === undefined ? [] : [a('providers.keys', { n: keys.length })]),
    ...(models === undefined ? [] : [a('providers.models', { n: models.count })]),
    ...(stored && source !== 'settings' ? [a('providers.idle')] : []),
  ]
  return <>{parts.join(' · ')}</>
}

/** A provider that needs no key has no variable either. */
function originText({ source, variable, last4 }: ProviderJson, a: Translate): string {
  if (source !== undefined && last4 === undefined && variable === '') return a('providers.keyless')
  return a(`providers.${source ?? 'none'}`, { variable })
}

type Translate = ReturnType<typeof useStrings>['a']

/** The error of the last test, and keys that cool down. */
function Problems({ provider }: { readonly provider: ProviderJson }) {
  const { a } = useStrings()
  const cooling = provider.keys?.filter(key => key.cooling_ms > 0) ?? []
  return (
    <>
      {provider.last_error && (
        <p className="error">{a('providers.refused', { message: provider.last_error.message })}</p>
      )}
      {cooling.length > 0 && <p className="error">{a('providers.cooling', { n: cooling.length })}</p>}
    </>
  )
}

/** The providers of models: where the key of each comes from, and a form to set it. */
import { type ProviderJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'
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
          <ProviderForm provider={provider} onChange={changed} />
        </section>
      ))}
    </Group>
  )
}

function Origin({ provider }: { readonly provider: ProviderJson }) {
  const { a } = useStrings()
  const { source, last4, variable, stored, base_url } = provider
  const parts = [
    a(`providers.${source ?? 'none'}`, { variable }),
    ...(last4 === undefined ? [] : [a('providers.ends', { last4 })]),
    ...(base_url !== undefined && source === 'settings' ? [base_url] : []),
    ...(stored && source !== 'settings' ? [a('providers.idle')] : []),
  ]
  return <>{parts.join(' · ')}</>
}

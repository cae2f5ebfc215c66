/** Keys of model providers. */
import { ProviderKeyBody } from '../../routes/providers.ts'
import { json, type Operation } from '../operation.ts'
import { ProviderList, ProviderState, ProviderStored, ProviderTested } from '../shapes/provider-shapes.ts'

const tag = 'Server'

export const providerOperations: readonly Operation[] = [
  {
    method: 'GET',
    url: '/api/providers',
    id: 'listProviders',
    tag,
    summary: 'Which providers have a key, and where it comes from',
    refuses: ['not_found'],
    answers: { 200: json(ProviderList, 'No key is in it.') },
  },
  {
    method: 'PUT',
    url: '/api/providers/:provider/key',
    id: 'setProviderKey',
    tag,
    summary: 'Sets or replaces the key of a provider, from the next request on',
    description:
      'Kept in the data folder of this server, in a file that its owner alone can read. An address in the own network is taken from whoever is at the machine, or when the setting `providerHosts` names its host. A key of the environment wins. With `test` the provider is asked first; a key that it rejects is not stored.',
    body: ProviderKeyBody,
    refuses: ['bad_request', 'not_found', 'storage_error', 'too_many_requests'],
    answers: { 200: json(ProviderStored, 'What may be known of it, and the result of the test.') },
  },
  {
    method: 'DELETE',
    url: '/api/providers/:provider/key',
    id: 'removeProviderKey',
    tag,
    summary: 'Forgets the key of a provider that was set here',
    refuses: ['not_found', 'storage_error'],
    answers: { 200: json(ProviderState, 'What is left: a key of the environment stays.') },
  },
  {
    method: 'POST',
    url: '/api/providers/:provider/test',
    id: 'testProvider',
    tag,
    summary: 'Asks a provider for its models with the key that counts',
    description: 'Costs no tokens. At most ten times a minute.',
    refuses: ['not_found', 'missing_key', 'too_many_requests'],
    answers: { 200: json(ProviderTested, 'How many models it has, or why it refused.') },
  },
]

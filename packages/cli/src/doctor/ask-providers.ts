/** Asks every provider that has a key whether it takes it: a request each, without tokens. */
import { probeProvider } from '@toolwire/models'
import type { Config } from '../config.ts'
import { ExitError } from '../exit.ts'
import { publicLookup } from '../provider-keys/check-address.ts'
import { effectiveKey } from '../provider-keys/effective-key.ts'
import { readEnvironmentKeys } from '../provider-keys/environment-keys.ts'
import { readKeyFile } from '../provider-keys/key-file.ts'
import { PROVIDER_IDS, PROVIDERS } from '../provider-keys/providers.ts'
import { type Finding, good, note } from './finding.ts'

const PATIENCE_MS = 15_000

/**
 * One result for each provider with a key; a rejected key prevents no start. Unreadable keys are reported by
 * `runChecks`: no provider is queried then.
 */
export async function askProviders(
  { data }: Pick<Config, 'data'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  const keys = readKeys(data, env)
  const asked = PROVIDER_IDS.map(async provider => {
    const found = keys && effectiveKey(provider, keys.fixed, keys.stored)
    if (!found) return []
    const { name } = PROVIDERS[provider]
    const lookup = found.isWatched ? publicLookup : undefined
    const question = { provider, apiKey: found.key, baseUrl: found.base_url, lookup }
    const answer = await probeProvider(question, AbortSignal.timeout(PATIENCE_MS))
    return answer.ok
      ? [good(`${name} answers and takes the key; models: ${answer.models.length}`)]
      : [
          note(
            `${name} does not answer as it should: ${answer.error.message}`,
            MENDS[answer.error.code] ?? MEND,
          ),
        ]
  })
  return (await Promise.all(asked)).flat()
}

function readKeys(data: string, env: Readonly<Record<string, string | undefined>>) {
  try {
    return { fixed: readEnvironmentKeys(env), stored: readKeyFile(data) }
  } catch (error) {
    if (error instanceof ExitError) return undefined
    throw error
  }
}

const MEND = 'try again later'
const MENDS: Readonly<Record<string, string>> = {
  model_auth: 'set another key',
  model_unavailable: 'look at the address and the network',
  model_error: 'look at the address',
}

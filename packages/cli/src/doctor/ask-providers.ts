/** Asks every provider that has a key whether it takes it: a request each, without tokens. */
import type { Config } from '../config.ts'
import { ExitError } from '../exit.ts'
import { effectiveProvider } from '../provider-keys/effective-provider.ts'
import { readFixedProviders } from '../provider-keys/fixed-providers.ts'
import { readKeyFile } from '../provider-keys/key-file.ts'
import { askProvider } from '../provider-keys/provider-keys.ts'
import { type Finding, good, note } from './finding.ts'

const PATIENCE_MS = 15_000

/**
 * One result for each provider with a key; a rejected key prevents no start. Unreadable keys are reported by
 * `runChecks`: no provider is queried then.
 */
export async function askProviders(
  { data, providers }: Pick<Config, 'data' | 'providers'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  const keys = readKeys(data, providers, env)
  const asked = [...(keys?.fixed.values() ?? [])].map(async fixed => {
    const found = effectiveProvider(fixed, keys?.stored[fixed.name])
    if (!found || found.api === 'ai-sdk') return []
    const answer = await askProvider(fixed, found, AbortSignal.timeout(PATIENCE_MS))
    return answer.ok
      ? [good(`${fixed.label} answers and takes the key; models: ${answer.models.length}`)]
      : [
          note(
            `${fixed.label} does not answer as it should: ${answer.error.message}`,
            MENDS[answer.error.code] ?? MEND,
          ),
        ]
  })
  return (await Promise.all(asked)).flat()
}

function readKeys(
  data: string,
  providers: Config['providers'],
  env: Readonly<Record<string, string | undefined>>,
) {
  try {
    return { fixed: readFixedProviders(env, providers), stored: readKeyFile(data) }
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

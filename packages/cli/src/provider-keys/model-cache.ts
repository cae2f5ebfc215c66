/**
 * Models that providers listed, with what they reported of them. Kept in the data folder, so that a start without network
 * lists the models of the last one. Holds no secret and can be deleted at any time.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DiscoveredFacts, ProviderAnswer } from '@toolwire/models'
import { z } from 'zod'
import { writePrivateFile } from './private-file.ts'
import { PriceSetting } from './provider-settings.ts'

const Facts = z.object({
  context: z.number().optional(),
  max_output: z.number().optional(),
  price: PriceSetting.optional(),
})
const Listing = z.object({
  /** The address that was asked: another one has other models. */
  base_url: z.string().optional(),
  at: z.string(),
  models: z.array(z.string()),
  facts: z.record(z.string(), Facts).default({}),
})
const CacheFile = z.object({ version: z.literal(1), providers: z.record(z.string(), Listing) })

export type ModelListing = z.infer<typeof Listing>

export interface ModelCache {
  /** The last list of this provider at this address. */
  readonly get: (name: string, base_url: string | undefined) => ModelListing | undefined
  readonly factsOf: (name: string, base_url: string | undefined, model: string) => DiscoveredFacts | undefined
  /** Resolves when it is stored; a list that cannot be stored applies all the same. Never rejects. */
  readonly set: (name: string, base_url: string | undefined, answer: ListAnswer) => Promise<void>
}

type ListAnswer = Extract<ProviderAnswer, { ok: true }>

const MAX_BYTES = 64 * 1024 * 1024

/** A damaged file counts as absent. */
export function openModelCache(data: string, now: () => Date = () => new Date()): ModelCache {
  const path = join(data, 'provider-models.json')
  const listings = new Map(Object.entries(readCache(path)))
  let writing: Promise<void> = Promise.resolve()
  const get: ModelCache['get'] = (name, base_url) => {
    const listing = listings.get(name)
    return listing && listing.base_url === base_url ? listing : undefined
  }
  return {
    get,
    factsOf(name, base_url, model) {
      const facts = get(name, base_url)?.facts
      return facts && Object.hasOwn(facts, model) ? facts[model] : undefined
    },
    set(name, base_url, { models, facts = {} }) {
      const at = now().toISOString()
      const known = Object.fromEntries(Object.entries(facts).map(([id, one]) => [id, Facts.parse(one)]))
      listings.set(name, {
        ...(base_url === undefined ? {} : { base_url }),
        at,
        models: [...models],
        facts: known,
      })
      const write = () => writePrivateFile(path, { version: 1, providers: Object.fromEntries(listings) })
      writing = writing.then(write).catch(() => undefined)
      return writing
    },
  }
}

function readCache(path: string): Readonly<Record<string, ModelListing>> {
  try {
    const text = readFileSync(path, 'utf8')
    return text.length > MAX_BYTES ? {} : CacheFile.parse(JSON.parse(text)).providers
  } catch {
    return {}
  }
}

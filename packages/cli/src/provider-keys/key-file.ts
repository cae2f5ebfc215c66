/**
 * The file in the data folder with keys set at run time. Readable by its owner alone; written atomically, so a
 * crash leaves the old or the new content.
 */
import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PROVIDER_APIS } from '@toolwire/models'
import { z } from 'zod'
import { ExitError } from '../exit.ts'
import { draftOf, OWNER_ONLY, writePrivateFile } from './private-file.ts'
import { isProviderName } from './provider-settings.ts'

const Entry = z.strictObject({
  /** Of a provider that exists in Settings alone. */
  api: z.enum(PROVIDER_APIS).exclude(['ai-sdk']).optional(),
  key: z.string().min(1).optional(),
  base_url: z.string().min(1).optional(),
  /** It was set at this machine, or the settings name the host: its address may be in the own network. */
  is_near: z.boolean(),
  /** Models that the provider at `base_url` lists. */
  models: z.array(z.string()).optional(),
})
const KeyFile = z.strictObject({
  version: z.literal(1),
  providers: z.record(z.string().refine(isProviderName), Entry),
})

export type StoredEntry = z.infer<typeof Entry>
export type StoredKeys = Readonly<Record<string, StoredEntry>>

export const keyFilePath = (data: string): string => join(data, 'provider-keys.json')

/** Nothing is stored where there is no file. Throws ExitError (data), without a word of what is in the file. */
export function readKeyFile(data: string): StoredKeys {
  const path = keyFilePath(data)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new ExitError('data', `The keys of providers in ${path} cannot be read.`)
  }
  const parsed = KeyFile.safeParse(toJson(text))
  if (!parsed.success)
    throw new ExitError(
      'data',
      `The keys of providers in ${path} are damaged; delete the file and set them again.`,
    )
  return parsed.data.providers
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Removes what a crash left behind, and takes from others what a copy may have given them. Never throws. */
export function tidyKeyFile(data: string): void {
  const path = keyFilePath(data)
  try {
    rmSync(draftOf(path), { force: true })
    if (isOpenToOthers(data)) chmodSync(path, OWNER_ONLY)
  } catch {
    // A folder that cannot be written says so when a key is set.
  }
}

/** True if other users can read the file. */
export const isOpenToOthers = (data: string): boolean =>
  ((statSync(keyFilePath(data), { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0

/** Resolves when it would survive a loss of power. One call at a time. Throws what the file system throws. */
export const writeKeyFile = (data: string, providers: StoredKeys): Promise<void> =>
  writePrivateFile(keyFilePath(data), { version: 1, providers })

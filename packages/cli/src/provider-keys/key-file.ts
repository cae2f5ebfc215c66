/**
 * The file in the data folder with keys set at run time. Readable by its owner alone; written atomically, so a
 * crash leaves the old or the new content.
 */
import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makePrivateDirectory } from '@toolwire/store'
import { z } from 'zod'
import { ExitError } from '../exit.ts'

const Entry = z.strictObject({
  key: z.string().min(1).optional(),
  base_url: z.string().min(1).optional(),
  /** It was set at this machine, or the settings name the host: its address may be in the own network. */
  is_near: z.boolean(),
  /** Models that the provider at `base_url` lists. */
  models: z.array(z.string()).optional(),
})
const KeyFile = z.strictObject({
  version: z.literal(1),
  providers: z.strictObject({ anthropic: Entry.optional(), openai: Entry.optional() }),
})

export type StoredEntry = z.infer<typeof Entry>
export type StoredKeys = z.infer<typeof KeyFile>['providers']

const OWNER_ONLY = 0o600

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

const draftOf = (path: string): string => `${path}.draft`

/** Resolves when it would survive a loss of power. One call at a time. Throws what the file system throws. */
export async function writeKeyFile(data: string, providers: StoredKeys): Promise<void> {
  const path = keyFilePath(data)
  const draft = draftOf(path)
  makePrivateDirectory(dirname(path))
  await rm(draft, { force: true })
  // Created new, so that the mode is right from the first byte.
  const file = await open(draft, 'wx', OWNER_ONLY)
  try {
    await file.writeFile(`${JSON.stringify({ version: 1, providers }, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

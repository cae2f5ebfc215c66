/** Keeps the data folder private. New files are created so; this is for a folder that an earlier start or a person made. */
import { opendirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateDirectory, tighten } from '@toolwire/store'

/** Entries with users' data. Files below a closed folder need no separate mode. */
const ENTRIES = ['artifacts', 'files', 'mcp', 'memory', 'tasks', 'provider-keys.json', 'trusted-rules.json']
const OWN =
  /^(toolwire\.db|records\.db|provider-keys\.json|\.toolwire-doctor-)|^(artifacts|files|mcp|memory|tasks|trusted-rules\.json|settings\.json|workspace)$/

/**
 * Creates the folder, or takes what Toolwire wrote in it away from other users. The folder itself is closed only when it
 * holds nothing else. Returns a sentence for the user when it changed the folder or left it open. Never throws.
 */
export function secureData(folder: string): string | undefined {
  try {
    makePrivateDirectory(folder)
    const real = realpathSync(folder)
    const { mode } = statSync(real)
    // A read-only folder is left as it is: the store refuses it.
    if ((mode & 0o200) === 0) return undefined
    for (const name of ENTRIES) tighten(join(folder, name))
    if ((mode & 0o077) === 0) return undefined
    return holdsOnlyOwn(real) && tighten(real)
      ? `The data folder ${folder} was open to other users; its mode is now 700.`
      : `Other users can open the data folder ${folder}. Its files are private; close the folder with: chmod 700 ${folder}`
  } catch {
    // The store that is opened next reports a folder that cannot be used.
    return undefined
  }
}

/** Stops at the first foreign entry: the folder may be a large one, such as a home folder. */
function holdsOnlyOwn(folder: string): boolean {
  const entries = opendirSync(folder)
  try {
    for (let entry = entries.readSync(); entry; entry = entries.readSync())
      if (!OWN.test(entry.name)) return false
    return true
  } finally {
    entries.closeSync()
  }
}

/** The configuration file as it is on disk: found in the folder of the command, or named by the user. */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeeperThan } from '@toolwire/core'
import { ExitError } from './exit.ts'

export interface ConfigSources {
  /** Flags that were given, by configuration name; `config` is the path of the file. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

export interface ConfigFile {
  readonly path: string
  readonly text: string
  /** Empty when there is no file. */
  readonly values: Readonly<Record<string, unknown>>
  /** True if the user named it; otherwise it was found in the folder. */
  readonly isNamed: boolean
}

const MAX_NESTING = 100
const MAX_BYTES = 1024 * 1024

/** Throws ExitError (usage) for a file that is named and absent, and for one that holds no JSON object. */
export function readConfigFile(sources: ConfigSources): ConfigFile {
  const named = sources.flags['config'] ?? sources.env['TOOLWIRE_CONFIG']
  const isNamed = typeof named === 'string' && named !== ''
  const path = resolve(sources.cwd, isNamed ? named : 'toolwire.config.json')
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) {
    if (isNamed)
      throw new ExitError('usage', `The configuration file ${path} does not exist; check --config.`)
    return { path, text: '', values: {}, isNamed }
  }
  if (!found.isFile() || found.size > MAX_BYTES)
    throw new ExitError('usage', `The configuration file ${path} must be a file of at most 1 MiB.`)
  let text = ''
  let value: unknown
  try {
    text = readFileSync(path, 'utf8')
    value = JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ExitError('usage', `The configuration file ${path} cannot be read as JSON: ${why}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ExitError('usage', `The configuration file ${path} must hold one JSON object.`)
  if (isDeeperThan(value, MAX_NESTING))
    throw new ExitError(
      'usage',
      `The configuration file ${path} is nested deeper than ${MAX_NESTING} levels.`,
    )
  return { path, text, values: value as Record<string, unknown>, isNamed }
}

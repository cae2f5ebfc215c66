/** The folder that tools work in. Without a setting it is a copy of the sample that ships with the product. */
import { accessSync, constants, cpSync, existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ExitError } from './exit.ts'

const SAMPLE = fileURLToPath(new URL('../sample-workspace', import.meta.url))

/**
 * The absolute workspace path. The sample is copied into the data folder once, so that
 * tools never write into the installed product and a user's changes survive.
 */
export function prepareWorkspace(configured: string | undefined, data: string): string {
  if (configured === undefined) {
    const copy = join(data, 'workspace')
    if (!existsSync(copy)) cpSync(SAMPLE, copy, { recursive: true })
    return copy
  }
  if (!existsSync(configured) || !statSync(configured).isDirectory())
    throw new ExitError(
      'workspace',
      `The workspace ${configured} is not a folder; create it or choose another with --workspace.`,
    )
  if (resolve(configured) === resolve(homedir()))
    throw new ExitError(
      'workspace',
      'The workspace must not be your home folder; choose a project folder with --workspace.',
    )
  try {
    accessSync(configured, constants.R_OK | constants.X_OK)
  } catch {
    throw new ExitError('workspace', `The workspace ${configured} cannot be read; check its permissions.`)
  }
  return configured
}

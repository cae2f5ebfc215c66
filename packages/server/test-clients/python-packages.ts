/** The vendors' Python clients that the suite installs on demand, and where below the cache they lie. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The versions that the suite is run with. */
export const PYTHON_SDKS: Readonly<Record<string, string>> = { openai: '3.22.1', anthropic: '1.13.0' }

/** As pip wants them. */
export const PYTHON_PACKAGES: readonly string[] = Object.entries(PYTHON_SDKS).map(
  ([name, version]) => `${name}==${version}`,
)

/** The cache of `npm run test:clients`. */
export const clientCache = (): string =>
  process.env['TOOLWIRE_CLIENTS'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'toolwire', 'clients')

/** The folder of the packages below the cache; named after them, so that another version is another folder. */
export const pythonFolder = (cache: string): string =>
  join(cache, `python-${PYTHON_PACKAGES.join('-').replaceAll('==', '-')}`)

/** A folder of that name is whole. */
export const hasPythonSdks = (cache: string): boolean => existsSync(pythonFolder(cache))

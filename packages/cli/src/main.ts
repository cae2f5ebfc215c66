#!/usr/bin/env -S node --conditions=toolwire-source
/** Where the command begins: compiled code is kept, so that every start but the first is quicker. */
import { constants, enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Beside the package, or with the user where that may not be written. Not in the folder for temporary files, where
// others could put code into it. When neither can be written, only the gain is lost.
const { ENABLED, ALREADY_ENABLED } = constants.compileCacheStatus
const { status } = enableCompileCache(
  fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)),
)
if (status !== ENABLED && status !== ALREADY_ENABLED)
  enableCompileCache(join(homedir(), '.cache/toolwire/compiled'))
const { runCommandLine } = await import('./command-line.ts')
await runCommandLine()

#!/usr/bin/env -S node --conditions=toolwire-source
/**
 * Entry of the command. Imports at the top must also link on old versions of Node, which get one sentence.
 * Compiled code is cached, so that every start but the first is quicker.
 */
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 24 || (major === 24 && minor >= 16)) await start()
else {
  process.stderr.write(
    `toolwire: Node 24.16 or later is needed, but this is Node ${process.versions.node}; see https://nodejs.org.\n`,
  )
  process.exitCode = 6
}

async function start(): Promise<void> {
  // Beside the package, or in the home folder where that is not writable. Never in the folder for temporary files,
  // where others could put code into it.
  const { ENABLED, ALREADY_ENABLED } = module.constants.compileCacheStatus
  const { status } = module.enableCompileCache(
    fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)),
  )
  if (status !== ENABLED && status !== ALREADY_ENABLED)
    module.enableCompileCache(join(homedir(), '.cache/toolwire/compiled'))
  const { runCommandLine } = await import('./command-line.ts')
  await runCommandLine()
}

#!/usr/bin/env -S node --conditions=toolwire-source
/** Where the command begins: compiled code is kept beside the package, so that every start but the first is quicker. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Not in the folder for temporary files, where others could put code into it. A folder that cannot be written costs the gain alone.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
await import('./command-line.ts')

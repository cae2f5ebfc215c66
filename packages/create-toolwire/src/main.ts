#!/usr/bin/env node
/** Entry of `npm create toolwire`. It imports nothing at the top, so that an old Node gets one sentence. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 24 || (major === 24 && minor >= 16)) {
  const { runCommandLine } = await import('./command-line.ts')
  process.exitCode = await runCommandLine(process.argv.slice(2))
} else {
  process.stderr.write(
    `create-toolwire: Node 24.16 or later is needed, but this is Node ${process.versions.node}; see https://nodejs.org.\n`,
  )
  process.exitCode = 6
}

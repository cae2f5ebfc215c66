/** A fake server: starts a program that is bound to it, and waits to be killed. */
import { spawnBound } from '../src/spawn-bound.ts'

const [cwd = '.', script = ''] = process.argv.slice(2)
spawnBound({ command: 'bash', args: ['-c', script], cwd, env: { PATH: process.env['PATH'] } })
setInterval(() => {}, 1_000_000)

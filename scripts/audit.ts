/** Asks the registry for known weaknesses of what is shipped; fails on a high one. `npm run audit`. */
import { spawnSync } from 'node:child_process'
import { readAudit } from './audit-answer.ts'
import { ROOT } from './root.ts'

const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--audit-level=high', '--json'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
if (error) throw error
const verdict = readAudit(stdout)
switch (verdict.kind) {
  case 'sound':
    console.log(`audit: no high or critical advisory for ${verdict.packages} packages`)
    break
  case 'unasked':
    console.log(`audit: NOT DONE, the registry could not be asked for advisories (${verdict.why})`)
    break
  case 'found':
    for (const advisory of verdict.advisories) console.error(`audit: ${advisory}`)
    process.exitCode = 1
}

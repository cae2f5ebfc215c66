/** A server on this engine that gets one message and works until it is killed. Its folder and its provider are given. */
import { openStage } from './stage.ts'

const [home = '', upstream = ''] = process.argv.slice(2)
const env = {
  PATH: process.env['PATH'],
  HOME: home,
  TMPDIR: home,
  ANTHROPIC_BASE_URL: upstream,
  ANTHROPIC_API_KEY: 'test-key',
}
const stage = await openStage([{ emit: [{ type: 'text', text: 'Unused.' }] }], { ownTools: ['Bash'], env })
await stage.open('go', { cwd: home, permission_mode: 'bypassPermissions' })
await stage.settle()

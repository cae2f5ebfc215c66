/** `npm run bench:peers`: installs the peers, each into a separate folder outside of the tree. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLIENTS, PEERS, peersFolder } from './peer.ts'

for (const { name, packages } of [...PEERS, CLIENTS]) {
  const folder = join(peersFolder(), name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"name":"bench-peer","private":true,"type":"module"}\n')
  const wanted = Object.entries(packages).map(([one, version]) => `${one}@${version}`)
  // Without their scripts: nothing of a peer runs before it is measured.
  const flags = ['--save-exact', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', ['install', ...flags, ...wanted], { cwd: folder, stdio: 'inherit' })
  process.stdout.write(`${name}: ${status === 0 ? 'installed' : 'not installed'} (${folder})\n`)
}

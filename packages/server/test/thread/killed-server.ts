/** A thread server in a separate process, to be killed: `node killed-server.ts FOLDER`. Prints its URL. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStore } from '@toolwire/store'
import { startThreadServer } from './thread-server.ts'

const folder = process.argv[2] ?? ''
const server = await startThreadServer({
  script: {
    go: [
      {
        text: 'On it.',
        calls: [
          ['write_note', { text: 'once' }],
          ['set_temperature', { value: 0.8 }],
        ],
      },
      { text: 'All done now.' },
    ],
  },
  store: await openSqliteStore({ dir: folder }),
  allow: ['write_note'],
  // A server that was killed gives its sessions up by silence.
  leaseMs: 300,
  onRan: line => appendFileSync(join(folder, 'ran.txt'), `${line}\n`),
})
process.stdout.write(`${server.url}\n`)

/**
 * A gateway in a separate process, which kills itself at a given point: `node killed-gateway.ts FOLDER POINT`.
 * `planned` is after the plan of a response was stored, before anything is appended; `begun` is after the append,
 * before the receipt has it; `half` is when half of the message is stored; `never` is never. Prints its URL.
 */
import { join } from 'node:path'
import type { Records, Store } from '@toolwire/core'
import { openSqliteRecords, openSqliteStore } from '@toolwire/store'
import { startGateway } from './gateway-server.ts'

const [, , folder = '', point = ''] = process.argv
const inner = openSqliteRecords(join(folder, 'records.sqlite'))

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}
const has = (value: unknown, field: string): boolean =>
  typeof value === 'object' && value !== null && field in value
const records: Records = {
  ...inner,
  async update(kind, id, change) {
    const stored = await inner.update(kind, id, value => {
      const next = change(value)
      if (point === 'begun' && has(next, 'answer')) void die()
      return next
    })
    if (point === 'planned' && has(stored, 'planned')) await die()
    return stored
  },
}

const log = await openSqliteStore({ dir: folder })
const append: Store['append'] = async writes => {
  const answers = await log.append(writes)
  const isSaid = writes.some(({ events }) => events.some(ev => ev.type === 'block.completed'))
  if (point === 'half' && isSaid) await die()
  return answers
}
const store = new Proxy<Store>(log, {
  get(target, name) {
    if (name === 'append') return append
    const value: unknown = Reflect.get(target, name, target)
    return typeof value === 'function' ? value.bind(target) : value
  },
})

const gateway = await startGateway({
  store,
  records,
  config: { shared: false },
  // A server that was killed gives its sessions up by silence.
  leaseMs: 300,
})
if (point === 'never') gateway.model.open()
process.stdout.write(`${gateway.url}\n`)

/**
 * The processes of local servers, remembered in a folder: one small file each, gone when the process is.
 * A server that outlived a crash of ours is found there by the next start, and ended.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalPath } from '@toolwire/tools'
import { identify, isAlive, killAll, putFile } from '@toolwire/tools/internal'
import { z } from 'zod'

const Process = z.object({ pid: z.number().int().positive(), start: z.string().optional() })
const Entry = z.object({ token: z.string().min(8), server: Process, owner: Process })

export interface StartedServers {
  /** Never throws: what cannot be remembered runs all the same. */
  readonly add: (token: string, pid: number | undefined) => Promise<void>
  readonly remove: (token: string) => Promise<void>
  /** Ends the servers whose owner is no more. Never throws; resolves when they are gone. */
  readonly sweep: () => Promise<void>
}

/** The folder is made when it is needed. Several processes may share it. */
export function createStartedServers(folder: string): StartedServers {
  const fileOf = (token: string): string => join(folder, `${token}.json`)
  const adding = new Map<string, Promise<void>>()

  async function add(token: string, pid: number): Promise<void> {
    const entry = { token, server: await identify(pid), owner: await identify(process.pid) }
    await putFile(canonicalPath(fileOf(token)), JSON.stringify(entry))
  }

  async function sweepOne(name: string): Promise<void> {
    const path = join(folder, name)
    const entry = Entry.safeParse(JSON.parse(await readFile(path, 'utf8')))
    if (!entry.success) return await rm(path, { force: true })
    const { token, server, owner } = entry.data
    if (await isAlive({ pid: owner.pid, start: owner.start })) return
    // The group id may have been reused; the token cannot.
    const leader = { pid: server.pid, start: server.start }
    await killAll((await isAlive(leader)) ? leader : undefined, token)
    await rm(path, { force: true })
  }

  return {
    async add(token, pid) {
      if (pid === undefined) return
      const added = add(token, pid).catch(() => undefined)
      adding.set(token, added)
      await added
    },
    async remove(token) {
      await adding.get(token)
      adding.delete(token)
      await rm(fileOf(token), { force: true }).catch(() => undefined)
    },
    async sweep() {
      const names = await readdir(folder).catch(() => [])
      const files = names.filter(name => name.endsWith('.json'))
      await Promise.all(files.map(name => sweepOne(name).catch(() => undefined)))
    },
  }
}

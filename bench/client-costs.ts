/** What clients of others need for one large input, as the provider cuts it and as the server hands it on. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { peersFolder } from './peer.ts'
import { CLIENT_PROGRAM } from './peer-programs.ts'

export interface ClientCost {
  readonly client: 'ai-sdk' | 'ag-ui'
  readonly chars: number
  /** `each`: deltas of 16 characters; `coalesced`: as the server sends them. */
  readonly how: 'each' | 'coalesced'
  readonly pieces: number
  /** Of CPU, so that a busy machine counts less. */
  readonly ms: number
}

/** Empty when the clients are not installed. Sizes above `mostEach` are read coalesced alone: the other way takes hours. */
export function clientCosts(sizes: readonly number[], mostEach: number): readonly ClientCost[] {
  const modules = join(peersFolder(), 'clients', 'node_modules')
  if (!existsSync(join(modules, 'ai')) || !existsSync(join(modules, '@ag-ui/client'))) return []
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
  try {
    symlinkSync(modules, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'clients.mjs'), CLIENT_PROGRAM)
    const costs: ClientCost[] = []
    for (const client of ['ai-sdk', 'ag-ui'] as const)
      for (const chars of sizes)
        for (const how of ['each', 'coalesced'] as const)
          if (how === 'coalesced' || chars <= mostEach) costs.push(timeClient(folder, { client, chars, how }))
    return costs
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function timeClient(folder: string, what: Pick<ClientCost, 'client' | 'chars' | 'how'>): ClientCost {
  const args = ['clients.mjs', what.client, String(what.chars), what.how]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  const line = stdout.trim().split('\n').at(-1) ?? ''
  if (!line.startsWith('{')) throw new Error(`${args.join(' ')}: ${stderr.slice(-500)}`)
  return { ...what, ...(JSON.parse(line) as Pick<ClientCost, 'pieces' | 'ms'>) }
}

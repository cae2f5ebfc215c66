/** A real PostgreSQL in a temporary folder, for tests: started, killed and restarted at will. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { findBinaries, findRunAs, type RunAs } from './binaries.ts'

export interface Cluster {
  /** Without a database name. Known after the first start, as the port. */
  readonly url: string
  readonly port: number
  /** Resolves when connections are accepted. On a running cluster it does nothing. */
  readonly start: () => Promise<void>
  /** An orderly end: everything that was committed is in files. */
  readonly stop: () => Promise<void>
  /**
   * A standby in a separate folder that follows this cluster, not started yet. Stops this cluster for the copy and
   * restarts it.
   */
  readonly makeStandby: (dir: string) => Promise<Cluster>
  /** SIGKILL: its children end by themselves, and what is not in a file is lost. */
  readonly kill: () => Promise<void>
  /** Ends the server and removes the folder. */
  readonly remove: () => Promise<void>
}

export interface ClusterOptions {
  /** Made when absent. */
  readonly dir: string
  /** Whether commits wait for the disk; off is faster and still survives everything but a power cut. */
  readonly fsync?: boolean
}

/** Makes the cluster; it is not started yet. */
export async function createCluster(options: ClusterOptions): Promise<Cluster> {
  const { dir } = options
  const runAs = findRunAs()
  mkdirSync(dir, { recursive: true })
  if (runAs) chownSync(dir, runAs.uid, runAs.gid)
  const bin = findBinaries(runAs, join(dir, 'native'))
  const create = [
    '-D',
    join(dir, 'data'),
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-locale',
    '--no-sync',
  ]
  execFileSync(join(bin, 'initdb'), create, { stdio: 'pipe', cwd: dir, ...runAs })
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'shared_buffers=64MB',
    `fsync=${options.fsync === true ? 'on' : 'off'}`,
  ]
  return new RunningCluster({ program: join(bin, 'postgres'), settings, dir, port: await freePort(), runAs })
}

/** Attempts of a first start, each on another port. */
const MAX_PORTS = 20

interface Parts {
  readonly program: string
  readonly settings: readonly string[]
  readonly dir: string
  readonly port: number
  readonly runAs: RunAs | undefined
}

class RunningCluster implements Cluster {
  readonly #parts: Parts
  #port: number
  #wasStarted = false
  #child: ChildProcess | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#port = parts.port
  }

  get port(): number {
    return this.#port
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}`
  }

  readonly start = async (): Promise<void> => {
    if (this.#child && this.#child.exitCode === null && this.#child.signalCode === null) return
    for (let attempt = 1; !(await this.#tryStart()); attempt++) {
      // Children of a killed server hold its memory for a moment; until they are gone a start is refused.
      if (this.#wasStarted) continue
      if (attempt >= MAX_PORTS) throw new Error(`PostgreSQL in ${this.#parts.dir} does not start.`)
      // Another process may have taken the port since it was found free.
      this.#port = await freePort()
    }
    this.#wasStarted = true
  }

  async #tryStart(): Promise<boolean> {
    const { program, settings, dir, runAs } = this.#parts
    const options = settings.flatMap(setting => ['-c', setting])
    const args = ['-D', join(dir, 'data'), '-p', String(this.#port), ...options]
    this.#child = spawn(program, args, { cwd: dir, stdio: 'ignore', ...runAs })
    return await isAccepting(`${this.url}/postgres`, this.#child)
  }

  readonly kill = (): Promise<void> => this.#end('SIGKILL')
  /** SIGINT asks PostgreSQL for what it calls a fast shutdown. */
  readonly stop = (): Promise<void> => this.#end('SIGINT')

  readonly makeStandby = async (dir: string): Promise<Cluster> => {
    const { runAs, dir: own } = this.#parts
    await this.stop()
    const data = join(dir, 'data')
    cpSync(join(own, 'data'), data, { recursive: true })
    writeFileSync(join(data, 'standby.signal'), '')
    appendFileSync(
      join(data, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${this.port} user=postgres'\n`,
    )
    if (runAs) giveTo(dir, runAs)
    chmodSync(data, 0o700)
    await this.start()
    return new RunningCluster({ ...this.#parts, dir, port: await freePort() })
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child) return
    const closed = once(child, 'close')
    child.kill(signal)
    await closed
    this.#child = undefined
  }

  readonly remove = async (): Promise<void> => {
    await this.kill()
    rmSync(this.#parts.dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

function giveTo(dir: string, { uid, gid }: RunAs): void {
  chownSync(dir, uid, gid)
  for (const entry of readdirSync(dir, { recursive: true, encoding: 'utf8' }))
    chownSync(join(dir, entry), uid, gid)
}

/** False when the server has ended instead. */
async function isAccepting(url: string, child: ChildProcess): Promise<boolean> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) return false
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      await pause(50)
    }
  }
}

/** A currently unused port. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** The address in a file that a keeper wrote, or undefined without one. */
export function readAddress(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

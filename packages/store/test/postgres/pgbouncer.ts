/** A real PgBouncer in transaction mode before a server, when this machine has one. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRunAs } from './binaries.ts'
import { freePort } from './cluster.ts'

export interface PgBouncer {
  readonly port: number
  readonly close: () => Promise<void>
}

/** The program, or undefined when it is not installed. */
export function findPgBouncer(): string | undefined {
  const places = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer']
  return places.find(place => existsSync(place) && works(place))
}

function works(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

/** Pools transactions of every database of the server at `to`. Resolves when it listens. */
export async function startPgBouncer(program: string, to: number): Promise<PgBouncer> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-pgbouncer-'))
  const port = await freePort()
  writeFileSync(join(dir, 'users.txt'), '"postgres" ""\n')
  writeFileSync(
    join(dir, 'pgbouncer.ini'),
    [
      '[databases]',
      `* = host=127.0.0.1 port=${to}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(dir, 'users.txt')}`,
      'pool_mode = transaction',
      'default_pool_size = 5',
      'max_client_conn = 200',
      '',
    ].join('\n'),
  )
  const runAs = findRunAs()
  if (runAs)
    for (const name of ['', 'users.txt', 'pgbouncer.ini']) chownSync(join(dir, name), runAs.uid, runAs.gid)
  const child: ChildProcess = spawn(program, [join(dir, 'pgbouncer.ini')], {
    stdio: 'ignore',
    cwd: dir,
    ...runAs,
  })
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`)
    await new Promise(resolve => setTimeout(resolve, 30))
  }
  return {
    port,
    async close() {
      const closed = once(child, 'close')
      if (child.exitCode === null) child.kill('SIGKILL')
      await closed
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('close', () => socket.destroy())
    socket.on('connect', () => socket.end())
  })
}

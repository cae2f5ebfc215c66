/** nginx with the example's own settings before two servers, when this machine has nginx. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../store/test/postgres/cluster.ts'

export interface Nginx {
  readonly url: string
  readonly close: () => Promise<void>
}

const EXAMPLE = join(import.meta.dirname, '../../../../deploy/nginx.conf')

/** The program, or undefined when it is not installed. */
export function findNginx(): string | undefined {
  return ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx', '/opt/homebrew/bin/nginx'].find(
    existsSync,
  )
}

/** The example with the addresses of a test in it and every file of nginx in `dir`; nothing else is changed. */
export function toTestConfig(
  example: string,
  dir: string,
  ports: { readonly own: number; readonly servers: readonly number[] },
): string {
  let taken = 0
  const addressed = example
    .replace(/server toolwire(?:-2)?:8000/g, () => `server 127.0.0.1:${ports.servers[taken++]}`)
    .replace('listen 8080;', `listen 127.0.0.1:${ports.own};`)
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${join(dir, name)};`,
  )
  const files = `pid ${join(dir, 'pid')};\nerror_log ${join(dir, 'error.log')};\ndaemon off;\nmaster_process off;\n`
  return files + addressed.replace('http {', `http {\n  access_log off;\n  ${temp.join('\n  ')}`)
}

/** Resolves when it answers. Throws when nginx refuses the settings. */
export async function startNginx(program: string, servers: readonly number[]): Promise<Nginx> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-nginx-'))
  mkdirSync(join(dir, 'logs'))
  const own = await freePort()
  const file = join(dir, 'nginx.conf')
  writeFileSync(file, toTestConfig(readFileSync(EXAMPLE, 'utf8'), dir, { own, servers }))
  const args = ['-p', dir, '-c', file, '-e', join(dir, 'error.log')]
  execFileSync(program, ['-t', ...args], { stdio: 'pipe' })
  const child: ChildProcess = spawn(program, args, { stdio: 'ignore' })
  const url = `http://127.0.0.1:${own}`
  while (
    !(await fetch(`${url}/healthz`).then(
      response => response.ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null)
      throw new Error(`nginx ended: ${readFileSync(join(dir, 'error.log'), 'utf8')}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return {
    url,
    async close() {
      const closed = once(child, 'close')
      if (child.exitCode === null) child.kill('SIGKILL')
      await closed
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

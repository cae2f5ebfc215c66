import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBashTool } from '../src/builtin/bash.ts'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import {
  denialIn,
  describeSandbox,
  findSandbox,
  type SandboxOptions,
  sandboxed,
} from '../src/shell/sandbox.ts'
import { running, unique, until } from './running.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
let path: string | undefined
beforeEach(() => {
  path = process.env['PATH']
})
afterEach(() => {
  process.env['PATH'] = path
  stage?.close()
  stage = undefined
})

const open = (sandbox: SandboxOptions): Stage => {
  stage = createStage({ tools: createBuiltinTools({ bash: { sandbox } }), mode: 'bypassPermissions' })
  return stage
}
const run = async (s: Stage, command: string, more: object = {}): Promise<string> =>
  textOf(await s.one('Bash', { command, ...more }))
const dataOf = (s: Stage): Record<string, unknown> =>
  (s.events('tool.completed').at(-1)?.structured ?? {}) as Record<string, unknown>

/** A program of this name that is found before any other. */
function standIn(s: Stage, script: string): string {
  const bin = join(s.dir, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'bwrap'), `#!/bin/bash\n${script}\n`)
  chmodSync(join(bin, 'bwrap'), 0o755)
  process.env['PATH'] = `${bin}:${path}`
  return bin
}
const PASS = 'while [ "$1" != -- ]; do shift; done; shift\n[ "$1" = true ] || echo sandboxed\nexec "$@"'

const line = (options: SandboxOptions): string =>
  sandboxed(['bash'], { binary: 'bwrap', workspace: '/w', cwd: '/w' }, options).join(' ')

const WALLS = [
  ...['--unshare-pid', '--unshare-ipc', '--dev /dev', '--proc /proc', '--tmpfs /tmp', '--new-session'],
  ...['--cap-drop ALL', '--ro-bind-try /proc/sys /proc/sys'],
]

describe('what the sandbox is asked for', () => {
  test('the system is read-only, the workspace writable, the network off unless asked for', () => {
    const where = { binary: 'bwrap', workspace: '/w', cwd: '/w/sub' }
    expect(sandboxed(['bash', '-c', 'x'], where, {}).join(' ')).toMatch(
      /^bwrap --ro-bind \/ \/ .*--bind \/w \/w .*--unshare-net .*--die-with-parent --chdir \/w\/sub -- bash -c x$/,
    )
    expect(line({ network: true })).not.toContain('--unshare-net')
    for (const wall of WALLS) expect(line({ network: true })).toContain(wall)
  })

  test('hidden and mounted directories go from the outside in, whatever contains the other', () => {
    expect(line({ hidden: ['/data'], writable: ['/cache'] })).toMatch(
      /--tmpfs \/data .*--bind \/w \/w --bind \/cache \/cache/,
    )
    expect(line({ hidden: ['/w/.data'], writable: ['/w/.data/cache'] })).toMatch(
      /--bind \/w \/w --tmpfs \/w\/\.data --bind \/w\/\.data\/cache .*--remount-ro \/w\/\.data /,
    )
    expect(line({ hidden: ['/'] })).toMatch(/--tmpfs \/ --bind \/w \/w/)
  })

  test('nothing of the rights of root is left but what files of other users need, and no socket of a service', () => {
    const where = { binary: 'bwrap', workspace: '/w', cwd: '/w', root: true, sockets: ['/run'] }
    const words = sandboxed(['x'], where, {}).join(' ')
    expect(words).toMatch(
      /--cap-drop ALL --cap-add CAP_CHOWN --cap-add CAP_DAC_OVERRIDE --cap-add CAP_FOWNER --d/,
    )
    expect(words).toMatch(/--tmpfs \/run .*--bind \/w/)
    expect(line({})).not.toContain('--cap-add')
  })

  test('a command in the background outlives the server', () => {
    const where = { binary: 'bwrap', workspace: '/w', cwd: '/w', outlives: true }
    expect(sandboxed(['x'], where, {})).not.toContain('--die-with-parent')
  })
})

describe('whether there is a sandbox', () => {
  test('without the program its absence is reported', async () => {
    const s = open({})
    expect(await findSandbox(s.workspace)).toMatchObject({
      available: false,
      reason: expect.stringContaining('not installed'),
    })
  })

  test('a program that does not work here counts as none, with what it said', async () => {
    const s = open({})
    const bin = standIn(s, 'echo "bwrap: No permissions to create new namespace" >&2; exit 1')
    expect(await findSandbox(bin)).toMatchObject({
      available: false,
      reason: expect.stringContaining('No permissions to create new namespace'),
    })
  })

  test('the settings say whether it is on, and why not', async () => {
    const s = open({})
    standIn(s, PASS)
    expect(await describeSandbox({ network: true })).toMatchObject({
      enabled: true,
      available: true,
      network: true,
    })
    expect(await describeSandbox(undefined)).toMatchObject({
      enabled: false,
      reason: expect.stringContaining('switched off'),
    })
    process.env['PATH'] = s.workspace
    expect(await describeSandbox({})).toMatchObject({ enabled: true, available: false })
  })

  test('the model learns what a command in it cannot do', () => {
    expect(String(createBashTool({ sandbox: {} }).description)).toContain('there is no network')
    expect(String(createBashTool({ sandbox: { network: true } }).description)).not.toContain('no network')
    expect(String(createBashTool().description)).not.toContain('sandbox')
  })
})

describe('commands', () => {
  test('go through it when it is there', async () => {
    const s = open({})
    standIn(s, PASS)
    expect(await run(s, 'echo hi')).toBe('sandboxed\nhi')
    expect(dataOf(s)['sandboxed']).toBe(true)
  })

  test('that fail at one of its walls fail with a specific code', async () => {
    const s = open({})
    standIn(s, PASS)
    await run(s, "echo 'touch: /etc/x: Read-only file system' >&2; exit 1")
    expect(codeOf(s.state().calls[0])).toBe('sandbox_denied')
    await run(s, 'exit 1')
    expect(codeOf(s.state().calls[0])).toBe('exit_1')
  })

  test('leave it by their own wish only where the settings let them', async () => {
    const s = open({})
    standIn(s, PASS)
    expect(await run(s, 'echo hi', { dangerouslyDisableSandbox: true })).toBe('sandboxed\nhi')
    s.close()
    const free = open({ escape: true })
    standIn(free, PASS)
    expect(await run(free, 'echo hi', { dangerouslyDisableSandbox: true })).toBe('hi')
  })

  test('go through it in the background too', async () => {
    const s = open({})
    standIn(s, PASS)
    await run(s, 'echo hi', { run_in_background: true })
    const log = String(dataOf(s)['persistedOutputPath'])
    await until(() => readFileSync(log, 'utf8').includes('hi'))
    expect(readFileSync(log, 'utf8')).toBe('sandboxed\nhi\n')
  })

  test('run without it where it is missing, unless it is required', async () => {
    const missing = (s: Stage): void => {
      standIn(s, 'echo no >&2; exit 1')
    }
    const s = open({})
    missing(s)
    expect(await run(s, 'echo hi')).toBe('hi')
    s.close()
    const strict = open({ required: true })
    missing(strict)
    expect(await run(strict, 'touch made')).toContain('only in a sandbox')
    expect(existsSync(strict.path('made'))).toBe(false)
  })

  test('a wall that a command meets is named', () => {
    expect(denialIn("touch: cannot touch '/etc/x': Read-only file system")).toContain('workspace')
    expect(denialIn('curl: (6) Could not resolve host: example.com')).toContain('network')
    expect(denialIn('some other error')).toBeUndefined()
  })
})

const machine = await findSandbox()

/** Where there is no sandbox to try them, one test says so, and looks at what can be looked at: the command line. */
if (machine.available) describe('the walls', walls)
else
  test(`the walls were NOT tried: ${machine.reason} The command line asks for each of them`, () => {
    for (const wall of [...WALLS, '--ro-bind / / ', '--chdir /w', '--unshare-net', '--bind /w /w'])
      expect(line({})).toContain(wall)
    expect(line({ hidden: ['/d'] })).toContain('--tmpfs /d')
  })

function walls(): void {
  test('only the workspace can be written, and that is said', async () => {
    const s = open({})
    expect(await run(s, 'echo in > made; cat made')).toBe('in')
    expect(readFileSync(s.path('made'), 'utf8')).toBe('in\n')
    // Not below /tmp: a sandbox has its own.
    const outside = mkdtempSync('/var/tmp/toolwire-sandbox-')
    try {
      const text = await run(s, `touch ${outside}/made`)
      expect(text).toMatch(/^Exit code 1.*only the workspace can be written/s)
      expect(readdirSync(outside)).toEqual([])
      expect(dataOf(s)['sandbox_denied']).toBeDefined()
    } finally {
      rmSync(outside, { recursive: true, force: true })
    }
  })

  test('the working directory is kept from inside', async () => {
    const s = open({})
    mkdirSync(s.path('sub'))
    await run(s, 'cd sub')
    expect(await run(s, 'pwd')).toBe(s.path('sub'))
  })

  test('the network is off, or on by choice', async () => {
    const server = createServer(socket => socket.end('reached'))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const command = `cat < /dev/tcp/127.0.0.1/${port}`
    try {
      const s = open({})
      expect(await run(s, command)).not.toContain('reached')
      s.close()
      expect(await run(open({ network: true }), command)).toBe('reached')
    } finally {
      server.close()
    }
  })

  test('what is hidden looks empty, and the other processes do not exist', async () => {
    // Not below /tmp, which a sandbox hides anyway.
    const hidden = mkdtempSync('/var/tmp/toolwire-sandbox-')
    try {
      writeFileSync(join(hidden, 'secret.txt'), 'secret')
      expect(await run(open({}), `ls -A ${hidden}`)).toContain('secret')
      stage?.close()
      const s = open({ hidden: [hidden] })
      expect(
        await run(s, `ls -A ${hidden}; ps -e 2>/dev/null | wc -l; ls -d /proc/[0-9]* | wc -l`),
      ).not.toMatch(/secret|^\d{2,}$/m)
    } finally {
      rmSync(hidden, { recursive: true, force: true })
    }
  })

  test('what is hidden inside the workspace looks empty too, and takes nothing', async () => {
    const hidden: string[] = []
    const s = open({ hidden })
    const data = s.path('.data')
    hidden.push(data, s.path('not-there'))
    mkdirSync(data)
    writeFileSync(join(data, 'secret.txt'), 'secret')
    expect(await run(s, 'ls -A .data; cat .data/secret.txt')).not.toMatch(/^secret/m)
    expect(await run(s, 'echo forged > .data/secret.txt; rm -rf .data')).toMatch(/Read-only file system/)
    expect(await run(s, 'touch beside; ls')).toBe('beside')
    expect(readFileSync(join(data, 'secret.txt'), 'utf8')).toBe('secret')
    expect(readdirSync(s.workspace).sort()).toEqual(['.data', 'beside'])
  })

  test('a workspace inside of what is hidden is there, and what is beside it is not', async () => {
    const s = open({})
    stage = undefined
    const inner = createStage({
      tools: createBuiltinTools({ bash: { sandbox: { hidden: [s.dir] } } }),
      mode: 'bypassPermissions',
      roots: [s.workspace],
    })
    try {
      writeFileSync(join(s.dir, 'secret.txt'), 'secret')
      writeFileSync(s.path('mine.txt'), 'mine')
      expect(await run(inner, `cat ${s.path('mine.txt')}; ls ${s.dir}`)).toMatch(/^mineworkspace-\w+$/)
    } finally {
      inner.close()
      s.close()
    }
  })

  test('the walls stay up, also for root', async () => {
    const s = open({})
    const text = await run(
      s,
      `mount -o remount,bind,rw / && echo taken down
umount /tmp && echo taken down
umount -l /proc && echo taken down
mknod device b 8 0 && echo taken down
test -w /proc/sys/kernel/hostname && echo taken down
test -w /proc/sys/kernel/core_pattern && echo taken down
nsenter -t 1 -m true && echo taken down
unshare -m mount -o remount,bind,rw / && echo taken down
unshare -Urm mount -o remount,bind,rw / && echo taken down
grep CapEff /proc/self/status`,
    )
    expect(text).not.toContain('taken down')
    // Changing owners, and reading, writing and owning the files of others: bits 0, 1 and 3.
    expect(Number.parseInt(/CapEff:\s*(\w+)/.exec(text)?.[1] ?? 'ffff', 16) & ~0b1011).toBe(0)
  })

  test('root writes what others own in the workspace, as it does outside', async () => {
    const s = open({})
    writeFileSync(s.path('theirs.txt'), 'old')
    if (process.getuid?.() === 0) {
      chmodSync(s.path('theirs.txt'), 0o600)
      chownSync(s.path('theirs.txt'), 12_345, 12_345)
    }
    expect(await run(s, 'echo new > theirs.txt; cat theirs.txt')).toBe('new')
  })

  test('sockets of services of the machine are not there', async () => {
    const socket = `/run/toolwire-test-${unique()}.sock`
    const server = createServer()
    // An unprivileged user finds those of others there, or nothing.
    await new Promise<void>(resolve => server.once('error', () => resolve()).listen(socket, resolve))
    try {
      const seen = (await run(open({ network: true }), 'ls -A /run; ls -A /var/run/')).split('\n')
      const needed = ['systemd', 'resolvconf', 'NetworkManager', 'current-system', '(no output)']
      expect(seen.filter(name => !needed.includes(name))).toEqual([])
    } finally {
      server.close()
    }
  })

  test('a cancel leaves nothing of it running', async () => {
    const s = open({})
    const mark = unique()
    await s.say([{ name: 'Bash', input: { command: `setsid sleep ${mark} & sleep ${mark}` } }])
    const done = s.settle()
    await until(() => running(`sleep\0${mark}`).length === 2)
    s.cancel()
    await done
    expect(running(mark)).toEqual([])
  })

  test('a task in the background is read, stopped and has an exit code', async () => {
    const s = open({})
    const mark = unique()
    await run(s, `echo hello; sleep ${mark}`, { run_in_background: true })
    const task_id = String(dataOf(s)['backgroundTaskId'])
    await until(() => running(`sleep\0${mark}`).length > 0)
    expect(textOf(await s.one('TaskOutput', { task_id }))).toMatch(/running.*hello/s)
    await s.one('TaskStop', { task_id })
    expect(running(mark)).toEqual([])
    await run(s, 'exit 7', { run_in_background: true })
    const second = String(dataOf(s)['backgroundTaskId'])
    const ended = async () => textOf(await s.one('TaskOutput', { task_id: second }))
    await until(async () => (await ended()).includes('ended'))
    expect(await ended()).toContain('exit code 7')
  })
}

/** Disks that fill up or refuse under a server that runs, where the machine lets a test make one: Linux, as root. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const run = (command: string, ...args: readonly string[]): void =>
  void execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })

/**
 * A separate file system with this many megabytes, which `fn` may fill; gone afterwards. `unmount` is for a test
 * that ends before `fn` does. Idempotent.
 */
export async function onSmallDisk<T>(
  dir: string,
  megabytes: number,
  fn: (disk: string, unmount: () => void) => T,
): Promise<Awaited<T>> {
  const disk = join(dir, 'disk')
  mkdirSync(disk)
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk)
  let isMounted = true
  function unmount(): void {
    // Also when a process that should be gone still has a file in it.
    if (isMounted) run('umount', '--lazy', disk)
    isMounted = false
  }
  try {
    return await fn(disk, unmount)
  } finally {
    unmount()
  }
}

/** Takes all the space that is left, and gives it back. */
export function fillDisk(disk: string): { readonly free: () => void } {
  const file = join(disk, 'filler')
  const fd = openSync(file, 'a')
  let size = 1 << 20
  while (size > 0) {
    try {
      writeSync(fd, Buffer.alloc(size))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      size >>= 1
    }
  }
  closeSync(fd)
  return { free: () => rmSync(file) }
}

/**
 * Makes open files of a folder unwritable. A file system in use cannot be made read-only; a file can on ext4, and
 * then also rejects earlier openers. The index of a journal is excluded: it is mapped memory, and a process that
 * writes to an unwritable page is killed by the system (SIGBUS).
 */
export function freezeFiles(dir: string): { /** Idempotent. */ readonly thaw: () => void } {
  const files = readdirSync(dir)
    .map(name => join(dir, name))
    .filter(path => statSync(path).isFile() && !path.endsWith('-shm'))
  const change = (flag: string): void => run('chattr', flag, ...files)
  change('+i')
  let isFrozen = true
  return {
    thaw() {
      if (isFrozen) change('-i')
      isFrozen = false
    },
  }
}

function isPossible(what: (dir: string) => unknown): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-disk-'))
  return Promise.resolve()
    .then(() => what(dir))
    .then(
      () => true,
      () => false,
    )
    .finally(() => rmSync(dir, { recursive: true, force: true }))
}

export const canMount = (): Promise<boolean> => isPossible(dir => onSmallDisk(dir, 1, () => {}))

export const canFreeze = (): Promise<boolean> =>
  isPossible(dir => {
    const fd = openSync(join(dir, 'file'), 'w')
    const { thaw } = freezeFiles(dir)
    try {
      writeSync(fd, 'x')
    } catch {
      return
    } finally {
      thaw()
      closeSync(fd)
    }
    throw new Error('a frozen file was written')
  })

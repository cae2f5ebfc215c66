/**
 * Opens files by their canonical path. No link is followed, nothing but a regular file is opened, no opening waits, and no
 * more is read than asked for: a pipe, a device or a link that takes the place of a file is an error.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { ChangedError } from './changed-error.ts'
import { type HeldDirectory, holdDirectory, named } from './held-directory.ts'

/** Files up to this size are read whole. */
export const WHOLE_FILE = 16 * 1024 * 1024
/** Larger than any tool writes: a longer file was not written by a tool. */
export const LARGEST_WRITTEN = 64 * 1024 * 1024

const SAFE = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** Throws `ChangedError` for what is no regular file, and the system's error. The caller closes it. */
export async function openFile(path: string, flags: number = constants.O_RDONLY): Promise<FileHandle> {
  const directory = holdDirectory(dirname(path))
  try {
    return await openIn(directory, basename(path), flags)
  } finally {
    directory.close()
  }
}

/** Opens a file of a directory that is held. Throws like `openFile`. */
export async function openIn(
  directory: HeldDirectory,
  name: string,
  flags: number = constants.O_RDONLY,
): Promise<FileHandle> {
  try {
    mustBeFile(lstatSync(directory.at(name)))
    const file = await open(directory.at(name), flags | SAFE)
    try {
      mustBeFile(await file.stat())
      return file
    } catch (error) {
      await file.close()
      throw error
    }
  } catch (error) {
    throw explained(error, `${directory.path}/${name}`)
  }
}

/** Opening some devices has effects, so that it is looked at before and after. */
function mustBeFile(found: Stats): void {
  if (!found.isFile()) throw new ChangedError('it is not a regular file any more')
}

const explained = (error: unknown, path: string): unknown =>
  (error as NodeJS.ErrnoException).code === 'ELOOP'
    ? new ChangedError('a link took its place')
    : named(error, path)

/** The whole content. Throws `EFBIG` for more than `limit` bytes, and like `openFile`. */
export async function readWhole(path: string, limit: number = WHOLE_FILE): Promise<Buffer> {
  const file = await openFile(path)
  try {
    return whole(await readUpTo(file, limit + 1), limit, path)
  } finally {
    await file.close()
  }
}

/** The first bytes, at most `limit`. The file may be shorter, or report a wrong size. */
export async function readUpTo(file: FileHandle, limit: number): Promise<Buffer> {
  const { size } = await file.stat()
  let buffer: Buffer = Buffer.allocUnsafeSlow(firstRoom(size, limit))
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    length += bytesRead
    if (bytesRead === 0 || length === limit) return buffer.subarray(0, length)
    if (length === buffer.length) buffer = larger(buffer, limit)
  }
}

/** As `readWhole`, for those who cannot wait. */
export function readWholeSync(path: string, limit: number = WHOLE_FILE): Buffer {
  const directory = holdDirectory(dirname(path))
  let fd: number | undefined
  try {
    const at = directory.at(basename(path))
    mustBeFile(lstatSync(at))
    fd = openSync(at, constants.O_RDONLY | SAFE)
    const found = fstatSync(fd)
    mustBeFile(found)
    return whole(readFrom(fd, found.size, limit + 1), limit, path)
  } catch (error) {
    throw explained(error, path)
  } finally {
    if (fd !== undefined) closeSync(fd)
    directory.close()
  }
}

function readFrom(fd: number, size: number, limit: number): Buffer {
  let buffer: Buffer = Buffer.allocUnsafeSlow(firstRoom(size, limit))
  let length = 0
  for (;;) {
    const bytesRead = readSync(fd, buffer, length, buffer.length - length, length)
    length += bytesRead
    if (bytesRead === 0 || length === limit) return buffer.subarray(0, length)
    if (length === buffer.length) buffer = larger(buffer, limit)
  }
}

/** One byte more than there should be, so that the end is seen. */
const firstRoom = (size: number, limit: number): number => Math.min(limit, Math.max(size, 4095) + 1)

const larger = (buffer: Buffer, limit: number): Buffer =>
  Buffer.concat([buffer], Math.min(limit, buffer.length * 4))

function whole(bytes: Buffer, limit: number, path: string): Buffer {
  if (bytes.length <= limit) return bytes
  throw Object.assign(new Error(`EFBIG: ${path} has more than ${limit} bytes`), { code: 'EFBIG' })
}

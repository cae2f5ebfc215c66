/** Directories that are held: what is done through them stays in them, whatever becomes of their path. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ChangedError } from '../../src/safe-files/changed-error.ts'
import { holdByName, holdDirectory, makeDirectory } from '../../src/safe-files/held-directory.ts'

let dir = ''
const at = (...parts: string[]): string => join(dir, ...parts)
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-held-')))
  mkdirSync(at('outside'))
  mkdirSync(at('a', 'b'), { recursive: true })
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** The folder goes elsewhere, and a link out is in its place. */
function swap(name: string): void {
  renameSync(at(name), at('moved'))
  symlinkSync(at('outside'), at(name))
}

describe.each([
  ['by its handle', holdDirectory],
  ['by its name, where handles cannot be used', holdByName],
])('a directory that is held %s', (_, hold) => {
  test('reaches what is in it', () => {
    const held = hold(at('a', 'b'))
    writeFileSync(held.at('x'), 'x')
    expect(held.isStillThere()).toBe(true)
    held.close()
    expect(readdirSync(at('a', 'b'))).toEqual(['x'])
  })

  test('is not reached through a link, at any step of its path', () => {
    mkdirSync(at('outside', 'b'))
    symlinkSync(at('outside'), at('link'))
    expect(() => hold(at('link', 'b'))).toThrow(ChangedError)
    symlinkSync(at('outside'), at('a', 'last'))
    expect(() => hold(at('a', 'last'))).toThrow(ChangedError)
    expect(() => hold(at('a', 'missing'))).toThrow('ENOENT')
  })

  test('writes nothing outside after a folder of its path became a link', () => {
    mkdirSync(at('outside', 'b'))
    const held = hold(at('a', 'b'))
    swap('a')
    expect(held.isStillThere()).toBe(false)
    try {
      writeFileSync(held.at('x'), 'x')
      expect(readdirSync(at('moved', 'b'))).toEqual(['x'])
    } catch (error) {
      expect(error).toBeInstanceOf(ChangedError)
    }
    held.close()
    expect(readdirSync(at('outside', 'b'))).toEqual([])
  })
})

describe('directories that are made', () => {
  test('are there with their parents, and go again as far as they are empty', () => {
    const made = makeDirectory(at('a', 'c', 'd', 'e'))
    writeFileSync(at('a', 'c', 'kept'), 'x')
    made.unmake()
    made.close()
    expect(readdirSync(at('a', 'c'))).toEqual(['kept'])
    expect(existsSync(at('a', 'b'))).toBe(true)
  })

  test('are not made through a link, and none is left behind', () => {
    symlinkSync(at('outside'), at('link'))
    expect(() => makeDirectory(at('link', 'c', 'd'))).toThrow(ChangedError)
    writeFileSync(at('a', 'file'), 'x')
    expect(() => makeDirectory(at('a', 'file', 'c'))).toThrow("ENOTDIR: not a directory, open '")
    expect(readdirSync(at('outside'))).toEqual([])
  })
})

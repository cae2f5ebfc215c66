import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFolderFiles } from '@toolwire/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeFilesContract, LIMITS, readAll } from './files-contract.ts'

describeFilesContract('folder', async (limits, now) => {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-files-'))
  const files = openFolderFiles({ dir: join(dir, 'files'), limits, now })
  return {
    files,
    async dispose() {
      await files.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
})

describe('folder files', () => {
  let parent: string
  let dir: string
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'toolwire-files-'))
    dir = join(parent, 'files')
  })
  afterEach(() => rmSync(parent, { recursive: true, force: true }))

  const open = () => openFolderFiles({ dir, limits: LIMITS })
  const details = { id: 'file_1', media_type: 'text/plain', filename: 'a', created_at: 0, expires_at: 1e14 }
  const namesBelow = (path: string): readonly string[] =>
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter(one => one.isFile())
      .map(one => one.name)

  it('is not made before the first file, and other users cannot read it', async () => {
    const files = open()
    await files.sweep(async () => new Set())
    await files.release('s')
    expect(readdirSync(parent)).toEqual([])
    const upload = await files.begin('../../etc')
    await upload.write(Buffer.from('a'))
    await upload.finish(details)
    for (const entry of ['.', ...readdirSync(dir, { recursive: true }).map(String)]) {
      const found = statSync(join(dir, entry))
      expect([entry, (found.mode & 0o777).toString(8)]).toEqual([entry, found.isDirectory() ? '700' : '600'])
    }
    expect(readdirSync(parent)).toEqual(['files'])
    await files.close()
  })

  it('deletes what a killed process left: uploads at once, contents without a name with the next sweep', async () => {
    const files = open()
    const upload = await files.begin('ann')
    await upload.write(Buffer.from('kept'))
    const kept = await upload.finish(details)
    const [folder = ''] = readdirSync(join(dir, 'contents'))
    await files.close()
    writeFileSync(join(dir, 'uploads', 'half'), 'half')
    writeFileSync(join(dir, 'contents', folder, 'f'.repeat(64)), 'moved and not named')
    mkdirSync(join(dir, 'contents', 'a'.repeat(32)))
    writeFileSync(join(dir, 'contents', 'a'.repeat(32), kept.sha256), 'of an owner without names')
    const again = open()
    await again.get('ann', 'file_1')
    expect(readdirSync(join(dir, 'uploads'))).toEqual([])
    await again.sweep(async () => new Set())
    expect(namesBelow(join(dir, 'contents'))).toEqual([kept.sha256])
    expect(String(await readAll(again, kept))).toBe('kept')
    await again.close()
  })

  it('leaves no bytes behind when an upload is aborted', async () => {
    const files = open()
    const upload = await files.begin('ann')
    await upload.write(Buffer.alloc(1000))
    await upload.abort()
    await upload.abort()
    expect(readdirSync(join(dir, 'uploads'))).toEqual([])
    await files.close()
  })
})

/** The stores behind the composer: files, suggestions, versions. */
import {
  ATTACHMENT_LIMITS,
  Attachments,
  Completer,
  completionAt,
  isNameOnly,
  toContent,
  type UploadedFile,
  VersionRequest,
} from '@toolwire/core/parts'
import { expect, test } from 'vitest'
import { FILE_LIMITS } from '../../src/files/file-store.ts'

const errors = { tooLarge: 'too large', tooMany: 'too many', empty: 'empty' }
const stored = (name: string): UploadedFile => ({
  id: `file_${name}`,
  filename: name,
  bytes: 1,
  media_type: 'text/plain',
  problem: null,
})
const states = (files: Attachments) =>
  files.getSnapshot().map(({ name, state, error }) => [name, state, error])
const settle = () => new Promise<void>(resolve => setImmediate(resolve))

test('files over a limit are listed with the reason and never uploaded', async () => {
  const uploads: string[] = []
  const files = new Attachments({
    errors,
    limits: { bytes: 3, files: 2 },
    upload: async file => {
      uploads.push(file.name)
      return stored(file.name)
    },
  })
  files.add([new File(['abcd'], 'large'), new File([], 'none'), new File(['a'], 'third')])
  await settle()
  expect(states(files)).toEqual([
    ['large', 'failed', 'too large'],
    ['none', 'failed', 'empty'],
    ['third', 'failed', 'too many'],
  ])
  expect(uploads).toEqual([])
  expect(files.isReady).toBe(false)
  expect(ATTACHMENT_LIMITS.bytes).toBeLessThanOrEqual(FILE_LIMITS.file)
})

test('a removed file leaves the message and its upload is aborted, also when the upload ends later', async () => {
  const signals: AbortSignal[] = []
  const ends: (() => void)[] = []
  const files = new Attachments({
    errors,
    upload: (file, { signal }) => {
      signals.push(signal)
      return new Promise(resolve => ends.push(() => resolve(stored(file.name))))
    },
  })
  files.add([new File(['a'], 'one'), new File(['b'], 'two')])
  files.remove(files.getSnapshot()[0]?.key ?? '')
  for (const end of ends) end()
  await settle()
  expect(signals.map(signal => signal.aborted)).toEqual([true, false])
  expect(states(files)).toEqual([['two', 'ready', undefined]])
  expect(files.parts()).toEqual([{ type: 'file', source: { type: 'file', file_id: 'file_two' } }])
})

test('a failed upload is repeated on request, once at a time', async () => {
  let attempts = 0
  const files = new Attachments({
    errors,
    upload: async file => {
      attempts++
      if (attempts === 1) throw new Error('no room')
      return stored(file.name)
    },
  })
  files.add([new File(['a'], 'one')])
  await settle()
  expect(states(files)).toEqual([['one', 'failed', 'no room']])
  const key = files.getSnapshot()[0]?.key ?? ''
  files.retry(key)
  files.retry(key)
  await settle()
  expect([attempts, files.isReady]).toEqual([2, true])
})

test('stored files of an earlier page are read back; whatever else is stored is left out', () => {
  const entries = new Map<string, string>()
  const storage = {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => entries.set(key, value),
    removeItem: (key: string) => entries.delete(key),
  }
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, value: storage })
  const open = () => new Attachments({ errors, upload: async file => stored(file.name), draftKey: 's1' })
  entries.set('toolwire:draft:s1:files', JSON.stringify([stored('kept'), { id: 5 }, null, 'x']))
  expect(states(open())).toEqual([['kept', 'ready', undefined]])
  for (const broken of ['{', '7', '{"a":1}', 'null']) {
    entries.set('toolwire:draft:s1:files', broken)
    expect(open().getSnapshot()).toEqual([])
  }
  Reflect.deleteProperty(globalThis, 'localStorage')
})

test('models get the name alone of files of unknown or locked kinds', () => {
  expect(isNameOnly({ ...stored('a'), media_type: 'application/octet-stream' })).toBe(true)
  expect(isNameOnly({ ...stored('a'), problem: 'locked' })).toBe(true)
  for (const media_type of ['image/png', 'application/pdf', 'text/csv', 'application/json', 'audio/wav'])
    expect(isNameOnly({ ...stored('a'), media_type })).toBe(false)
})

test('a message without files is plain text', () => {
  expect(toContent('hi', [])).toBe('hi')
  const part = { type: 'file', source: { type: 'file', file_id: 'f' } } as const
  expect(toContent('', [part])).toEqual([part])
  expect(toContent('hi', [part])).toEqual([{ type: 'text', text: 'hi' }, part])
})

test.each([
  ['@', 1, { kind: 'file', query: '' }],
  ['see @src/gr and more', 11, { kind: 'file', query: 'src/gr' }],
  ['line\n@a', 7, { kind: 'file', query: 'a' }],
  ['/mo', 3, { kind: 'command', query: 'mo' }],
  ['a /mo', 5, undefined],
  ['/model now', 10, undefined],
  ['me@home', 7, undefined],
  ['', 0, undefined],
])('suggestions for %j at %i', (text, caret, expected) => {
  expect(completionAt(text, caret)).toEqual(expected)
})

test('a chosen suggestion replaces what was typed; a folder stays open; a late list is dropped', async () => {
  const late: ((items: { value: string; label: string }[]) => void)[] = []
  const completer = new Completer(() => new Promise(resolve => late.push(resolve)))
  completer.update('see @s', 6)
  completer.update('see @sr', 7)
  late[1]?.([
    { value: 'src/', label: 'src/' },
    { value: 'srv.ts', label: 'srv.ts' },
  ])
  await settle()
  late[0]?.([{ value: 'stale', label: 'stale' }])
  await settle()
  expect(completer.getSnapshot().items.map(({ label }) => label)).toEqual(['src/', 'srv.ts'])
  completer.move(-1)
  expect(completer.getSnapshot().index).toBe(1)
  expect(completer.choose()).toEqual({ text: 'see @srv.ts ', caret: 12 })
  completer.update('see @sr', 7)
  late[2]?.([{ value: 'src/', label: 'src/' }])
  await settle()
  expect(completer.choose()).toEqual({ text: 'see @src/', caret: 9 })
})

test('a version asks about changed files first, and about nothing else', async () => {
  const request = new VersionRequest<{ readonly files: readonly { action: string }[] }>()
  const sent: string[] = []
  const withFiles = (...actions: string[]) =>
    request.start(async effects => {
      sent.push(effects)
      return { effects: { files: actions.map(action => ({ action })) } }
    })
  expect(await withFiles()).toBe(true)
  expect(await withFiles('unchanged')).toBe(true)
  expect(sent).toEqual(['ask', 'keep', 'ask', 'keep'])
  expect(await withFiles('restored')).toBe(false)
  expect(request.getSnapshot().status).toBe('choosing')
  expect(await withFiles('restored')).toBe(false)
  expect(await request.choose('restore')).toBe(true)
  expect(sent.slice(4)).toEqual(['ask', 'restore'])
  expect(request.getSnapshot()).toEqual({ status: 'idle' })
})

test('a rejected version shows the error and can be asked for again', async () => {
  const request = new VersionRequest<{ readonly files: readonly { action: string }[] }>()
  expect(await request.start(() => Promise.reject(new Error('running')))).toBe(false)
  expect(request.getSnapshot()).toEqual({ status: 'idle', error: 'running' })
  expect(await request.start(async () => ({ effects: { files: [] } }))).toBe(true)
})

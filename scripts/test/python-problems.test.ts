import { expect, test } from 'vitest'
import { pythonProblems } from '../python-problems.ts'

const FIELDS = ['requires-python', 'license', 'license-files', 'authors', 'keywords', 'classifiers', 'readme']
const PYPROJECT = [
  '[project]',
  'name = "toolwire"',
  'version = "1.2.3"',
  'dependencies = []',
  ...FIELDS.map(field => `${field} = "x"`),
  '',
].join('\n')
const sound = { 'toolwire/__init__.py': '', 'toolwire/__main__.py': '', 'toolwire/py.typed': '' }
const problems = (more: Readonly<Record<string, string>>, pyproject = PYPROJECT): readonly string[] =>
  pythonProblems(
    { files: new Map(Object.entries({ ...sound, ...more })), pyproject, version: '1.2.3' },
    '/home/me/checkout',
  )

test('a sound package has no problems', () => {
  expect(problems({ 'toolwire/client.py': 'import json\n' })).toEqual([])
})

test.each(['tests/test_client.py', 'toolwire/.env', 'toolwire/key.pem', 'other/__init__.py'])(
  '%s does not belong into it',
  path => expect(problems({ [path]: '' })).toEqual([`clients/python: ${path} is no part of it`]),
)

test('it has what makes it a typed package, the number of the release, and needs nothing else', () => {
  const bare = pythonProblems({ files: new Map(), pyproject: '', version: '1.2.3' }, '/m')
  expect(bare).toHaveLength(12)
  expect(problems({}, PYPROJECT.replace('1.2.3', '1.2.2'))).toEqual([
    'clients/python: its version is 1.2.2, that of the others 1.2.3',
  ])
  expect(problems({}, PYPROJECT.replace('[]', '["requests"]'))).toEqual([
    'clients/python: it needs more than the standard library',
  ])
})

test('secrets and folders of the machine are found', () => {
  const key = `tw_${'0a'.repeat(6)}_${'x'.repeat(32)}`
  expect(problems({ 'toolwire/client.py': key })).toHaveLength(1)
  expect(problems({ 'toolwire/client.py': '/home/me/checkout/x' })).toHaveLength(1)
})

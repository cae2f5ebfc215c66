/**
 * Builds the Python client as it is published, installs its wheel and its source distribution into clean environments
 * without a network, and holds a conversation with each, with both of its clients.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stagePython } from './stage-python.ts'

const run = promisify(execFile)

/** Takes the place of `pip wheel`, which would ask a network for setuptools. */
const BUILD = `
import sys
from setuptools import build_meta
getattr(build_meta, 'build_' + sys.argv[1])('dist')
`
const TALK = `
import asyncio, sys
from importlib.metadata import metadata
from toolwire import Client, approve
from toolwire.aio import AsyncClient
url = sys.argv[1]
client = Client(url)
session = client.create_session()["id"]
assert list(client.chat(session, "/ask", on_approval=lambda _: approve()))[-1]["type"] == "done"
async def talk():
    other = AsyncClient(url)
    return [event["type"] async for event in other.chat(session, "hello")]
assert asyncio.run(talk())[-1] == "done"
found = metadata("toolwire")
assert found["Requires-Python"] == ">=3.10" and "httpx" in found.get_all("Provides-Extra")
assert any(url.startswith("Source") for url in found.get_all("Project-URL"))
print("talked")
`

interface Trial {
  readonly work: string
  /** A running server with the demo model. */
  readonly url: string
}

export async function tryPython({ work, url }: Trial): Promise<void> {
  const builder = await findBuilder()
  if (!builder) {
    console.log('clients/python: not built, no Python here has setuptools and wheel')
    return
  }
  const home = join(work, 'python')
  mkdirSync(home)
  stagePython(home, 'https://git.example.invalid/toolwire')
  if (builder.setuptools < 77) writeOlderLicense(join(home, 'pyproject.toml'))
  for (const kind of ['sdist', 'wheel']) await run(builder.python, ['-c', BUILD, kind], { cwd: home })
  const sdist = find(home, '.tar.gz')
  await run('tar', ['-xzf', join('dist', sdist)], { cwd: home })
  const unpacked = join(home, sdist.replace('.tar.gz', ''))
  await run(builder.python, ['-c', BUILD, 'wheel'], { cwd: unpacked })
  for (const folder of [home, unpacked]) await tryWheel(folder, url)
  console.log(`clients/python: built with setuptools ${builder.setuptools}, installed twice and talked to`)
}

/** In an environment with nothing else. */
async function tryWheel(home: string, url: string): Promise<void> {
  const wheel = join('dist', find(home, '.whl'))
  const { stdout: files } = await run('python3', ['-m', 'zipfile', '-l', wheel], { cwd: home })
  for (const part of ['toolwire/py.typed', 'toolwire/aio.py', 'LICENSE'])
    if (!files.includes(part)) throw new Error(`${part} is not in ${wheel}`)
  await run('python3', ['-m', 'venv', 'venv'], { cwd: home })
  const quiet = ['--no-index', '--disable-pip-version-check', '--quiet']
  await run('venv/bin/pip', ['install', ...quiet, wheel], { cwd: home })
  writeFileSync(join(home, 'talk.py'), TALK)
  const { stdout } = await run('venv/bin/python', ['talk.py', url], { cwd: home })
  if (!stdout.includes('talked')) throw new Error(`${wheel}: ${stdout}`)
}

function find(home: string, ending: string): string {
  const file = readdirSync(join(home, 'dist')).find(name => name.endsWith(ending))
  if (file === undefined) throw new Error(`no ${ending} was built`)
  return file
}

/** A Python with setuptools and what it needs for wheels: from version 70.1 nothing. */
async function findBuilder(): Promise<{ readonly python: string; readonly setuptools: number } | undefined> {
  const probe =
    'import setuptools; v = int(setuptools.__version__.split(".")[0]); v > 70 or __import__("wheel"); print(v)'
  for (const python of ['python3', '/usr/bin/python3']) {
    const version = await run(python, ['-c', probe]).catch(() => undefined)
    if (version) return { python, setuptools: Number(version.stdout) }
  }
  return undefined
}

/** An older setuptools on this machine knows neither an SPDX expression nor license files in the project table. */
function writeOlderLicense(path: string): void {
  const text = readFileSync(path, 'utf8')
  const older = text
    .replace('license = "MIT"\nlicense-files = ["LICENSE"]', 'license = { text = "MIT" }')
    .replace('setuptools>=77', 'setuptools')
  writeFileSync(path, older)
}

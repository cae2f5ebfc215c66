import { afterEach, describe, expect, test } from 'vitest'
import { textOf } from '../../tools/test/stage.ts'
import { closeAll, isReady, program, stageOf, start, until } from './stage-mcp.ts'

afterEach(closeAll)

async function ask(server: ReturnType<typeof program>, tool: string) {
  const mcp = start({ one: server })
  await until(mcp, isReady(mcp))
  const stage = stageOf(mcp)
  return { stage, said: textOf(await stage.one(`mcp__one__${tool}`, {})) }
}

describe('a server that takes its folder from its arguments', () => {
  const server = () => program('folder-server.ts', '/srv/data')

  test('keeps it when its entry offers no roots', async () => {
    expect((await ask({ ...server(), roots: false }, 'folder')).said).toBe('/srv/data')
  })

  test('gets the workspace otherwise', async () => {
    const { stage, said } = await ask(server(), 'folder')
    expect(said).toBe(`file://${stage.workspace}`)
  })
})

test('a server of the newer era gets no folders either when its entry offers no roots', async () => {
  const { said } = await ask({ ...program('stdio-server.ts'), roots: false }, 'where')
  expect(said).not.toContain('file:')
  expect(said).toMatch(/roots|folders/)
})

import { InMemoryTransport } from '@modelcontextprotocol/client'
import { afterEach, expect, test } from 'vitest'
import { textOf } from '../../tools/test/stage.ts'
import { closeAll, isReady, stageOf, start, until } from './stage-mcp.ts'
import { createTestServer } from './test-server.ts'

afterEach(closeAll)

test('a server in the same process is called and asks like any other', async () => {
  const mcp = start({
    near: {
      type: 'in_process',
      async connect() {
        const [ours, theirs] = InMemoryTransport.createLinkedPair()
        await createTestServer().connect(theirs)
        return ours
      },
    },
  })
  await until(mcp, isReady(mcp))
  const stage = stageOf(mcp)
  expect(textOf(await stage.one('mcp__near__echo', { text: 'here' }))).toBe('here')
  const asked = await stage.one('mcp__near__ask', {})
  stage.approve(asked, { answer_text: 'red' })
  await stage.settle()
  expect(textOf(stage.state().calls[0])).toBe('{"colour":"red"}')
})

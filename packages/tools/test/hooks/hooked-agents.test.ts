/** Hooks see the calls of subagents as they see those of the session, with the agent. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runWithTools } from '../../../runtime/test/loop/run-with-tools.ts'
import { promptFor, scriptedModel } from '../../../runtime/test/loop/scripted-model.ts'
import { readAll, testTools } from '../../../runtime/test/loop/stage.ts'
import { createAgentTool } from '../../src/builtin/agent.ts'
import { createToolSystem } from '../../src/create-tool-system.ts'

test('what a hook denies a subagent cannot do either; its parent can where the hook lets it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-hooked-'))
  const seen = join(dir, 'seen')
  const deny = '{"decision":"deny","reason":"not for agents"}'
  const command = `tee -a ${seen} | grep -q agent_run_id && printf '%s' '${deny}'; echo >> ${seen}; exit 0`
  const peek = { name: 'peek', input: { at: 'x' } }
  const agent = { name: 'Agent', input: { prompt: promptFor([{ calls: [peek] }]) } }
  const { store, runtime } = await runWithTools(
    scriptedModel([{ calls: [peek, agent] }]),
    createToolSystem({
      tools: [...testTools(new Map()), createAgentTool()],
      hooks: { before_tool: [{ matcher: 'peek', command }] },
    }),
  )
  try {
    const events = (await readAll(store)).map(rec => rec.ev)
    expect(events.at(-1)?.type).toBe('run.completed')
    const [failed] = events.filter(ev => ev.type === 'tool.failed')
    expect(failed).toMatchObject({
      error: { code: 'denied_hook' },
      agent_run_id: expect.stringMatching(/^agent_/),
    })
    const done = events.filter(ev => ev.type === 'tool.completed' && ev.output_text === 'saw x')
    expect(done.map(ev => ev.agent_run_id)).toEqual([undefined])
    const told = readFileSync(seen, 'utf8').split('\n').filter(Boolean)
    expect(told.map(line => JSON.parse(line).agent_run_id)).toEqual([undefined, failed?.agent_run_id])
  } finally {
    await runtime.stop()
    rmSync(dir, { recursive: true, force: true })
  }
})

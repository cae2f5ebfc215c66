/** Which tools an agent has that another agent started. */
import type { ModelRequest } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { promptFor, type ScriptedCall, type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import { fold, opening, openStage, playOut, seed } from './stage.ts'

const poke: ScriptedCall = { name: 'poke', input: { at: 'x' } }
const agent = (subagent_type: string, turns: readonly ScriptedTurn[]): ScriptedCall => ({
  name: 'Agent',
  input: { prompt: promptFor(turns), subagent_type },
})

test('an agent of an agent has no tool that the one above it lacks, whatever its kind names', async () => {
  const seen: ModelRequest[] = []
  const types = {
    narrow: { description: 'looks', system: 'Look.', tools: ['Agent', 'peek'] },
    wide: { description: 'all', system: 'Do it.', tools: ['*'] },
  }
  const turns = [{ calls: [agent('narrow', [{ calls: [agent('wide', [{ calls: [poke] }])] }])] }]
  const options = { types, max_depth: 2 }
  const stage = openStage(createMemoryStore(), scriptedModel(turns, seen), new Map(), options)
  await seed(stage.store, opening('go'))
  await playOut(stage)
  await stage.runtime.stop()
  expect(seen[2]?.system).toBe('Do it.')
  expect(seen[2]?.tools.map(tool => tool.name)).toEqual(['peek'])
  expect(stage.effects.size).toBe(0)
  const results = (await fold(stage.store)).messages.flatMap(said =>
    said.role === 'tool' ? said.results : [],
  )
  expect(results[0]?.output_text).toContain('No such tool available: poke')
})

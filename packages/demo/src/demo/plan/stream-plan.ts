/**
 * Speaks a plan as a provider's stream: one `start`, blocks that open and close one
 * after another, one `end` or `error`. Order and content depend on plan and request only.
 */
import type { ModelPart, ModelRequest } from '@toolwire/core'
import { derivedId, derivedSignature, digestRequest, seededNumbers } from './digest.ts'
import { limitPlan } from './limit-plan.ts'
import { FINISH_OF, type Plan, type PlannedBlock } from './plan.ts'
import { splitJson, splitProse } from './split-text.ts'
import { blockTokens, requestUsage } from './token-usage.ts'

/** A part to pass on, or a silence to keep. */
export type Step = ModelPart | { readonly type: 'delay'; readonly ms: number }

/** It is known to cost nothing, which is not the same as an unknown price. */
const FREE = { cost_usd: 0 }

/** All steps of the answer. `model` is the id that the answer names; `omitted` characters of the request were left out. */
export function* planSteps(wanted: Plan, request: ModelRequest, model: string, omitted = 0): Iterable<Step> {
  const plan = limitPlan(wanted, request.max_tokens)
  const digest = digestRequest(request)
  const usage = requestUsage(request, omitted)
  yield {
    type: 'start',
    provider_message_id: derivedId('msg_', digest, 'message'),
    model,
    usage: { ...usage, output: 1, reasoning: 0 },
  }
  const spoken = plan.blocks.filter(block => block.type !== 'delay').length
  let index = 0
  for (const block of plan.blocks) {
    if (block.type === 'delay') {
      yield block
      continue
    }
    yield* blockSteps(block, index, digest)
    if (!(plan.error && index === spoken - 1)) yield { type: 'block-end', index }
    index += 1
  }
  const total = { ...usage, ...outputUsage(plan) }
  if (plan.error) yield { type: 'error', error: plan.error, usage: total, ...FREE }
  else
    yield {
      type: 'end',
      stop_reason: plan.stop_reason,
      finish: FINISH_OF[plan.stop_reason],
      ...(plan.stop_details === undefined ? {} : { stop_details: plan.stop_details }),
      usage: total,
      ...FREE,
      request_id: derivedId('req_', digest, 'request'),
    }
}

function* blockSteps(block: PlannedBlock, index: number, digest: string): Iterable<Step> {
  const random = seededNumbers(`${digest}:${index}`)
  switch (block.type) {
    case 'text':
      yield { type: 'block-start', index, kind: 'text' }
      for (const text of block.pieces ?? splitProse(block.text, random)) {
        if (block.pause_ms !== undefined) yield { type: 'delay', ms: block.pause_ms }
        yield { type: 'block-delta', index, text }
      }
      return
    case 'thinking':
      yield { type: 'block-start', index, kind: 'thinking' }
      for (const thinking of block.pieces ?? splitProse(block.thinking, random))
        yield { type: 'block-delta', index, thinking }
      yield { type: 'block-delta', index, signature: derivedSignature(digest, `signature:${index}`) }
      return
    case 'tool_use':
      yield {
        type: 'block-start',
        index,
        kind: 'tool_use',
        tool: { id: block.id ?? derivedId('toolu_', digest, `call:${index}`), name: block.name },
      }
      // Providers open every input with an empty delta.
      yield { type: 'block-delta', index, input_text: '' }
      for (const input_text of block.pieces ?? splitJson(block.input_text, random))
        yield { type: 'block-delta', index, input_text }
      return
    case 'delay':
      return
  }
}

function outputUsage(plan: Plan): { readonly output: number; readonly reasoning: number } {
  let output = 0
  let reasoning = 0
  for (const block of plan.blocks) {
    output += blockTokens(block)
    if (block.type === 'thinking') reasoning += blockTokens(block)
  }
  return { output: Math.max(1, output), reasoning }
}

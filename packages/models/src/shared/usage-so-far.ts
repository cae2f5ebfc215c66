/**
 * Usage of an aborted or cancelled message. Providers bill written output, but one API reports usage only at the
 * end, and the other counts output only there: the rest is estimated, and marked.
 */
import type { ModelPart, ModelRequest, Usage } from '@toolwire/core'
import { NO_USAGE } from '@toolwire/core'
import { estimateTokens, tokensOfText } from './estimate-tokens.ts'

/** Watches one answer. Give it every part; it returns the part, and a broken end with its usage. */
export function createUsageMeter(request: ModelRequest): (part: ModelPart) => ModelPart {
  // Counted only when it is needed: this runs for every delta.
  const said: string[] = []
  return part => {
    if (part.type === 'block-delta') said.push(part.text ?? part.thinking ?? part.input_text ?? '')
    if (part.type !== 'error' || said.length === 0) return part
    const written = tokensOfText(said.join(''))
    return { ...part, usage: usageSoFar(part.usage, request, written) }
  }
}

function usageSoFar(told: Usage | undefined, request: ModelRequest, written: number): Usage {
  if (!told)
    return {
      ...NO_USAGE,
      input: estimateTokens(request).input_tokens,
      output: written,
      is_estimate: true,
    }
  return told.output >= written ? told : { ...told, output: written, is_estimate: true }
}

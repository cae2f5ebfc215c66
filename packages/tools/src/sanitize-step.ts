/** Sanitizes steps of unchecked tools: the output can be written to the log, whatever the input. */
import type { ToolStep } from '@toolwire/core'

/**
 * Pure. A non-text becomes text. A result without a JSON form is a failure that says so; in progress and failures
 * such values are omitted.
 */
export function sanitizeStep(step: ToolStep): ToolStep {
  switch (step.type) {
    case 'progress': {
      const { output_delta, data } = step
      return {
        ...step,
        ...(output_delta === undefined ? {} : { output_delta: asText(output_delta) }),
        ...(data === undefined || isJson(data) ? {} : { data: undefined }),
      }
    }
    case 'failure': {
      const { message, details } = step
      return {
        ...step,
        message: asText(message) || NO_REASON,
        details: isJson(details) ? details : undefined,
      }
    }
    case 'result': {
      const { output_text, content, structured, view } = step
      if ((content === undefined || Array.isArray(content)) && isJson([content, structured, view]))
        return { ...step, output_text: asText(output_text) }
      const message = `The tool ran, but its result cannot be kept: it has no JSON form. What it said:\n${asText(output_text)}`
      return { type: 'failure', code: 'output_invalid', message }
    }
    default:
      return step
  }
}

const NO_REASON = 'The tool failed and gave no reason.'

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return (isJson(value) ? JSON.stringify(value) : undefined) ?? ''
}

/** Undefined counts: it is simply left out. */
function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}

/**
 * Wraps a tool of any author for the loop. Invariants: its checks, descriptions and views never throw, and default
 * to the safe value; nothing else outlasts an abort. Errors while judging or running a call are left to the
 * callers, who end that call with them.
 */
import type { Tool, ToolContext, ToolStep } from '@toolwire/core'
import { reasonOf, untilAborted } from '@toolwire/core'
import { boundView } from './bound-view.ts'
import { sanitizeStep } from './sanitize-step.ts'

const guarded = new WeakMap<Tool, Tool>()

/** The same for the same tool. Everything that is not guarded is read from the tool itself, when it is asked for. */
export function guardTool(tool: Tool): Tool {
  const known = guarded.get(tool)
  if (known) return known
  const functions: Partial<Tool> = { ...answers(tool), ...inquiries(tool), call: caller(tool) }
  const own = Object.entries(functions).map(([name, value]) => [name, { value, enumerable: true }] as const)
  const made = Object.create(tool, Object.fromEntries(own)) as Tool
  guarded.set(tool, made)
  return made
}

/** The result of `ask`; that of `otherwise` if it throws. */
export function attempt<T>(ask: () => T, otherwise: (why: string) => T): T {
  try {
    return ask()
  } catch (error) {
    return otherwise(reasonOf(error))
  }
}

/** Functions that answer at once. */
function answers(tool: Tool): Partial<Tool> {
  const { name, description, prompt } = tool
  return {
    check: input =>
      attempt(
        () => tool.check(input),
        why => ({ ok: false, problems: [`they could not be checked, because ${name} failed: ${why}`] }),
      ),
    // Exactly true: the promise of a tool that was written with `async` is no yes.
    isReadOnly: (input, context) =>
      attempt(
        () => tool.isReadOnly(input, context) === true,
        () => false,
      ),
    ...(tool.isIdempotent && {
      isIdempotent: (input: unknown, context: ToolContext) =>
        attempt(
          () => tool.isIdempotent?.(input, context) === true,
          () => false,
        ),
    }),
    ...(tool.isEnabled && {
      isEnabled: setting =>
        attempt(
          () => tool.isEnabled?.(setting) ?? true,
          () => false,
        ),
    }),
    ...(typeof description === 'function' && {
      description: setting =>
        attempt(
          () => description(setting),
          () => name,
        ),
    }),
    ...(typeof prompt === 'function' && {
      prompt: setting =>
        attempt(
          () => prompt(setting),
          () => '',
        ),
    }),
    // Exactly false: a tool that does not know is asked about.
    ...(tool.needsPermissions && {
      needsPermissions: (input: unknown, context: ToolContext) =>
        attempt(
          () => tool.needsPermissions?.(input, context) !== false,
          () => true,
        ),
    }),
    ...(tool.renderResultForAssistant && {
      renderResultForAssistant: content =>
        attempt(
          () => textOr(tool.renderResultForAssistant?.(content), content),
          () => content,
        ),
    }),
    ...(tool.renderToolUseRejectedMessage && {
      renderToolUseRejectedMessage: input =>
        attempt(
          () => textOr(tool.renderToolUseRejectedMessage?.(input), ''),
          () => '',
        ),
    }),
    ...(tool.checkOutput && {
      checkOutput: structured =>
        attempt(
          () => tool.checkOutput?.(structured) ?? [],
          why => [`it could not be checked: ${why}`],
        ),
    }),
    ...(tool.view && {
      view: input =>
        attempt(
          () => boundView(tool.view?.(input) ?? {}),
          () => ({}),
        ),
    }),
    ...(tool.question && {
      question: input =>
        attempt(
          () => tool.question?.(input) ?? { message: name },
          why => ({ message: `${name} wants to ask something, but could not say what: ${why}` }),
        ),
    }),
  }
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)

/** Functions that may take their time: an abort ends the wait for them, with an error. */
function inquiries(tool: Tool): Partial<Tool> {
  return {
    ...(tool.subject && {
      subject: waited((input, context) => tool.subject?.(input, context)) as Tool['subject'],
    }),
    ...(tool.access && {
      access: waited((input, context) => tool.access?.(input, context)) as Tool['access'],
    }),
    ...(tool.validate && {
      validate: waited((input, context) => tool.validate?.(input, context)) as Tool['validate'],
    }),
    ...(tool.recover && {
      recover: waited((input, context) => tool.recover?.(input, context)) as Tool['recover'],
    }),
    ...(tool.preview && { preview: waited((input, context) => tool.preview?.(input, context)) }),
  }
}

type Inquiry = (input: unknown, context: ToolContext) => Promise<unknown> | undefined

const waited =
  (ask: Inquiry) =>
  async (input: unknown, context: ToolContext): Promise<unknown> =>
    await untilAborted(Promise.resolve(ask(input, context)), context.signal)

/** Our own tools and the ones of MCP servers give sound steps; others are looked at. */
const caller = (tool: Tool): Tool['call'] =>
  tool.type === 'builtin' || tool.type === 'mcp'
    ? (input, context) => tool.call(input, context)
    : (input, context) => sound(tool.call(input, context))

async function* sound(steps: AsyncIterable<ToolStep>): AsyncGenerator<ToolStep> {
  for await (const step of steps) yield sanitizeStep(step)
}

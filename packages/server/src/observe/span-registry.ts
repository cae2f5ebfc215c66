/** Open spans by key: started, ended, suspended by a pause and resumed after it. */
import {
  type Context,
  context as contextApi,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { SessionEvent } from '@toolwire/core'
import { RecentMap } from '@toolwire/core'

export type Attributes = Record<string, string | number | boolean | string[]>

interface Begin {
  readonly name: string
  /** The key of the span that it hangs below. */
  readonly parent?: string
  readonly kind?: SpanKind
  readonly attributes: Attributes
  /** The key of a span that a pause ended: this one continues it. */
  readonly after?: string | undefined
}

export interface Outcome {
  readonly attributes?: Attributes
  readonly error?: string
}

/** A span that is known only when it is over. */
interface Whole extends Pick<Begin, 'name' | 'attributes'> {
  readonly from: string
  readonly to: string
  readonly outcome?: Outcome | undefined
}

export interface SpanRegistry {
  readonly begin: (key: string, event: SessionEvent, begin: Begin) => void
  readonly end: (key: string, event: SessionEvent, outcome?: Outcome) => void
  /** Ends it and everything below it, for now. */
  readonly suspend: (key: string, event: SessionEvent, outcome: Outcome) => void
  /** Restarts, below `parent`, a span that a pause suspended. False if this process does not know it. */
  readonly resume: (key: string, event: SessionEvent, parent: string) => boolean
  /** More attributes for one that is open. */
  readonly set: (
    key: string,
    change: (said: string) => { readonly said: string; readonly attributes: Attributes },
  ) => void
  readonly isOpen: (key: string) => boolean
  readonly isIdle: () => boolean
  /**
   * Prepares a span to be made later in the current context: below `parent` if that is open, else separate and
   * linked to the open or suspended spans of `linked`.
   */
  readonly place: (parent: string | undefined, ...linked: readonly string[]) => (whole: Whole) => void
}

interface Open {
  readonly span: Span
  readonly context: Context
  readonly begin: Begin
  readonly children: Set<string>
  /** The model's text so far, if recording is enabled. */
  said: string
}
interface SuspendedSpan {
  readonly context: SpanContext
  readonly begin: Begin
}

const KEEP = 20_000

export function createSpanBook(tracer: Tracer): SpanRegistry {
  const open = new RecentMap<string, Open>(KEEP, ({ span }) => span.end())
  const resting = new RecentMap<string, SuspendedSpan>(KEEP)

  function begin(key: string, event: SessionEvent, wanted: Begin): void {
    const above = wanted.parent === undefined ? undefined : open.get(wanted.parent)
    const parent = above?.context ?? contextApi.active()
    const links = linksTo(wanted.after === undefined ? undefined : resting.take(wanted.after)?.context)
    const { name, kind = SpanKind.INTERNAL, attributes } = wanted
    const span = tracer.startSpan(name, { kind, startTime: new Date(event.ts), attributes, links }, parent)
    // Without an SDK nothing records: then nothing is remembered either.
    if (!span.isRecording()) return
    above?.children.add(key)
    open.set(key, {
      span,
      context: trace.setSpan(parent, span),
      begin: wanted,
      children: new Set(),
      said: '',
    })
  }
  function end(key: string, event: SessionEvent, outcome: Outcome = {}): void {
    const found = open.take(key)
    if (!found) return
    tell(found.span, outcome)
    found.span.end(new Date(event.ts))
    if (found.begin.parent !== undefined) open.get(found.begin.parent)?.children.delete(key)
  }
  function suspend(key: string, event: SessionEvent, outcome: Outcome): void {
    const found = open.get(key)
    if (!found) return
    for (const child of found.children) suspend(child, event, { attributes: { 'toolwire.paused': true } })
    resting.set(key, { context: found.span.spanContext(), begin: found.begin })
    end(key, event, outcome)
  }
  return {
    begin,
    end,
    suspend,
    resume(key, event, parent) {
      const before = resting.get(key)
      if (before) begin(key, event, { ...before.begin, parent, after: key })
      return before !== undefined
    },
    set(key, change) {
      const found = open.get(key)
      if (!found) return
      const { said, attributes } = change(found.said)
      found.said = said
      found.span.setAttributes(attributes)
    },
    isOpen: key => open.get(key) !== undefined,
    isIdle: () => open.size === 0,
    place(parent, ...linked) {
      const above = parent === undefined ? undefined : open.get(parent)?.context
      const known = linked.map(key => open.get(key)?.span.spanContext() ?? resting.get(key)?.context)
      const links = above ? [] : linksTo(...known)
      return ({ name, attributes, from, to, outcome }) => {
        const span = tracer.startSpan(
          name,
          { startTime: new Date(from), attributes, links },
          above ?? ROOT_CONTEXT,
        )
        tell(span, outcome ?? {})
        span.end(new Date(to))
      }
    },
  }
}

function tell(span: Span, { attributes, error }: Outcome): void {
  if (attributes) span.setAttributes(attributes)
  if (error === undefined) return
  span.setAttribute('error.type', error)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const linksTo = (...contexts: readonly (SpanContext | undefined)[]): Link[] =>
  contexts.flatMap(context => (context ? [{ context }] : []))

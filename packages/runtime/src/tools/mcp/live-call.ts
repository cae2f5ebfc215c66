/**
 * A request to a server while it is under way. It outlives the run that began it: when the server asks
 * a person something over the connection itself, the request waits while the session is paused, and
 * whoever goes on with the call takes it up again.
 */
import type {
  CallToolResult,
  ElicitResult,
  InputRequiredResult,
  Progress,
} from '@modelcontextprotocol/client'
import { type Elicitation, printOf } from './elicitation.ts'

/** What a server answers to a call: a result, or what it needs first. */
export type McpAnswer = CallToolResult | InputRequiredResult

export type Ended =
  | { readonly ok: true; readonly result: McpAnswer }
  | { readonly ok: false; readonly error: unknown }

type Happening =
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'question'; readonly asked: Elicitation }
  | { readonly type: 'ended'; readonly end: Ended }

/** What the request tells while it runs. */
export interface LiveVoice {
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  /** The signal tells that the server does not want to know it any more. Rejects when the call is given up. */
  readonly ask: (asked: Elicitation, signal: AbortSignal) => Promise<ElicitResult>
}

export interface LiveCall {
  /** The next thing: of several reports of progress the last. A question comes again until it is answered. */
  readonly next: () => Promise<Happening>
  /** Resolves after so long, or as soon as there is more than progress. */
  readonly rest: (ms: number) => Promise<void>
  /** Answers a question. Nothing happens when it is not open any more. */
  readonly answer: (asked: Elicitation, result: ElicitResult) => void
  /** The request ends with this signal as long as it is attached. Returns what detaches it. */
  readonly attach: (signal: AbortSignal) => () => void
  /** Resolves when the open question needs no answer any more: the server took it back, or the request ended. */
  readonly moot: () => Promise<void>
  /** How it ended; undefined while it runs. */
  readonly ended: () => Ended | undefined
  readonly abort: (reason: Error) => void
}

interface OpenQuestion {
  readonly asked: Elicitation
  readonly answer: (result: ElicitResult) => void
  readonly moot: Promise<void>
}

/** Starts the request at once. `start` may throw anything. */
export function startLiveCall(start: (voice: LiveVoice) => Promise<McpAnswer>): LiveCall {
  const controller = new AbortController()
  const questions: OpenQuestion[] = []
  let latest: Progress | undefined
  let end: Ended | undefined
  let news = Promise.withResolvers<void>()

  function tell(): void {
    news.resolve()
    news = Promise.withResolvers()
  }

  function ask(asked: Elicitation, signal: AbortSignal): Promise<ElicitResult> {
    return new Promise((resolve, reject) => {
      const moot = Promise.withResolvers<void>()
      const question: OpenQuestion = { asked, answer: given, moot: moot.promise }
      function leave(): void {
        questions.splice(questions.indexOf(question), 1)
        signal.removeEventListener('abort', giveUp)
        controller.signal.removeEventListener('abort', giveUp)
      }
      function given(result: ElicitResult): void {
        leave()
        resolve(result)
      }
      function giveUp(): void {
        leave()
        moot.resolve()
        reject(new Error('The question was given up.'))
      }
      if (signal.aborted || controller.signal.aborted) return reject(new Error('The question was given up.'))
      signal.addEventListener('abort', giveUp, { once: true })
      controller.signal.addEventListener('abort', giveUp, { once: true })
      questions.push(question)
      tell()
    })
  }

  const voice: LiveVoice = {
    signal: controller.signal,
    ask,
    onProgress(progress) {
      latest = progress
      tell()
    },
  }
  const finished = start(voice)
    .then(
      (result): Ended => ({ ok: true, result }),
      (error: unknown): Ended => ({ ok: false, error }),
    )
    .then(how => {
      end = how
      tell()
    })

  function happened(): Happening | undefined {
    if (latest) {
      const progress = latest
      latest = undefined
      return { type: 'progress', progress }
    }
    const [question] = questions
    if (end) return { type: 'ended', end }
    return question && { type: 'question', asked: question.asked }
  }

  return {
    async next() {
      for (;;) {
        const now = happened()
        if (now) return now
        await news.promise
      }
    },
    async rest(ms) {
      let isOver = false
      const over = new Promise<void>(resolve => {
        const wake = (): void => {
          isOver = true
          resolve()
        }
        setTimeout(wake, ms).unref()
      })
      while (!isOver && !end && questions.length === 0) await Promise.race([news.promise, over])
    },
    answer(asked, result) {
      const print = printOf(asked)
      questions.find(question => printOf(question.asked) === print)?.answer(result)
    },
    attach(signal) {
      const stop = (): void => controller.abort(signal.reason)
      if (signal.aborted) stop()
      signal.addEventListener('abort', stop, { once: true })
      return () => signal.removeEventListener('abort', stop)
    },
    moot: () => Promise.race([finished, questions[0]?.moot ?? Promise.resolve()]),
    ended: () => end,
    abort: reason => controller.abort(reason),
  }
}

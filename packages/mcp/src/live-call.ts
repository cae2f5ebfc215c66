/**
 * A request to a server in progress. It outlives the run that started it: when the server asks a question over the
 * connection, the request waits while the session is paused, and the resumed call continues it.
 */
import type { CreateMessageResult, ElicitResult, Progress } from '@modelcontextprotocol/client'
import { type Elicitation, printOf } from './elicitation.ts'
import type { McpAnswer } from './mcp-request.ts'

/** The reply to a server: a user's answer, or a model's message. */
export type Reply = ElicitResult | CreateMessageResult

export type LiveCallResult =
  | { readonly ok: true; readonly result: McpAnswer }
  | { readonly ok: false; readonly error: unknown }

type LiveCallEvent =
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'question'; readonly asked: Elicitation }
  | { readonly type: 'ended'; readonly end: LiveCallResult }

/** Events of a running request. */
export interface LiveCallHandlers {
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  /** The signal is aborted when the server withdraws the question. Rejects when the call is abandoned. */
  readonly ask: (asked: Elicitation, signal: AbortSignal) => Promise<Reply>
}

export interface LiveCall {
  /** The next thing: of several reports of progress the last. A question comes again until it is answered. */
  readonly next: () => Promise<LiveCallEvent>
  /** Resolves after so long, or as soon as there is more than progress. */
  readonly rest: (ms: number) => Promise<void>
  /** Answers a question. Nothing happens when it is not open any more. */
  readonly answer: (asked: Elicitation, result: Reply) => void
  /** Informs the server that it gets no answer. No effect if the question is no longer open. */
  readonly refuse: (asked: Elicitation, why: string) => void
  /** The request ends with this signal as long as it is attached. Returns what detaches it. */
  readonly attach: (signal: AbortSignal) => () => void
  /** Resolves when the open question needs no answer any more: the server took it back, or the request ended. */
  readonly questionClosed: () => Promise<void>
  /** Its end; undefined while it runs. */
  readonly ended: () => LiveCallResult | undefined
  readonly abort: (reason: Error) => void
}

interface OpenQuestion {
  readonly asked: Elicitation
  readonly answer: (result: Reply) => void
  readonly refuse: (why: string) => void
  readonly questionClosed: Promise<void>
}

/** Starts the request at once. `start` may throw anything. */
export function startLiveCall(start: (voice: LiveCallHandlers) => Promise<McpAnswer>): LiveCall {
  const controller = new AbortController()
  let latest: Progress | undefined
  let end: LiveCallResult | undefined
  let news = Promise.withResolvers<void>()

  function tell(): void {
    news.resolve()
    news = Promise.withResolvers()
  }

  const questions = createQuestions(controller.signal, tell)
  const voice: LiveCallHandlers = {
    signal: controller.signal,
    ask: questions.ask,
    onProgress(progress) {
      latest = progress
      tell()
    },
  }
  const finished = start(voice)
    .then(
      (result): LiveCallResult => ({ ok: true, result }),
      (error: unknown): LiveCallResult => ({ ok: false, error }),
    )
    .then(how => {
      end = how
      tell()
    })

  function happened(): LiveCallEvent | undefined {
    if (latest) {
      const progress = latest
      latest = undefined
      return { type: 'progress', progress }
    }
    const question = questions.first()
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
      while (!isOver && !end && !questions.first()) await Promise.race([news.promise, over])
    },
    answer: (asked, result) => questions.find(asked)?.answer(result),
    refuse: (asked, why) => questions.find(asked)?.refuse(why),
    attach(signal) {
      const stop = (): void => controller.abort(signal.reason)
      if (signal.aborted) stop()
      signal.addEventListener('abort', stop, { once: true })
      return () => signal.removeEventListener('abort', stop)
    },
    questionClosed: () => Promise.race([finished, questions.first()?.questionClosed ?? Promise.resolve()]),
    ended: () => end,
    abort: reason => controller.abort(reason),
  }
}

interface Questions {
  readonly ask: LiveCallHandlers['ask']
  readonly first: () => OpenQuestion | undefined
  readonly find: (asked: Elicitation) => OpenQuestion | undefined
}

/** Those that wait for an answer, in their order. All are given up when `over` is aborted. */
function createQuestions(over: AbortSignal, tell: () => void): Questions {
  const questions: OpenQuestion[] = []

  function ask(asked: Elicitation, signal: AbortSignal): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const questionClosed = Promise.withResolvers<void>()
      const question: OpenQuestion = {
        asked,
        answer: given,
        refuse: refused,
        questionClosed: questionClosed.promise,
      }
      function leave(): void {
        questions.splice(questions.indexOf(question), 1)
        signal.removeEventListener('abort', giveUp)
        over.removeEventListener('abort', giveUp)
      }
      function given(result: Reply): void {
        leave()
        resolve(result)
      }
      function refused(why: string): void {
        leave()
        reject(new Error(why))
      }
      function giveUp(): void {
        leave()
        questionClosed.resolve()
        reject(new Error('The question was given up.'))
      }
      if (signal.aborted || over.aborted) return reject(new Error('The question was given up.'))
      signal.addEventListener('abort', giveUp, { once: true })
      over.addEventListener('abort', giveUp, { once: true })
      questions.push(question)
      tell()
    })
  }

  function find(asked: Elicitation): OpenQuestion | undefined {
    const print = printOf(asked)
    return questions.find(question => printOf(question.asked) === print)
  }
  return { ask, find, first: () => questions[0] }
}

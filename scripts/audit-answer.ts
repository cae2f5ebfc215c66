/** Converts the output of `npm audit --json` to a verdict. Pure. */
import { z } from 'zod'

export type Verdict =
  | { readonly kind: 'sound'; readonly packages: number }
  /** Nobody could be asked: the registry takes no such questions, or cannot be reached. */
  | { readonly kind: 'unasked'; readonly why: string }
  | { readonly kind: 'found'; readonly advisories: readonly string[] }

const Counts = z.object({ high: z.number(), critical: z.number() })
const Report = z.object({
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string(), range: z.string().optional() })),
  metadata: z.object({ vulnerabilities: Counts, dependencies: z.object({ prod: z.number() }).optional() }),
})
const Refusal = z.object({
  message: z.string().optional(),
  error: z.object({ summary: z.string().optional(), code: z.string().nullish() }).optional(),
})

/** Throws for an answer that is neither a report nor a refusal: nothing is known then. */
export function readAudit(text: string): Verdict {
  const answer: unknown = JSON.parse(text)
  const report = Report.safeParse(answer)
  if (report.success) return judge(report.data)
  const refusal = Refusal.parse(answer)
  const why = refusal.message ?? refusal.error?.summary ?? refusal.error?.code
  if (!why) throw new Error(`npm audit said neither what it found nor why not: ${text.slice(0, 200)}`)
  return { kind: 'unasked', why: why.split('\n', 1)[0] ?? why }
}

function judge({ vulnerabilities, metadata }: z.infer<typeof Report>): Verdict {
  const { high, critical } = metadata.vulnerabilities
  if (high + critical === 0) return { kind: 'sound', packages: metadata.dependencies?.prod ?? 0 }
  const advisories = Object.entries(vulnerabilities)
    .filter(([, { severity }]) => severity === 'high' || severity === 'critical')
    .map(([name, { severity, range }]) => `${name}${range ? ` ${range}` : ''}: ${severity}`)
  return { kind: 'found', advisories }
}

import { expect, test } from 'vitest'
import { readAudit } from '../audit-answer.ts'

const report = (high: number, critical: number, vulnerabilities: object = {}): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities,
    metadata: {
      vulnerabilities: { info: 0, low: 1, moderate: 2, high, critical, total: 3 + high + critical },
      dependencies: { prod: 80, dev: 900 },
    },
  })

test('a report without a high advisory is sound, whatever is below', () => {
  const vulnerabilities = { a: { severity: 'moderate', range: '<2' } }
  expect(readAudit(report(0, 0, vulnerabilities))).toEqual({ kind: 'sound', packages: 80 })
})

test.each([
  ['high', 1, 0],
  ['critical', 0, 1],
])('a %s advisory is reported with its package', (severity, high, critical) => {
  const vulnerabilities = { a: { severity, range: '<2' }, b: { severity: 'low', range: '*' } }
  expect(readAudit(report(high, critical, vulnerabilities))).toEqual({
    kind: 'found',
    advisories: [`a <2: ${severity}`],
  })
})

test('a registry without that query, and an unreachable one, are distinguished from a sound answer', () => {
  const refused = { message: '405 Method Not Allowed - POST https://r.example/bulk', statusCode: 405 }
  expect(readAudit(JSON.stringify(refused))).toEqual({ kind: 'unasked', why: refused.message })
  const gone = { error: { code: 'ENOTFOUND', summary: 'request failed\nmore', detail: '' } }
  expect(readAudit(JSON.stringify(gone))).toEqual({ kind: 'unasked', why: 'request failed' })
})

test('an answer that says nothing is no answer', () => {
  for (const text of ['', '{}', '[]', '{"vulnerabilities":{}}']) expect(() => readAudit(text)).toThrow()
})

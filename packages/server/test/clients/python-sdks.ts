/** The official Python clients, unmodified, through their cases against a gateway. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { clientCache, hasPythonSdks, PYTHON_SDKS, pythonFolder } from '../../test-clients/python-packages.ts'
import { createGatewayModel, type GatewayModel } from '../gateway/gateway-model.ts'
import { startGateway } from '../gateway/gateway-server.ts'

const PROGRAM = fileURLToPath(new URL('python/sdk_cases.py', import.meta.url))
const HEARTBEAT_MS = 20

/** Registers the tests; where the packages are missing, one that says so. */
export function testPythonSdks(): void {
  if (!hasPythonSdks(clientCache())) {
    test.skip(`Python clients: not run, ${pythonFolder(clientCache())} is missing (npm run test:clients)`, () => {})
    return
  }
  test.each(Object.entries(PYTHON_SDKS))('the Python package %s %s passes every case', async sdk => {
    const reports = await runCases(sdk)
    expect(reports.filter(report => report.problem !== null)).toEqual([])
    expect(reports.length).toBeGreaterThanOrEqual(10)
  })
}

interface Report {
  readonly case: string
  readonly problem: string | null
}

async function runCases(sdk: string): Promise<readonly Report[]> {
  const made: GatewayModel[] = []
  function models(): GatewayModel {
    const model = createGatewayModel()
    made.push(model)
    return model
  }
  const gateway = await startGateway({ models, config: { heartbeatMs: HEARTBEAT_MS } })
  const env = {
    PATH: process.env['PATH'],
    PYTHONPATH: pythonFolder(clientCache()),
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONIOENCODING: 'utf-8',
  }
  const child = spawn('python3', [PROGRAM, sdk, gateway.url], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const reports: Report[] = []
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line !== 'open') reports.push(JSON.parse(line) as Report)
      // Long enough for some heartbeats; the cases pass with fewer too.
      else setTimeout(() => made.at(-1)?.open(), 10 * HEARTBEAT_MS)
    }
  } finally {
    child.kill()
    for (const model of made) model.open()
    await gateway.close()
  }
  return reports
}

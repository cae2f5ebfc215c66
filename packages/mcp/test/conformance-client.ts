/**
 * Program: our MCP client as the official conformance runner starts it, with the address of its server as
 * the last argument. Signs in where it is sent to sign in, calls every tool, and answers what is asked.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStage } from '../../tools/test/stage.ts'
import { createMcpTools } from '../src/create-mcp-tools.ts'
import { parseMcpServers } from '../src/server-config.ts'
import { until } from './until.ts'

const REDIRECT = 'http://localhost:3000/callback'
const CLIENT_METADATA = 'https://conformance-test.local/client-metadata.json'
const ATTEMPTS = 3

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const given = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  client_id?: string
  client_secret?: string
  private_key_pem?: string
  signing_algorithm?: string
  idp_client_id?: string
  idp_id_token?: string
  idp_token_endpoint?: string
}
const folder = mkdtempSync(join(tmpdir(), 'toolwire-conformance-'))

const oauth = {
  ...(scenario === 'auth/basic-cimd' ? { clientMetadataUrl: CLIENT_METADATA } : {}),
  ...(given.client_id ? { clientId: given.client_id } : {}),
  ...(given.client_secret ? { clientSecret: given.client_secret } : {}),
  ...(scenario.startsWith('auth/client-credentials') ? { grant: 'client_credentials' } : {}),
  ...(given.idp_id_token
    ? {
        grant: 'company',
        directory: {
          tokenEndpoint: given.idp_token_endpoint,
          clientId: given.idp_client_id,
          idToken: given.idp_id_token,
        },
      }
    : {}),
  // Its server is found at one address and names another, which only a setting allows.
  ...(scenario === 'auth/2025-03-26-oauth-metadata-backcompat' ? { anyIssuer: true } : {}),
  ...(given.private_key_pem
    ? { privateKey: given.private_key_pem, algorithm: given.signing_algorithm ?? 'ES256' }
    : {}),
}
const { servers, problems } = parseMcpServers({ test: { url, oauth } }, {})
if (problems.length > 0) throw new Error(problems.join())
const mcp = createMcpTools({ servers, folder, redirectUrl: () => REDIRECT, backoff: { first_ms: 200 } })

/** What a browser would do: follow the address, and bring back where it was sent. */
async function signIn(): Promise<void> {
  const address = mcp.status()[0]?.authorization_url
  if (!address) return
  const answer = await fetch(address, { redirect: 'manual' })
  await mcp.finishSignIn(new URL(answer.headers.get('location') ?? '').searchParams)
}

async function ready(): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await until(mcp, () => {
      const [status] = mcp.status()
      return status !== undefined && ['ready', 'needs_auth', 'waiting'].includes(status.state)
    })
    const [status] = mcp.status()
    if (status?.state === 'ready') return
    if (status?.state !== 'needs_auth') throw new Error(status?.error)
    await signIn().catch(error => process.stderr.write(`${String(error)}\n`))
  }
}

async function callAll(): Promise<void> {
  const stage = createStage({ mode: 'bypassPermissions', tools: mcp.tools })
  try {
    for (const { name } of mcp.tools()) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const call = await stage.one(name, name === 'mcp__test__add_numbers' ? { a: 5, b: 3 } : {})
        if (call.approval && !call.approval.decision) {
          stage.approve(call)
          await stage.settle()
        }
        const last = stage.state().calls[0]
        process.stdout.write(`${name}: ${last?.outcome?.output_text}\n`)
        if (last?.outcome?.failure?.code !== 'mcp_auth') break
        await signIn()
        await ready()
      }
    }
  } finally {
    stage.close()
  }
}

try {
  await ready()
  await callAll()
} finally {
  process.stdout.write(`${JSON.stringify(mcp.status())}\n`)
  await mcp.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)

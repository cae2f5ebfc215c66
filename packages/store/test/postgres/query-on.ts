/** One statement on a separate connection. */
import pg from 'pg'
import type { Cluster } from './cluster.ts'

export async function queryOn(
  cluster: Cluster,
  database: string,
  sql: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: `${cluster.url}/${database}` })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

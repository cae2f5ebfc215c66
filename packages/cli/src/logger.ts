/** Log lines as JSON on standard error. Fields never hold headers, bodies or keys: the server sees to that. */
import type { Logger } from '@toolwire/server'
import { printError, toJson } from './terminal.ts'

/** Errors always; every request too when `TOOLWIRE_LOG` is `info`. */
export function createLogger(level: string | undefined): Logger {
  const write = (severity: string, fields: Readonly<Record<string, unknown>>, message: string): void => {
    printError(`${toJson({ ts: new Date().toISOString(), level: severity, message, ...fields })}\n`)
  }
  return {
    info: (fields, message) => {
      if (level === 'info') write('info', fields, message)
    },
    error: (fields, message) => write('error', fields, message),
  }
}

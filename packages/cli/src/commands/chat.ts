/** `toolwire chat`: a conversation in the terminal, over the API of a local or remote server. */

import { STRINGS } from '@toolwire/core/strings'
import { createTranslate, pickLocale } from '@toolwire/core/view'
import type { Command } from 'commander'
import { startChat } from '../chat/chat-app.ts'
import { connect, type ServerFlags } from '../chat/connect.ts'
import { Screen } from '../chat/screen.ts'
import { createStyle, hasColor } from '../chat/style.ts'
import { ExitError } from '../exit.ts'

export function addChatCommand(program: Command): void {
  addServerOptions(program.command('chat').description('chat in the terminal'))
    .option('-c, --continue', 'continue the latest session')
    .action(async (flags: ServerFlags & { readonly continue?: boolean }) => {
      const { stdin, stdout, env } = process
      if (!stdin.isTTY || !stdout.isTTY)
        throw new ExitError('usage', '`toolwire chat` needs a terminal. Use `toolwire run "…"` in scripts.')
      const server = await connect(flags, env)
      const style = createStyle(hasColor(true, env))
      const t = createTranslate(STRINGS[pickLocale([localeOf(env)])])
      try {
        await startChat({ server, screen: new Screen(stdout), input: stdin, style, t }, flags)
      } finally {
        server.client.close()
      }
    })
}

export const addServerOptions = (command: Command): Command =>
  command
    .option(
      '--url <address>',
      'the server (default TOOLWIRE_URL or http://127.0.0.1:8000); its key is read from TOOLWIRE_API_KEY',
    )
    .option('-s, --session <id>', 'continue this session')
    .option('--model <id>', 'model of the session')
    .option('--mode <name>', 'permission mode: default, acceptEdits, plan, dontAsk, bypassPermissions')

/** `zh_TW.UTF-8` as `zh-TW`. */
const localeOf = (env: Readonly<Record<string, string | undefined>>): string =>
  (env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || 'en').replace(/\..*$/, '').replaceAll('_', '-')

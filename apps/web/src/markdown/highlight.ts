/** The highlighter, loaded on first use, and each language on its first use. */
import { yieldToBrowser } from '@toolwire/core/parts'
import {
  createHighlighterCore,
  type GrammarState,
  type HighlighterCore,
  type LanguageInput,
  type ThemedToken,
} from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import githubDark from 'shiki/themes/github-dark-default.mjs'
import githubLight from 'shiki/themes/github-light-high-contrast.mjs'

export type HighlightedLines = readonly (readonly {
  readonly text: string
  readonly light: string | undefined
  readonly dark: string | undefined
}[])[]

const LANGUAGES: Readonly<Record<string, LanguageInput>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
}

const ALIASES: Readonly<Record<string, string>> = {
  cjs: 'javascript',
  console: 'bash',
  h: 'c',
  htm: 'html',
  js: 'javascript',
  jsonc: 'json',
  jsx: 'tsx',
  md: 'markdown',
  mjs: 'javascript',
  patch: 'diff',
  py: 'python',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
}

const THEMES = { light: 'github-light-high-contrast', dark: 'github-dark-default' }

let shared: Promise<HighlighterCore> | undefined
const loaded = new Set<string>()

/** Lines that are coloured in one go: some milliseconds of work. */
const GO = 12

/**
 * Lines of colored pieces; undefined for an unknown language, or once `isOver` returns true. Yields every few
 * lines, so that the page stays responsive.
 */
export async function highlight(
  code: string,
  given: string,
  isOver: () => boolean,
): Promise<HighlightedLines | undefined> {
  const lower = given.toLowerCase()
  const lang = ALIASES[lower] ?? lower
  const source = Object.hasOwn(LANGUAGES, lang) ? LANGUAGES[lang] : undefined
  if (!source) return undefined
  shared ??= createHighlighterCore({
    themes: [githubLight, githubDark],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
  const highlighter = await shared
  if (!loaded.has(lang)) {
    await highlighter.loadLanguage(source)
    loaded.add(lang)
  }
  const rows = code.split('\n')
  const out: HighlightedLines[number][] = []
  let state: GrammarState | undefined
  for (let from = 0; from < rows.length; from += GO) {
    await yieldToBrowser()
    if (isOver()) return undefined
    const piece = rows.slice(from, from + GO).join('\n')
    const { tokens, grammarState } = highlighter.codeToTokens(piece, {
      lang,
      themes: THEMES,
      defaultColor: false,
      ...(state ? { grammarState: state } : {}),
    })
    state = grammarState
    out.push(...tokens.map(toLine))
  }
  return out
}

const toLine = (tokens: readonly ThemedToken[]): HighlightedLines[number] =>
  tokens.map(({ content, htmlStyle }) => ({
    text: content,
    light: htmlStyle?.['--shiki-light'],
    dark: htmlStyle?.['--shiki-dark'],
  }))

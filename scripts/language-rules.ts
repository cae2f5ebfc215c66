/** Counts words that the style guide retires, in comments, strings, test titles, declared names and documents. */
import ts from 'typescript'
import { z } from 'zod'

/** Occurrences by rule and by kind of text, such as `go on` in `comments`. */
export const LanguageCounts = z.record(z.string(), z.record(z.string(), z.number()))
export type LanguageCounts = z.infer<typeof LanguageCounts>

const RETIRED: Readonly<Record<string, RegExp>> = {
  'nobody, somebody': /\b(no|some|any|every)body\b/gi,
  'tell, told': /\b(tell|tells|told|telling)\b/gi,
  'go on': /\b(go|goes|going|gone|went) on\b/gi,
  'whoever, whichever': /\b(whoever|whichever|whosever)\b/gi,
  'of its own': /\bof (its|their|one.s) own\b/gi,
  stand: /\bstands?\b/gi,
  'is none': /\b(is|are|was|were) none\b/gi,
  'under way': /\b(under way|at work)\b/gi,
  counts: /\bcounts (?!sessions|requests|tokens|as)\w/gi,
  picture: /\bpictures?\b/gi,
  anew: /\banew\b/gi,
  'take up': /\b(take|takes|taken|took) (\w+ )?up\b/gi,
  'break off': /\b(broke|broken|breaks?) off\b/gi,
  'at rest': /\b(rests|resting|at rest|to rest)\b/gi,
  figure: /\bfigures?\b/gi,
  mend: /\bmend(s|ed|ing)?\b/gi,
  road: /\broads?\b/gi,
}
const QUESTION_START = /^(What|Whether|Who|Which|Where|How|Why|When)\b/i
const NAME_PARTS = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g
const NAME_WORDS: ReadonlySet<string> = new Set(
  (
    'told tell said says place words voice given kept keep look hush ring bell alarm ' +
    'patience wish going gone picture news'
  ).split(' '),
)

/** Participles that do not end in -ed, and nouns that end like a participle. */
const IRREGULAR =
  /^(Begun|Broken|Drawn|Found|Given|Gone|Heard|Held|Kept|Known|Left|Met|Said|Sent|Shown|Taken|Told|Torn|Written)$/
const NOUNS =
  /^(Embed|Encoding|Ending|Feed|Finding|Framing|Heading|Listing|Mapping|Need|Pricing|Ring|Seed|Setting|Speed|Spending|String|Thing|Timing|Warning)$/
const isParticiple = (name: string): boolean =>
  !NOUNS.test(name) && (/^[A-Z][a-z]+(ed|ing)$/.test(name) || IRREGULAR.test(name))

export interface SourceText {
  readonly comments: readonly string[]
  readonly strings: readonly string[]
  /** Names that the file declares, types apart. */
  readonly names: readonly string[]
  readonly types: readonly string[]
}

/** Splits a TypeScript file into the texts that people read. */
export function readSource(path: string, text: string): SourceText {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  const strings: string[] = []
  const names: string[] = []
  const types: string[] = []
  const comments = new Map<number, string>()
  const visit = (node: ts.Node): void => {
    const before = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []
    for (const range of [...before, ...(ts.getTrailingCommentRanges(text, node.end) ?? [])])
      comments.set(range.pos, toPlainComment(text.slice(range.pos, range.end)))
    if (isText(node)) strings.push(node.text)
    else if (isTypeDeclaration(node)) types.push(node.name.text)
    else if (isNamedDeclaration(node)) names.push(node.name.text)
    ts.forEachChild(node, visit)
  }
  visit(file)
  visit(file.endOfFileToken)
  return { comments: [...comments.values()], strings, names, types }
}

const isText = (node: ts.Node): node is ts.Node & { readonly text: string } =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node) ||
  ts.isJsxText(node)

const isTypeDeclaration = (node: ts.Node): node is ts.Node & { readonly name: ts.Identifier } =>
  (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)) &&
  node.name !== undefined

const isNamedDeclaration = (node: ts.Node): node is ts.Node & { readonly name: ts.Identifier } =>
  (ts.isVariableDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node)) &&
  node.name !== undefined &&
  ts.isIdentifier(node.name)

const toPlainComment = (text: string): string =>
  text
    .replace(/^\/\*\*?|\*\/$|^\/\//g, '')
    .replace(/^\s*\* ?/gm, '')
    .trim()

/** Removes code blocks and code spans from a Markdown page. */
export const toProse = (markdown: string): string =>
  markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '')

/** Adds up counts by rule and kind of text. */
export function createLanguageCounter() {
  const counts: Record<string, Record<string, number>> = {}
  const add = (rule: string, kind: string, n: number): void => {
    if (n === 0) return
    counts[rule] ??= {}
    counts[rule][kind] = (counts[rule][kind] ?? 0) + n
  }
  const addTexts = (kind: string, texts: readonly string[]): void => {
    for (const text of texts)
      for (const [rule, pattern] of Object.entries(RETIRED)) add(rule, kind, text.match(pattern)?.length ?? 0)
  }
  return {
    counts: (): LanguageCounts => counts,
    addProse(markdown: string): void {
      const prose = toProse(markdown)
      addTexts('docs', [prose])
      for (const paragraph of prose.split(/\n\s*\n/))
        if (!/^\s*([|#<-]|\d+\. )/.test(paragraph) && paragraph.trim().split(/\s+/).length > 60)
          add('paragraph over 60 words', 'docs', 1)
    },
    addTest({ comments, strings }: SourceText): void {
      addTexts('tests', [...comments, ...strings])
    },
    addSource({ comments, strings, names, types }: SourceText): void {
      addTexts('comments', comments)
      addTexts('strings', strings)
      add(
        'comment starts with a question word',
        'comments',
        comments.filter(text => QUESTION_START.test(text)).length,
      )
      add('comment over four lines', 'comments', comments.filter(text => text.split('\n').length > 4).length)
      add('retired word in a name', 'names', names.filter(hasRetiredWord).length)
      add('participle as a type', 'names', types.filter(isParticiple).length)
    },
    /** `types`: all type names that one package declares. */
    addPackageTypes(types: readonly string[]): void {
      add('type name twice in a package', 'names', types.length - new Set(types).size)
    },
  }
}

const hasRetiredWord = (name: string): boolean =>
  /goOn/i.test(name) || (name.match(NAME_PARTS) ?? []).some(part => NAME_WORDS.has(part.toLowerCase()))

/** Counts that are higher than allowed, as sentences. */
export function findRises(now: LanguageCounts, allowed: LanguageCounts): readonly string[] {
  return Object.entries(now).flatMap(([rule, kinds]) =>
    Object.entries(kinds).flatMap(([kind, n]) => {
      const most = allowed[rule]?.[kind] ?? 0
      return n > most ? [`${rule} (${kind}): ${n}, at most ${most} allowed`] : []
    }),
  )
}

/** The lower one of both counts, for every count that is not 0 now. */
export function lowerCounts(now: LanguageCounts, allowed: LanguageCounts): LanguageCounts {
  return Object.fromEntries(
    Object.entries(now).map(([rule, kinds]) => [
      rule,
      Object.fromEntries(
        Object.entries(kinds).map(([kind, n]) => [kind, Math.min(n, allowed[rule]?.[kind] ?? n)]),
      ),
    ]),
  )
}

/**
 * Settings of a repository that change nothing for commands which only read, or that the environment of such
 * commands overrides. A list of what is known: any other setting may name a program, or a file to print.
 */

const CORE = [
  ...['repositoryformatversion', 'filemode', 'bare', 'logallrefupdates', 'ignorecase', 'precomposeunicode'],
  ...[
    'symlinks',
    'autocrlf',
    'eol',
    'safecrlf',
    'quotepath',
    'abbrev',
    'compression',
    'longpaths',
    'worktree',
  ],
  ...[
    'preloadindex',
    'untrackedcache',
    'splitindex',
    'checkstat',
    'trustctime',
    'sparsecheckout',
    'whitespace',
  ],
  ...['sparsecheckoutcone', 'protecthfs', 'protectntfs', 'hidedotfiles', 'bigfilethreshold', 'commentchar'],
  // Overridden.
  ...[
    'hookspath',
    'fsmonitor',
    'pager',
    'editor',
    'sshcommand',
    'gitproxy',
    'alternaterefscommand',
    'askpass',
  ],
]

const HARMLESS: readonly RegExp[] = [
  new RegExp(`^core\\.(${CORE.join('|')})$`),
  // They are for fetching, writing or showing colors, and no protocol is allowed.
  /^(branch|remote|url|http|credential|user|author|committer|color|column|advice|extensions)\./,
  /^(init|pull|push|rebase|commit|gc|maintenance|pack|index|feature|rerere)\.[^.]*$/,
  /^fetch\.(prune|prunetags|parallel|recursesubmodules|writecommitgraph|fsckobjects|output)$/,
  /^submodule\..*\.(url|active|path|branch|update|shallow|fetchrecursesubmodules)$/,
  /^submodule\.(active|recurse|fetchjobs|propagatebranches)$/,
  /^(merge|tag)\.[^.]*$/,
  /^log\.(showsignature|date|decorate|abbrevcommit|follow|showroot)$/,
  /^format\.pretty$/,
  /^status\.(short|branch|showuntrackedfiles|aheadbehind|renames|showstash|submodulesummary)$/,
  /^diff\.(algorithm|renames|renamelimit|mnemonicprefix|noprefix|colormoved|colormovedws|context|indentheuristic|tool|submodule|ignoresubmodules|autorefreshindex)$/,
  /^gpg\.(program|format|mintrustlevel|(openpgp|x509|ssh)\.program|ssh\.allowedsignersfile)$/,
  /^lfs\.(repositoryformatversion|.*\.(access|locksverify))$/,
]

/** `key` is as git lists it: section and variable in lower case. Pure. */
export const isHarmlessSetting = (key: string): boolean => HARMLESS.some(pattern => pattern.test(key))

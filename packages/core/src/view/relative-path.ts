/** A path below the workspace without the workspace; other paths stay whole. Pure. */
export const relativePath = (path: string, cwd: string): string => {
  const base = cwd.endsWith('/') ? cwd : `${cwd}/`
  return cwd !== '' && path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path
}

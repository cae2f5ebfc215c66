/** A web address that a server gave: shown in full, opened in a tab of its own. Anything else is text. */
export function SafeAddress({ href }: { readonly href: string }) {
  const url = URL.parse(href)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return <code>{href}</code>
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {url.href}
    </a>
  )
}

/** A web address from a server: shown in full, opened in a new tab. Anything else is text. */
export function SafeAddress({ href }: { readonly href: string }) {
  const url = URL.parse(href)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return <code>{href}</code>
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {url.href}
    </a>
  )
}

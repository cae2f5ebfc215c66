/** The page at `/` when the web app has not been built. It has no scripts: the content policy forbids them. */
export const MISSING_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Toolwire</title>
<h1>Toolwire is running</h1>
<p>The server and its API work. The web page has not been built yet; build it and reload:</p>
<pre>npm run build:web</pre>
<p>The API: <a href="/healthz">/healthz</a>, <a href="/api/sessions">/api/sessions</a>.</p>
</html>
`

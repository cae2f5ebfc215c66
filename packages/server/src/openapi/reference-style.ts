/** The style sheet of the reference page. The page's policy names it by its hash. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b1f26, #e7e9ed); --quiet: light-dark(#4d5562, #b3bac5);
  --paper: light-dark(#fff, #16181c); --line: light-dark(#e2e5ea, #31363e); --soft: light-dark(#f7f8fa, #1c1f24);
  --accent: light-dark(#2563c9, #7fb0ff); }
* { box-sizing: border-box; font-variant-ligatures: none !important; }
body { margin: 0; display: grid; grid-template-columns: 230px minmax(0, 1fr); font: 15px/1.6 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 20px; border-right: 1px solid var(--line); }
nav h1 { font-size: 18px; margin: 0; }
nav p { margin: 4px 0 16px; color: var(--quiet); font-size: 13px; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: 6px 0; }
main { max-width: 980px; padding: 20px 28px 80px; }
[id^=schema-] { scroll-margin-top: 60px; }
h2 { margin: 36px 0 4px; font-size: 20px; scroll-margin-top: 12px; }
h4 { margin: 16px 0 4px; font-size: 14px; }
a { color: var(--accent); }
code { font: 13px ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: 8px; margin: 8px 0; padding: 0 14px; scroll-margin-top: 12px; }
details[open] { padding-bottom: 12px; }
summary { cursor: pointer; padding: 10px 0; display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; }
summary > span:last-child { color: var(--quiet); }
.method { min-width: 60px; font: 600 12px ui-monospace, Menlo, Consolas, monospace; }
.method[data-method=get] { color: light-dark(#1a7f47, #5fcb8b); }
.method[data-method=post] { color: var(--accent); }
.method[data-method=patch] { color: light-dark(#96600a, #f0b955); }
.method[data-method=delete] { color: light-dark(#c0322b, #ff8f86); }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
:is(th, td) { border-top: 1px solid var(--line); padding: 4px 10px 4px 0; text-align: left; vertical-align: top;
  font-weight: 400; overflow-wrap: break-word; }
dl { margin: 0; }
dt { font-weight: 600; }
dd { margin: 0 0 8px; color: var(--quiet); font-size: 14px; }
.content > span { color: var(--quiet); font-size: 13px; }
small, i { color: var(--quiet); font-style: normal; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (width <= 760px) { body { grid-template-columns: minmax(0, 1fr); } nav { position: static; height: auto;
  border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 12px 16px 60px; } summary { min-height: 44px; } }
`

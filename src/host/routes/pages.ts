// Folder: One file a route, in folders by subject. A route parses, calls one function and answers.
// The two HTML pages of the host: sign-in, and the root page. They load nothing, and their policy allows only their own script and style.
import { createHash } from 'node:crypto'

export interface Page {
  readonly html: string
  /** Content-Security-Policy. */
  readonly policy: string
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center }
main { max-width: 32rem; padding: 2rem }
h1 { font-size: 1.5rem; margin: 0 0 1rem }
code { font-size: .9em }
a { color: inherit }
button { font: inherit; padding: .4rem 1rem; cursor: pointer }
`

const SIGN_IN = `
const say = text => { document.getElementById('state').textContent = text }
const token = location.hash.slice(1)
history.replaceState(null, '', '/login')
const signIn = async () => {
  if (token === '') return say('This link has no token in it. Make one with: onbook key login')
  const answer = await fetch('/v1/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  if (answer.ok) location.replace('/')
  else say((await answer.json()).message)
}
signIn().catch(() => say('The host did not answer. Open the link again.'))
`

const SIGN_OUT = `
document.getElementById('out').addEventListener('click', async () => {
  await fetch('/v1/sign-in', { method: 'DELETE' })
  location.reload()
})
`

export const loginPage: Page = page(
  '<h1>Onbook</h1><p id="state" role="status">Signing in…</p><noscript><p>Signing in needs JavaScript.</p></noscript>',
  SIGN_IN,
)

export const homePage = (version: string, signedIn: boolean): Page =>
  page(
    `<h1>Onbook</h1>
<p>The system of record for what an AI agent was sent and what it was allowed to do. Version ${escaped(version)}.</p>
<p>The inspector will be here. What this host can do: <a href="/.well-known/openwop"><code>/.well-known/openwop</code></a>.</p>
${
  signedIn
    ? '<p role="status">You are signed in. <button id="out" type="button">Sign out</button></p>'
    : '<p role="status">You are not signed in. Make a link with <code>onbook key login</code>.</p>'
}`,
    signedIn ? SIGN_OUT : null,
  )

function page(main: string, script: string | null): Page {
  const scripts = script === null ? '' : `<script>${script}</script>`
  return {
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Onbook</title><style>${STYLE}</style></head>
<body><main>${main}</main>${scripts}</body>
</html>
`,
    policy: [
      "default-src 'none'",
      `style-src ${hashOf(STYLE)}`,
      ...(script === null ? [] : [`script-src ${hashOf(script)}`, "connect-src 'self'"]),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  }
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)

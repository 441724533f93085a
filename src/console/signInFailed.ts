import type { RateLimited } from "../contract/failures/Failure.ts"
import type { ProviderFailed } from "../people/Providers.ts"
import type { OAuthRefused } from "../people/programs/OAuthRefused.ts"
import type { ConnectFailed } from "../people/tools/ConnectFailed.ts"
import type { SignInRefused } from "../people/SignIns.ts"

/**
 * The page of a sign-in that did not succeed. It needs no script and no style sheet.
 *
 * @param again the path of the sign-in page
 */
export const signInFailed = (failure: Refusal, again: string): Response => {
  const { message, status } = shown(failure)
  const title = failure._tag === "ConnectFailed" ? "Not connected" : "Not signed in"
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${Bun.escapeHTML(message)}</p>
<p><a href="${Bun.escapeHTML(again)}">${failure._tag === "ConnectFailed" ? "Back to your accounts" : "Back to the sign-in page"}</a></p>
</main>
</body>
</html>
`
  const headers = new Headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY"
  })
  if (failure._tag === "RateLimited") headers.set("retry-after", String(Math.ceil(failure.retryAfterSeconds ?? 60)))
  return new Response(html, { status, headers })
}

type Refusal = SignInRefused | ProviderFailed | RateLimited | OAuthRefused | ConnectFailed

/** A provider's answer is for the operator's log; its word for a refusal is for the person too. */
const shown = (failure: Refusal) => {
  switch (failure._tag) {
    case "SignInRefused":
      return { status: 403, message: failure.message }
    case "ConnectFailed":
      return { status: 403, message: `The account is not connected: ${failure.message}.` }
    case "OAuthRefused":
      return {
        status: failure.status,
        message: `A program has opened this page with a wrong address. ${failure.message}.`
      }
    case "RateLimited":
      return { status: 429, message: `${failure.message}.` }
    case "ProviderFailed":
      return failure.refusal === undefined
        ? { status: 502, message: "The sign-in of your company did not answer as expected. Try again later." }
        : { status: 403, message: `The sign-in of your company refused: ${failure.refusal.slice(0, 60)}.` }
  }
}

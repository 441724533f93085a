/**
 * A guardrail by a moderation of OpenAI's shape: blocks texts that it flags. The gateway's own `/v1/moderations` is one.
 *
 *     GUARDRAIL_SECRET=whsec_… MODERATION_URL=https://api.openai.com/v1/moderations MODERATION_KEY=… \
 *       bun examples/guardrails/moderation.ts
 */
import { Webhook } from "standardwebhooks"

const needed = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is missing`)
  return value
}

const webhook = new Webhook(needed("GUARDRAIL_SECRET"))
const url = needed("MODERATION_URL")
const key = needed("MODERATION_KEY")
const model = process.env["MODERATION_MODEL"] ?? "omni-moderation-latest"

interface Asked {
  readonly texts: ReadonlyArray<{ readonly text: string }>
}

interface Moderation {
  readonly results: ReadonlyArray<{ readonly flagged: boolean; readonly categories: Readonly<Record<string, boolean>> }>
}

const server = Bun.serve({
  port: Number(process.env["PORT"] ?? 8790),
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const asked = webhook.verify(await request.text(), Object.fromEntries(request.headers)) as Asked
    const answer = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, input: asked.texts.map(({ text }) => text) })
    })
    // A moderation that is away is no verdict: `fail` of the guardrail decides.
    if (!answer.ok) return new Response(null, { status: 502 })
    const { results } = (await answer.json()) as Moderation
    const flagged = results.filter((result) => result.flagged)
    if (flagged.length === 0) return Response.json({ verdict: "allow" })
    const categories = new Set(
      flagged.flatMap((result) => Object.keys(result.categories).filter((name) => result.categories[name]))
    )
    return Response.json({ verdict: "block", message: `Flagged as ${[...categories].join(", ")}` })
  }
})
console.log(`listening at ${server.url.href}`)

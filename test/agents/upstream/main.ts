import { fakeAzure } from "../../upstreams/fakes/azure.ts"
import { fakeBedrock } from "../../upstreams/fakes/bedrock.ts"
import type { Asked, DialectName, Playing } from "../../upstreams/fakes/fakeUpstream.ts"
import { dialects } from "../../upstreams/fakes/fakeUpstream.ts"
import { complaint } from "../../upstreams/fakes/strict.ts"
import { fakeGemini } from "./gemini.ts"
import { framesOf, wholeOf } from "./frames.ts"
import { plan } from "./plan.ts"

/** An upstream of all three dialects, Bedrock, Azure and Gemini, in a process of their own: they say where they listen, and refuse what is malformed. */

const names: ReadonlyArray<DialectName> = ["anthropic-messages", "openai-responses", "openai-chat"]

const thinks = (name: DialectName, body: Asked["body"]): boolean => {
  if (name === "anthropic-messages") return ["enabled", "adaptive"].includes(body.thinking?.type)
  return name === "openai-chat" || (body.reasoning?.effort ?? "none") !== "none"
}

const playing: Playing = (name, body, model) => {
  const step = plan(name, body)
  const frames = framesOf[name](step, model, thinks(name, body))
  return { frames, whole: wholeOf[name](frames, step) }
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  development: false,
  fetch: async (request) => {
    const { pathname: path } = new URL(request.url)
    const text = await request.text()
    const name = names.find((one) => dialects[one].path === path)
    const body = name === undefined || text === "" ? undefined : JSON.parse(text)
    const wrong = name === undefined ? "not found" : complaint(name, body)
    if (name === undefined) return Response.json({ error: { message: "not found" } }, { status: 404 })
    if (wrong !== undefined) return Response.json(dialects[name].error(400, `fake upstream: ${wrong}`), { status: 400 })
    const { frames, whole } = playing(name, body, body.model)
    // What a provider says of its own limits, which is none of a caller's business.
    const headers = name === "anthropic-messages" ? { "anthropic-ratelimit-unified-status": "rejected" } : {}
    if (body.stream !== true) return Response.json(whole, { headers })
    const { end, named } = dialects[name]
    const events = frames.map(
      (frame) => `${named ? `event: ${String(frame["type"])}\n` : ""}data: ${JSON.stringify(frame)}\n\n`
    )
    return new Response(events.join("") + end, {
      headers: { ...headers, "content-type": "text/event-stream; charset=utf-8" }
    })
  }
})
console.log(server.url.origin, fakeBedrock(playing).url, fakeAzure(playing).url, fakeGemini().url)

import { appendFileSync } from "node:fs"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { framesOf, wholeOf } from "../../agents/upstream/frames.ts"
import { plan } from "../../agents/upstream/plan.ts"
import type { DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import { dialects } from "../../upstreams/fakes/fakeUpstream.ts"

/*
 * An upstream in a process of its own that writes all that it gets into a file, and does what it is told. `/cut/9` has it
 * cut each piece of text or arguments after nine characters from then on, and its bytes in pieces of nine; `/cut/0` ends it.
 */

const [log = ""] = process.argv.slice(2)
const names: ReadonlyArray<DialectName> = ["anthropic-messages", "openai-responses", "openai-chat"]
let cut = 0

interface Delta {
  readonly content?: string
  readonly tool_calls?: ReadonlyArray<{ readonly function?: { readonly arguments?: string } }>
}

/** Splits what a chunk of a chat completion adds. */
const cutChunk = (frame: JsonObject): ReadonlyArray<JsonObject> => {
  const [choice] = (frame["choices"] ?? []) as ReadonlyArray<{ readonly delta: Delta }>
  const { content, tool_calls } = choice?.delta ?? {}
  const written = content ?? tool_calls?.[0]?.function?.arguments
  if (written === undefined || written.length <= cut) return [frame]
  const withText = (text: string) => {
    const delta =
      content === undefined ? { tool_calls: [{ index: 0, function: { arguments: text } }] } : { content: text }
    return { ...frame, choices: [{ ...choice, delta }] }
  }
  return [withText(written.slice(0, cut)), withText(written.slice(cut))]
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  development: false,
  fetch: async (request) => {
    const { pathname: path } = new URL(request.url)
    if (path.startsWith("/cut/")) {
      cut = Number(path.slice("/cut/".length))
      return new Response()
    }
    const text = await request.text()
    appendFileSync(
      log,
      `${request.method} ${request.url} ${JSON.stringify(Object.fromEntries(request.headers))} ${text}\n`
    )
    const name = names.find((one) => dialects[one].path === path)
    if (name === undefined) return Response.json({ error: { message: "not found" } }, { status: 404 })
    const body = JSON.parse(text)
    const step = plan(name, body)
    const frames = framesOf[name](step, body.model, false)
    if (body.stream !== true) return Response.json(wholeOf[name](frames, step))
    const { end, named } = dialects[name]
    const events = (cut > 0 && name === "openai-chat" ? frames.flatMap(cutChunk) : frames).map(
      (frame) => `${named ? `event: ${String(frame["type"])}\n` : ""}data: ${JSON.stringify(frame)}\n\n`
    )
    const bytes = new TextEncoder().encode(events.join("") + end)
    const size = cut === 0 ? bytes.length : Math.max(7, cut)
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size)
    )
    const stream = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const piece = pieces.shift()
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
        if (cut > 0) await Bun.sleep(1)
      }
    })
    return new Response(stream, { headers: { "content-type": "text/event-stream; charset=utf-8" } })
  }
})
console.log(server.url.origin)

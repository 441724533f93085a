import { dialects } from "../upstreams/fakes/fakeUpstream.ts"
import type { DialectName } from "../upstreams/fakes/fakeUpstream.ts"

/** A call as its upstream sees it. */
class Call {
  times = 0
  state: "none" | "open" | "left" | "answered" = "none"
  readonly goesOn = Promise.withResolvers<void>()
}

/**
 * A real HTTP server that begins its answers and ends them when it is told to. A call is named by `call:<name>` in its
 * request; with `late:on` a stream does not begin before that either, and with `fails:on` the rest is a broken connection.
 */
export const pacedUpstream = (name: DialectName) => {
  const dialect = dialects[name]
  const calls = new Map<string, Call>()
  const callOf = (id: string): Call => {
    const call = calls.get(id) ?? new Call()
    calls.set(id, call)
    return call
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const text = await request.text()
      const { model, stream } = JSON.parse(text) as { model: string; stream?: boolean }
      const call = callOf(/call:([\w-]+)/.exec(text)?.[1] ?? "")
      call.times++
      call.state = "open"
      request.signal.addEventListener("abort", () => {
        if (call.state === "open") call.state = "left"
      })
      const ended = async () => {
        await call.goesOn.promise
        if (call.state === "open") call.state = "answered"
      }
      if (stream !== true || text.includes("late:on")) await ended()
      if (text.includes("fails:on") && stream !== true)
        return Response.json(dialect.error(500, "broken"), { status: 500 })
      if (request.url.endsWith("/embeddings")) return Response.json(embeddings)
      if (stream !== true) return Response.json(dialect.answer("text", model, 0))
      const frames = dialect
        .frames("text", model, 0)
        .map((frame) => `${dialect.named ? `event: ${String(frame["type"])}\n` : ""}data: ${JSON.stringify(frame)}\n\n`)
      const written = dialect.end === "" ? frames : [...frames, dialect.end]
      // The end tells the usage.
      const beginning = written.slice(0, Math.ceil(written.length / 2))
      return new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(beginning.join(""))
            await ended()
            if (text.includes("fails:on")) return controller.error(new Error("broken"))
            if (call.state !== "answered") return
            controller.enqueue(written.slice(beginning.length).join(""))
            controller.close()
          }
        }),
        { headers: { "content-type": "text/event-stream" } }
      )
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    state: (id: string) => callOf(id).state,
    times: (id: string) => callOf(id).times,
    release: (id: string) => callOf(id).goesOn.resolve(),
    stop: () => server.stop(true)
  }
}

const embeddings = {
  object: "list",
  model: "m",
  data: [{ object: "embedding", index: 0, embedding: [1] }],
  usage: { prompt_tokens: 7, total_tokens: 7 }
}

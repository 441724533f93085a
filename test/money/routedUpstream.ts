/** What one that lies says of any input: few enough to be believed. */
export const liedTokens = 90_000

/** A chat upstream that does what a request says for its name: `a=fails b=wait output=3 searches=2.` */
export const upstreamOf = (name: string) => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      const text = await request.text()
      const outcome = new RegExp(`\\b${name}=(\\w+)`).exec(text)?.[1] ?? "answers"
      const output = Number(/output=(\d+)/.exec(text)?.[1] ?? 1)
      const searches = Number(/searches=(\d+)/.exec(text)?.[1] ?? 0)
      const answers = Number(/"n":(\d+)/.exec(text)?.[1] ?? 1)
      if (outcome === "wait" || outcome === "breaks") await Bun.sleep(120)
      if (outcome === "fails") return Response.json({ error: { message: "no" } }, { status: 503 })
      if (outcome === "limited") {
        return Response.json({ error: { message: "slow down" } }, { status: 429, headers: { "retry-after": "0.05" } })
      }
      if (outcome === "filtered") {
        const error = { message: "filtered", code: "content_policy_violation", type: "invalid_request_error" }
        return Response.json({ error }, { status: 400 })
      }
      const input = outcome === "lies" ? liedTokens : 4
      const usage = {
        prompt_tokens: input,
        completion_tokens: output * answers,
        total_tokens: input + output * answers,
        ...(text.includes("web_search_options") ? { server_tool_use: { web_search_requests: searches } } : {})
      }
      const head = { id: "x", object: "chat.completion", created: 1, model: "m" }
      if (!text.includes('"stream":true')) {
        const choices = Array.from({ length: answers }, (_, index) => ({
          index,
          message: { role: "assistant", content: `from ${name}.` },
          finish_reason: "stop"
        }))
        const body = JSON.stringify({ ...head, choices, usage })
        return outcome === "breaks" ? broken(body.slice(0, 40), "application/json") : new Response(body, json)
      }
      const delta = (content: string, finish_reason: string | null = null) =>
        `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`
      if (outcome === "breaks") return broken(delta(`from ${name}.`), "text/event-stream")
      const last = `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], usage })}\n\n`
      return new Response(`${delta(`from ${name}.`)}${delta("", "stop")}${last}data: [DONE]\n\n`, {
        headers: { "content-type": "text/event-stream" }
      })
    }
  })
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

const json = { headers: { "content-type": "application/json" } }

/** An answer whose connection breaks after its beginning. */
const broken = (beginning: string, type: string) =>
  new Response(
    new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(beginning))
        await Bun.sleep(20)
        controller.error(new Error("broken"))
      }
    }),
    { headers: { "content-type": type } }
  )

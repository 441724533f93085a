/**
 * Upstreams in a process of their own, one below each first part of a path, that count their calls: `GET /counts`.
 * What chat completions do is in the text: `NAME:MS` waits there, `NAME-fails` is a 503, `cut` breaks off in the middle.
 * A video is ready at its second poll; `arkfull…` refuses each create.
 */
const counts: Record<string, number> = {}
const polls = new Map<string, number>()
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
const choice = (of: object) => ({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [of] })
const frame = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
const piece = (content: string) => frame(choice({ index: 0, delta: { content }, finish_reason: null }))

const streamed = (isCut: boolean) => {
  const rest = [
    piece("one "),
    piece("two "),
    ...(isCut ? [] : [frame({ ...choice({ index: 0, delta: {}, finish_reason: "stop" }), usage }), "data: [DONE]\n\n"])
  ]
  const body = new ReadableStream<string>({
    pull: async (controller) => {
      const next = rest.shift()
      if (next !== undefined) return controller.enqueue(next)
      if (!isCut) return controller.close()
      await Bun.sleep(100)
      controller.error(new Error("cut"))
    }
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

const chat = async (name: string, text: string): Promise<Response> => {
  await Bun.sleep(Number(new RegExp(`\\b${name}:(\\d+)`).exec(text)?.[1] ?? 0))
  if (text.includes(`${name}-fails`)) return Response.json({ error: { message: "no room" } }, { status: 503 })
  if (/"stream": ?true/.test(text)) return streamed(text.includes("cut"))
  const message = { role: "assistant", content: `from ${name}` }
  const choices = [{ index: 0, message, finish_reason: "stop" }]
  return Response.json({ id: "x", object: "chat.completion", created: 1, model: "m", choices, usage })
}

const video = (name: string, method: string, path: string): Response => {
  if (method === "POST") {
    if (name.startsWith("arkfull")) {
      return Response.json({ error: { code: "InternalServiceError", message: "no room" } }, { status: 503 })
    }
    return Response.json({ id: `cgt-20260606160057-${polls.size}${Math.random().toString(36).slice(2, 7)}` })
  }
  const id = path.split("/").at(-1) ?? ""
  const count = (polls.get(id) ?? 0) + 1
  polls.set(id, count)
  const known = { id, model: "m", created_at: 1, updated_at: 1 }
  return Response.json(
    count < 2
      ? { ...known, status: "running" }
      : {
          ...known,
          status: "succeeded",
          content: { video_url: "https://media.example.com/v.mp4" },
          usage: { completion_tokens: 100, total_tokens: 100 },
          resolution: "480p",
          ratio: "16:9",
          duration: 5,
          framespersecond: 24
        }
  )
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === "/counts") return Response.json(counts)
    const name = pathname.split("/")[1] ?? ""
    counts[name] = (counts[name] ?? 0) + 1
    const text = await request.text()
    return name.startsWith("ark") ? video(name, request.method, pathname) : chat(name, text)
  }
})
console.log(server.url.origin)

/** What an upstream does with a request, by the beginning of its path. */
export const outcomes = ["answers", "fails", "garbage", "early", "cut", "waits"] as const
export type Outcome = (typeof outcomes)[number]

/** Tokens that every upstream tells, and seconds. */
export const told = { input: 30, output: 40, seconds: 8 }
/** Bytes of a second of sound, by its media type, and of a piece of it. */
export const [secondBytes, pieceBytes] = [16_000, 24_000]

const tokens = { input_tokens: told.input, output_tokens: told.output, total_tokens: told.input + told.output }
const duration = { type: "duration", seconds: told.seconds }
const piece = Buffer.alloc(pieceBytes, 7)

interface Answer {
  readonly type: string
  /** The last piece is sent by `answers` alone. */
  readonly pieces: ReadonlyArray<string | Uint8Array>
}

const json = (answer: object): Answer => {
  const text = JSON.stringify(answer)
  return { type: "application/json", pieces: [text.slice(0, 10), text.slice(10)] }
}
const events = (...all: ReadonlyArray<object>): Answer => ({
  type: "text/event-stream",
  pieces: all.map((one) => `data: ${JSON.stringify(one)}\n\n`)
})

/** Speech, transcripts and images, with tokens for the model "tokens". */
const answerTo = (path: string, fields: Readonly<Record<string, unknown>>): Answer => {
  const usage = fields["model"] === "tokens" ? tokens : duration
  if (path.endsWith("/generations")) {
    const data = Array.from({ length: Number(fields["n"] ?? 1) }, () => ({ b64_json: "AAAA" }))
    return json({ created: 1, data, ...(usage === tokens && { usage }) })
  }
  if (path.endsWith("/speech")) {
    if (fields["stream_format"] !== "sse") return { type: "audio/mpeg", pieces: [piece, piece] }
    const delta = { type: "speech.audio.delta", audio: piece.toString("base64") }
    return events(delta, { type: "speech.audio.done", usage: tokens })
  }
  if (fields["stream"] !== "true") return json({ text: "A fox.", usage })
  return events(
    { type: "transcript.text.delta", delta: "A fox." },
    { type: "transcript.text.done", text: "A fox.", usage }
  )
}

/** An upstream of images and sound. `waits` sends its last piece once its gate is open. */
export const soundUpstream = () => {
  const asked: Array<string> = []
  let gate = Promise.withResolvers<void>()
  const body = (outcome: string, { pieces }: Answer) => {
    const left = [...pieces]
    const { promise: opened } = gate
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const isLast = left.length === 1
        if (isLast && outcome === "waits") await opened
        // Bytes that are sent at once with a break may be lost.
        if (isLast || outcome === "early") await Bun.sleep(20)
        if (outcome === "early" || (isLast && outcome === "cut")) return controller.error(new Error("broken"))
        const next = left.shift()
        if (next === undefined) return controller.close()
        controller.enqueue(typeof next === "string" ? Buffer.from(next) : next)
        if (left.length === 0) controller.close()
      }
    })
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    // The streams that break are meant to.
    error: () => new Response("broken", { status: 500 }),
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const [, outcome = ""] = pathname.split("/")
      const isForm = request.headers.get("content-type")?.startsWith("multipart/") === true
      const fields = isForm
        ? Object.fromEntries(await request.formData())
        : ((await request.json()) as Record<string, unknown>)
      asked.push(pathname)
      if (outcome === "fails") return Response.json({ error: { message: "no" } }, { status: 503 })
      if (outcome === "garbage") return new Response("<html></html>", { headers: { "content-type": "text/html" } })
      const answer = answerTo(pathname, fields)
      return new Response(body(outcome, answer), { headers: { "content-type": answer.type } })
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    open: () => {
      gate.resolve()
      gate = Promise.withResolvers()
    },
    stop: () => server.stop(true)
  }
}

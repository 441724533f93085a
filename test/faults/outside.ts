/**
 * What is outside the real gateway, in a process of its own that is never killed: every service of videos, which move on by
 * themselves and are counted, texts, and a receiver of callbacks that verifies their signatures. `GET /log` tells what they saw.
 * Environment: WEBHOOK_SECRET, WEATHER=0 for a world in which everything works, MEDIA where what was made is to
 * be had.
 */
import { Webhook } from "standardwebhooks"
import { videoOf } from "./videoOf.ts"
import { videoOutside } from "./videoOutside.ts"

export interface Callback {
  readonly task: string
  readonly status: string
  readonly id: string
  readonly answered: number
  readonly body: string
  readonly verified: boolean
}

export interface OutsideLog {
  /** The prompt of each video that was made, with the upstream's id. */
  readonly submits: ReadonlyArray<{ readonly prompt: string; readonly id: string }>
  /** Upstream ids that were cancelled there, or deleted because they had ended between the gateway's poll and its DELETE. */
  readonly cancelled: ReadonlyArray<string>
  readonly callbacks: ReadonlyArray<Callback>
  readonly polls: number
  /** The number of each text that was asked for (`text <number>`), as often as it was. */
  readonly texts: ReadonlyArray<string>
}

const webhook = new Webhook(process.env["WEBHOOK_SECRET"] ?? "")
const weather = Number(process.env["WEATHER"] ?? 1)
const happens = (share: number) => Math.random() < share * weather
const callbacks: Array<Callback> = []

const hook = async (request: Request): Promise<Response> => {
  const body = await request.text()
  const { id, status } = JSON.parse(body) as { id: string; status: string }
  const answered = happens(0.02) ? 500 : 200
  let verified = true
  try {
    webhook.verify(body, Object.fromEntries(request.headers))
  } catch {
    verified = false
  }
  callbacks.push({ task: id, status, id: request.headers.get("webhook-id") ?? "", answered, body, verified })
  return new Response(null, { status: answered })
}

const texts: Array<string> = []

/** Chat completions of one token, whole or streamed, some of them late. */
const text = async (request: Request): Promise<Response> => {
  const { messages, stream } = (await request.json()) as { messages: unknown; stream?: boolean }
  const number = /text ([\w-]+)/.exec(JSON.stringify(messages))?.[1] ?? ""
  texts.push(number)
  const times = texts.length
  await Bun.sleep(Math.random() < 0.05 ? 400 : 5 + Math.random() * 30)
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const common = { id: `chatcmpl-${times}`, created: 1, model: "m" }
  const content = `${number} ${times}`
  if (stream !== true) {
    const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }]
    return Response.json({ ...common, object: "chat.completion", choices, usage })
  }
  const chunk = (more: object) => `data: ${JSON.stringify({ ...common, object: "chat.completion.chunk", ...more })}\n\n`
  return new Response(
    chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }) +
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage }) +
      "data: [DONE]\n\n",
    { headers: { "content-type": "text/event-stream" } }
  )
}

/** One vector for each input. */
const embeddings = async (request: Request): Promise<Response> => {
  const { input } = (await request.json()) as { input: string | ReadonlyArray<string> }
  const data = [input].flat().map((_, index) => ({ object: "embedding", index, embedding: [0.5, -0.5] }))
  return Response.json({ object: "list", data, model: "e", usage: { prompt_tokens: 3, total_tokens: 3 } })
}

/** A small file that says whose it is; now and then one that ends too soon. */
const media = (path: string): Response => {
  const bytes = videoOf(path.slice("/media/".length).replace(".mp4", ""))
  if (!happens(0.03)) return new Response(bytes, { headers: { "content-type": "video/mp4" } })
  const broken = new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes.subarray(0, 1_000))
      controller.error(new Error("gone"))
    }
  })
  return new Response(broken, { headers: { "content-type": "video/mp4" } })
}

const log = (): OutsideLog => ({
  submits: videos.submits(),
  cancelled: videos.cancelled(),
  callbacks,
  polls: videos.polls(),
  texts
})

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  development: false,
  fetch: (request) => {
    const { pathname, search } = new URL(request.url)
    if (pathname === "/hook") return hook(request)
    if (pathname === "/v1/chat/completions") return text(request)
    if (pathname === "/v1/embeddings") return embeddings(request)
    if (pathname.startsWith("/media/")) return media(pathname)
    if (pathname === "/log") return Response.json(log())
    return videos.serve(request, pathname + search) ?? new Response(null, { status: 404 })
  }
})

const videos = videoOutside({
  happens,
  ...(process.env["MEDIA"] === undefined ? {} : { media: `${server.url.origin}/media` })
})

console.log(`listens on ${server.url.href}`)

/**
 * What is outside the real gateway, in a process of its own that is never killed: Ark's video tasks, which move on by
 * themselves and are counted, and a receiver of callbacks that verifies their signatures. `GET /log` tells what they saw.
 * Environment: WEBHOOK_SECRET, and WEATHER=0 for a world in which everything works.
 */
import { Webhook } from "standardwebhooks"
import { fakeArk } from "../upstreams/fakes/ark.ts"

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
  /** Upstream ids that were cancelled there. */
  readonly cancelled: ReadonlyArray<string>
  readonly callbacks: ReadonlyArray<Callback>
  readonly polls: number
}

const ark = fakeArk()
const webhook = new Webhook(process.env["WEBHOOK_SECRET"] ?? "")
const weather = Number(process.env["WEATHER"] ?? 1)
const happens = (share: number) => Math.random() < share * weather
const callbacks: Array<Callback> = []
const begun = new Map<string, { readonly atMs: number; readonly renderMs: number }>()

/** A third of the time it waits, then it renders; one in twenty fails. */
const moveOn = () => {
  for (const task of ark.tasks) {
    if (task.status !== "queued" && task.status !== "running") continue
    let its = begun.get(task.id)
    if (its === undefined) begun.set(task.id, (its = { atMs: Date.now(), renderMs: 200 + Math.random() * 2_000 }))
    const age = Date.now() - its.atMs
    if (age > its.renderMs && Number(task.id.replaceAll(/\D/g, "").slice(-2)) % 20 === 7) {
      ark.move(task.id, "failed", { code: "OutputVideoSensitiveContentDetected", message: "of all things" })
    } else if (age > its.renderMs) ark.move(task.id, "succeeded")
    else if (age > its.renderMs / 3) ark.move(task.id, "running")
  }
}
setInterval(moveOn, 20)

const error = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ error: { code, message: code } }, { status, headers })

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

const upstream = async (request: Request, path: string): Promise<Response> => {
  const { headers, method } = request
  if (method === "POST" && happens(0.02)) return error(429, "RateLimitExceeded.RPM", { "retry-after": "0" })
  if (method === "GET" && happens(0.02)) return error(502, "Overloaded")
  const body = await request.text()
  const answer = await fetch(`${new URL(ark.baseUrl).origin}${path}`, { method, headers, ...(body !== "" && { body }) })
  const text = await answer.text()
  // The video is made; the answer takes its time.
  if (method === "POST") await Bun.sleep(Math.random() * 40)
  return new Response(text, { status: answer.status, headers: { "content-type": "application/json" } })
}

const promptOf = (body: unknown): string => /a cat [\w-]+/.exec(JSON.stringify(body))?.[0] ?? ""

const log = (): OutsideLog => ({
  submits: ark.tasks.map(({ body, id }) => ({ prompt: promptOf(body), id })),
  cancelled: ark.tasks.filter(({ status }) => status === "cancelled").map(({ id }) => id),
  callbacks,
  polls: ark.calls.filter(({ method }) => method === "GET").length
})

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  development: false,
  fetch: (request) => {
    const { pathname, search } = new URL(request.url)
    if (pathname === "/hook") return hook(request)
    if (pathname === "/log") return Response.json(log())
    return upstream(request, pathname + search)
  }
})

console.log(`listens on ${server.url.href}`)

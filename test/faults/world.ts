/**
 * What is outside the gateway, in a process of its own that is never killed: an upstream that renders nothing and counts
 * everything, every real service of videos, and a receiver of callbacks. `GET /log` tells what they saw.
 */
import { videoOutside } from "./videoOutside.ts"

interface Video {
  readonly task: string
  readonly id: string
  readonly atMs: number
  readonly renderMs: number
  cancelled: boolean
}

export interface WorldLog {
  /** Submits that made a video: the task of each, in order. */
  readonly submits: ReadonlyArray<string>
  /** Callbacks as they came: task, status, id and the receiver's answer. */
  readonly callbacks: ReadonlyArray<{ task: string; status: string; id: string; answered: number; body: string }>
  readonly polls: number
  /** Tasks whose video the upstream agreed to stop. */
  readonly cancels: ReadonlyArray<string>
}

const videos = new Map<string, Video>()
const submits: Array<string> = []
const cancels: Array<string> = []
const callbacks: Array<WorldLog["callbacks"][number]> = []
let polls = 0

const renderMs = Number(process.env["RENDER_MS"] ?? 150)
const messageMs = Number(process.env["MESSAGE_MS"] ?? 20)
/** Shares of answers that are something else than the plain one; 0 for a world without weather. */
const weather = Number(process.env["WEATHER"] ?? 1)
const happens = (share: number) => Math.random() < share * weather

const services = videoOutside({ happens })

const json = (body: unknown, status = 200) => Response.json(body, { status })

const statusOf = (video: Video) => {
  const age = Date.now() - video.atMs
  if (video.cancelled) return "cancelled"
  if (age < video.renderMs / 3) return "queued"
  return age < video.renderMs ? "running" : "succeeded"
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  routes: {
    "/videos": {
      POST: async (request) => {
        const { task } = (await request.json()) as { task: string }
        if (happens(0.03)) return json({ retryAfter: 0 }, 429)
        const video = {
          task,
          id: `up-${submits.length}`,
          atMs: Date.now(),
          renderMs: renderMs * (0.5 + Math.random()),
          cancelled: false
        }
        submits.push(task)
        videos.set(video.id, video)
        // The video is made; the answer takes its time.
        await Bun.sleep(Math.random() * 20)
        return json({ id: video.id })
      },
      GET: (request) => {
        const task = new URL(request.url).searchParams.get("task")
        const found = [...videos.values()].filter((video) => video.task === task)
        return json({ ids: found.map((video) => video.id) })
      }
    },
    "/videos/:id": {
      GET: (request) => {
        polls++
        const video = videos.get(request.params.id)
        if (video === undefined) return json({}, 404)
        if (happens(0.02)) return json({}, 502)
        return json({ status: statusOf(video), leftMs: Math.max(0, video.atMs + video.renderMs - Date.now()) })
      },
      DELETE: (request) => {
        const video = videos.get(request.params.id)
        if (video === undefined) return json({ outcome: "ended" })
        const status = statusOf(video)
        if (status === "queued") {
          video.cancelled = true
          cancels.push(video.task)
          return json({ outcome: "cancelled" })
        }
        return json({ outcome: status === "running" ? "running" : "ended" })
      }
    },
    "/messages": {
      POST: async (request) => {
        const { messages } = (await request.json()) as { messages: string }
        await Bun.sleep(messageMs + Math.random() * 80)
        return json({ type: "message", said: messages })
      }
    },
    "/hook": {
      POST: async (request) => {
        const body = await request.text()
        const { id, status } = JSON.parse(body) as { id: string; status: string }
        const answered = happens(0.02) ? 500 : 200
        callbacks.push({ task: id, status, id: request.headers.get("webhook-id") ?? "", answered, body })
        return json({}, answered)
      }
    },
    "/log": () => {
      const ofServices = services.submits()
      const taskOf = new Map(ofServices.map(({ id, prompt }) => [id, prompt.replace("a cat ", "")]))
      return json({
        submits: [...submits, ...taskOf.values()],
        callbacks,
        polls: polls + services.polls(),
        cancels: [...cancels, ...services.cancelled().map((id) => taskOf.get(id) ?? "")]
      } satisfies WorldLog)
    }
  },
  fetch: (request) => {
    const { pathname, search } = new URL(request.url)
    return services.serve(request, pathname + search) ?? json({}, 404)
  }
})

console.log(`listens on ${server.url.href}`)

/**
 * What is outside the gateway, in a process of its own: Ark's video tasks, which are done half a second after they were
 * asked for, and a receiver of callbacks. Keeps no task; `GET /told` says how many ends it was told of. Prints its address.
 */
const renderMs = 500
let made = 0
/** Each delivery may come twice: of the last ones their ids, and a number for those before. */
const ended = new Set<string>()
let before = 0

const record = (id: string) => {
  const done = Date.now() - Number(id.split("-")[1]) > renderMs
  const shared = { id, model: "m", created_at: 1, updated_at: 2 }
  if (!done) return { ...shared, status: "running" }
  const usage = { completion_tokens: 40_176, total_tokens: 40_176 }
  return {
    ...shared,
    status: "succeeded",
    content: { video_url: "https://media.example.com/a.mp4" },
    usage,
    duration: 4
  }
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  idleTimeout: 0,
  routes: {
    "/api/v3/contents/generations/tasks": { POST: () => Response.json({ id: `cgt-${Date.now()}-${made++}` }) },
    "/api/v3/contents/generations/tasks/:id": { GET: (request) => Response.json(record(request.params.id)) },
    "/hook": {
      POST: async (request) => {
        const { id, status } = (await request.json()) as { id: string; status: string }
        if (status !== "queued" && status !== "running") ended.add(id)
        if (ended.size > 100_000) {
          before += ended.size
          ended.clear()
        }
        return new Response(null, { status: 200 })
      }
    },
    "/told": { GET: () => Response.json(before + ended.size) }
  }
})
console.log(`listens on ${server.url.href.replace(/\/$/, "")}`)

export {}

import { Webhook } from "standardwebhooks"

/**
 * Creates a video, receives its signed callbacks (queued, running, succeeded) and downloads the clip.
 *
 *   GATEWAY_ALLOW_ADDRESSES=127.0.0.0/8 bun start
 *   GATEWAY_KEY=gw_… GATEWAY_WEBHOOK_SECRET=whsec_… bun examples/video-callbacks.ts
 *
 * Both secrets are printed at the gateway's first start. A gateway calls no private address unless its operator allows
 * it, hence the variable: this receiver listens on the loopback.
 */
const { GATEWAY_KEY: key, GATEWAY_URL: gateway = "http://127.0.0.1:8080", GATEWAY_WEBHOOK_SECRET: secret } = process.env
if (key === undefined || secret === undefined) throw new Error("GATEWAY_KEY and GATEWAY_WEBHOOK_SECRET must be set")

interface Task {
  readonly id: string
  readonly status: string
  readonly content?: { readonly video_url: string }
  readonly error?: { readonly code: string; readonly message: string }
}

const ended = Promise.withResolvers<Task>()
const webhook = new Webhook(secret)

const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async (request) => {
    // Throws where the signature is not the gateway's.
    const task = webhook.verify(await request.text(), Object.fromEntries(request.headers)) as Task
    console.log(`callback: ${task.status}`)
    if (!["queued", "running"].includes(task.status)) ended.resolve(task)
    return new Response()
  }
})

const created = await fetch(`${gateway}/api/v3/contents/generations/tasks`, {
  method: "POST",
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify({
    model: "sandbox-video",
    content: [{ type: "text", text: "A lighthouse at dusk" }],
    resolution: "480p",
    duration: 4,
    callback_url: receiver.url.href
  })
})
if (!created.ok) throw new Error(await created.text())
console.log(`created:  ${((await created.json()) as Task).id}`)

const task = await ended.promise
if (task.content === undefined) throw new Error(`${task.status}: ${task.error?.message}`)
await Bun.write("lighthouse.mp4", await fetch(task.content.video_url))
console.log("saved:    lighthouse.mp4")
await receiver.stop(true)

import { file } from "bun"

/**
 * Makes the video between two images, its first frame and its last.
 *
 *   GATEWAY_KEY=gw_… bun examples/video-from-frames.ts first.png last.png
 */
const { GATEWAY_KEY: key, GATEWAY_URL: gateway = "http://127.0.0.1:8080" } = process.env
const [first, last] = process.argv.slice(2)
if (key === undefined || first === undefined || last === undefined) {
  throw new Error("GATEWAY_KEY must be set, and two images given")
}
const authorization = `Bearer ${key}`
const tasks = `${gateway}/api/v3/contents/generations/tasks`

interface Task {
  readonly id: string
  readonly status: string
  readonly content?: { readonly video_url: string }
  readonly error?: { readonly code: string; readonly message: string }
}

/** A file as a data URI, so that the upstream need not fetch it. */
const asUri = async (path: string) => {
  const image = file(path)
  return `data:${image.type};base64,${Buffer.from(await image.bytes()).toString("base64")}`
}

const created = await fetch(tasks, {
  method: "POST",
  headers: { authorization, "content-type": "application/json" },
  body: JSON.stringify({
    model: "sandbox-video",
    content: [
      { type: "text", text: "The door opens" },
      { type: "image_url", role: "first_frame", image_url: { url: await asUri(first) } },
      { type: "image_url", role: "last_frame", image_url: { url: await asUri(last) } }
    ],
    resolution: "480p",
    duration: 4
  })
})
if (!created.ok) throw new Error(await created.text())
let task = (await created.json()) as Task
console.log(`created: ${task.id}`)

while (task.content === undefined) {
  await Bun.sleep(1_000)
  task = (await (await fetch(`${tasks}/${task.id}`, { headers: { authorization } })).json()) as Task
  console.log(task.status)
  if (["failed", "expired", "cancelled"].includes(task.status)) throw new Error(task.error?.message ?? task.status)
}
await Bun.write("from-frames.mp4", await fetch(task.content.video_url))
console.log("saved: from-frames.mp4")

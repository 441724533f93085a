import { file } from "bun"

/**
 * Makes a video of what the images show.
 *
 *   GATEWAY_KEY=gw_… bun examples/video-with-references.ts cat.png sofa.png
 */
const { GATEWAY_KEY: key, GATEWAY_URL: gateway = "http://127.0.0.1:8080" } = process.env
const images = process.argv.slice(2)
if (key === undefined || images.length === 0) throw new Error("GATEWAY_KEY must be set, and images given")
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

const reference = async (path: string) => ({
  type: "image_url",
  role: "reference_image",
  image_url: { url: await asUri(path) }
})

const created = await fetch(tasks, {
  method: "POST",
  headers: { authorization, "content-type": "application/json" },
  body: JSON.stringify({
    model: "sandbox-video",
    content: [
      { type: "text", text: "The cat of image 1 on the sofa of image 2" },
      ...(await Promise.all(images.map(reference)))
    ],
    ratio: "16:9",
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
await Bun.write("with-references.mp4", await fetch(task.content.video_url))
console.log("saved: with-references.mp4")

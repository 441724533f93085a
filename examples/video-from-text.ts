import OpenAI from "openai"

/**
 * Makes a video from text with OpenAI's client, and downloads it.
 *
 *   GATEWAY_KEY=gw_… bun examples/video-from-text.ts
 */
const { GATEWAY_KEY: apiKey, GATEWAY_URL: gateway = "http://127.0.0.1:8080" } = process.env
if (apiKey === undefined) throw new Error("GATEWAY_KEY must be set")
const { videos } = new OpenAI({ apiKey, baseURL: `${gateway}/v1` })

let video = await videos.create({
  model: "sandbox-video",
  prompt: "A lighthouse at dusk",
  seconds: "4",
  size: "1280x720"
})
console.log(`created: ${video.id}`)

while (video.status === "queued" || video.status === "in_progress") {
  await Bun.sleep(1_000)
  video = await videos.retrieve(video.id)
  console.log(`${video.status} ${video.progress} %`)
}
if (video.status === "failed") throw new Error(video.error?.message)
await Bun.write("from-text.mp4", await videos.downloadContent(video.id))
console.log("saved: from-text.mp4")

import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway } from "../gatewayHere.ts"
import { videosIn } from "../faults/videosIn.ts"
import { madeOf } from "../upstreams/fakes/madeOf.ts"
import { videoServiceNames, videoServices } from "../upstreams/fakes/videoServices.ts"
import type { VideoServiceName } from "../upstreams/fakes/videoServices.ts"

/** A gateway in a process of its own before every service of videos, each with a model of its name. Videos are done at once. */
export const startVideoWorld = async () => {
  const media = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const name = new URL(request.url).pathname.slice(1).replace(".mp4", "")
      // Kling's ids have a path at the gateway.
      return new Response(madeOf(name.startsWith("cgt-") ? name : `text2video/${name}`))
    }
  })
  const services = videoServices({ measures: true, media: media.url.origin })
  const finishing = setInterval(() => {
    for (const { finish, videos } of Object.values(services)) {
      for (const { id, state } of videos()) if (state !== "ended") finish(id)
    }
  }, 50)
  const folder = mkdtempSync(join(tmpdir(), "gateway-video-clients-"))
  const { models, upstreams } = videosIn((name) => services[name].origin)
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:\n${upstreams}\nmodels:\n${models}\ncallbacks: { allow: [127.0.0.0/8] }\n`
  )
  const gateway = await startGateway({ folder })
  return {
    gateway,
    services,
    /** The file that a service made for a prompt. */
    fileFor: (name: VideoServiceName, prompt: string) => {
      const made = services[name].videos().filter(({ body }) => JSON.stringify(body).includes(prompt))
      if (made.length !== 1) throw new Error(`${name} made ${made.length} videos of "${prompt}"`)
      return madeOf(made[0]?.id ?? "")
    },
    dispose: async () => {
      clearInterval(finishing)
      await gateway.dispose()
      await Promise.all([media.stop(true), ...videoServiceNames.map((name) => services[name].stop())])
    }
  }
}

export type VideoWorld = Awaited<ReturnType<typeof startVideoWorld>>

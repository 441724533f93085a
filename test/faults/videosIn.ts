import { videoAccess, videoEntry, videoServiceNames } from "../upstreams/fakes/videoServices.ts"
import type { VideoServiceName } from "../upstreams/fakes/videoServices.ts"

/** The lines of `gateway.yaml` for every service of videos, each with a model of its name. */
export const videosIn = (originOf: (name: VideoServiceName) => string) => ({
  upstreams: videoServiceNames
    .map((name) => `  ${name}: ${JSON.stringify(videoEntry(name, originOf(name)))}`)
    .join("\n"),
  models: videoServiceNames
    .map(
      (name) =>
        `  ${name}: { routes: [{ upstream: ${name}, model: ${videoAccess[name].model} }], price: { output: 7 } }`
    )
    .join("\n")
})

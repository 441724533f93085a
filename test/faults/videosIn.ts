import { videoAccess, videoEntry, videoServiceNames } from "../upstreams/fakes/videoServices.ts"
import type { VideoServiceName } from "../upstreams/fakes/videoServices.ts"

/** The lines of `gateway.yaml` for services of videos (all of them), each with a model of its name. */
export const videosIn = (
  originOf: (name: VideoServiceName) => string,
  names: ReadonlyArray<VideoServiceName> = videoServiceNames
) => ({
  upstreams: names.map((name) => `  ${name}: ${JSON.stringify(videoEntry(name, originOf(name)))}`).join("\n"),
  models: names
    .map(
      (name) =>
        `  ${name}: { routes: [{ upstream: ${name}, model: ${videoAccess[name].model} }], price: { output: 7 } }`
    )
    .join("\n")
})

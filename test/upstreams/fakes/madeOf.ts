import { videoOf } from "../../faults/videoOf.ts"
import { clipOf } from "./clip.ts"
import { fileOf as fileOfSora } from "./sora.ts"
import { fileOf as fileOfVeo } from "./veo.ts"

/** The file of a video, by its upstream's id for it: what its fake serves, or a server in its place. */
export const madeOf = (upstreamId: string): Uint8Array<ArrayBuffer> => {
  if (upstreamId.startsWith("video_")) return fileOfSora(upstreamId)
  // Google's API tells a file's name, Vertex answers with the bytes.
  if (upstreamId.startsWith("models/")) return clipOf(fileOfVeo(upstreamId))
  if (upstreamId.startsWith("projects/")) return clipOf(upstreamId)
  if (upstreamId.startsWith("cgt-")) return videoOf(upstreamId)
  if (upstreamId.includes("/")) return videoOf(upstreamId.split("/")[1] ?? "")
  return clipOf(`/media/${upstreamId}.mp4`)
}

/** True if the gateway fetches the file by itself and serves it at its own link, without custody. */
export const isFetched = (upstreamId: string): boolean => /^(?:video_|models\/|projects\/|4240\d+$)/.test(upstreamId)

import { Effect } from "effect"
import { AddressGuard } from "../../../guard/AddressGuard.ts"
import { VideoRejected } from "../../videos/VideoUpstream.ts"
import type { VideoMedia } from "../../videos/VideoUpstream.ts"
import type { Picture } from "./request.ts"

/** In bytes; Veo itself takes 20 MB. */
const largest = 30_000_000

/** Reads inputs as bytes: of a data URI, or from their address. */
export const makePictures = Effect.map(
  AddressGuard,
  (guard) => (media: ReadonlyArray<VideoMedia>) =>
    Effect.forEach(media, ({ role, url }): Effect.Effect<Picture, VideoRejected> => {
      const [, mimeType, data] = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w-]+=[\w.-]+)*;base64,/i.test(url.slice(0, 200))
        ? ["", url.slice("data:".length, url.indexOf(";")), url.slice(url.indexOf(",") + 1)]
        : []
      if (mimeType !== undefined && data !== undefined) {
        return Effect.succeed({ bytesBase64Encoded: data, mimeType: mimeType.toLowerCase() })
      }
      return guard.fetchBytes(url, { param: role, maxBytes: largest }).pipe(
        Effect.mapBoth({
          onFailure: ({ message }) => new VideoRejected({ code: "InvalidParameter", message }),
          onSuccess: (bytes) => ({ bytesBase64Encoded: Buffer.from(bytes).toString("base64"), mimeType: typeOf(bytes) })
        })
      )
    })
)

/** By the first bytes. */
const typeOf = (bytes: Uint8Array): string => {
  const begins = Buffer.from(bytes.subarray(0, 12)).toString("latin1")
  if (begins.startsWith("\xff\xd8")) return "image/jpeg"
  return begins.startsWith("RIFF") && begins.endsWith("WEBP") ? "image/webp" : "image/png"
}

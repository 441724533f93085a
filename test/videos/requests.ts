import { Schema } from "effect"
import { CreateVideoTask } from "../../src/videos/CreateVideoTask.ts"
import { usualVideoBounds } from "../../src/upstreams/videos/VideoBounds.ts"
import type { VideoLimits } from "../../src/videos/bounds.ts"

export const limits: VideoLimits = { ...usualVideoBounds, model: "seedance", isPassthrough: false }

export const decode = Schema.decodeUnknownEither(CreateVideoTask)

/** A request that decodes, for tests of what comes after. */
export const request = (fields: Record<string, unknown> = {}): CreateVideoTask =>
  Schema.decodeUnknownSync(CreateVideoTask)({
    model: "sandbox-video",
    content: [{ type: "text", text: "a cat" }],
    ...fields
  })

export const png = (width: number, height: number): string => {
  const bytes = Buffer.alloc(24)
  bytes.writeUInt32BE(0x89504e47, 0)
  bytes.writeUInt32BE(0x0d0a1a0a, 4)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return `data:image/png;base64,${bytes.toString("base64")}`
}

export const image = (role?: string, url = "https://example.com/a.png") => ({
  type: "image_url",
  image_url: { url },
  ...(role !== undefined && { role })
})
export const video = (role?: string, url = "https://example.com/a.mp4") => ({
  type: "video_url",
  video_url: { url },
  ...(role !== undefined && { role })
})
export const audio = (role?: string, url = "https://example.com/a.mp3") => ({
  type: "audio_url",
  audio_url: { url },
  ...(role !== undefined && { role })
})
export const text = (words: string) => ({ type: "text", text: words })

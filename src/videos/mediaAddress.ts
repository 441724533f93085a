import type { VideoMedia } from "../upstreams/videos/VideoUpstream.ts"
import { isHttpUrl, readDataUri } from "./addresses.ts"

const megabytes = 1_000_000
const images = ["jpeg", "jpg", "png", "webp", "bmp", "tiff", "gif", "heic", "heif"]
const audios = ["wav", "x-wav", "wave", "mp3", "mpeg"]
const dataUris = {
  image: {
    subtypes: images,
    bytes: 30 * megabytes,
    says: "data:image/<subtype>;base64,<data> (jpeg, png, webp, bmp, tiff, gif, heic or heif)"
  },
  audio: { subtypes: audios, bytes: 15 * megabytes, says: "data:audio/<subtype>;base64,<data> (wav or mp3)" }
} as const

/** The most bytes of an image or audio in a request. */
export const mostBytes = (kind: "image" | "audio"): number => dataUris[kind].bytes

/** True for an input that is stored at Ark, which alone can read it. */
export const isAsset = (url: string): boolean => /^asset:\/\/./i.test(url)

/** The rule that an input's address breaks, for the caller; undefined if it is valid. */
export const checkAddress = (kind: VideoMedia["kind"], url: string, assets: boolean): string | undefined => {
  if (isHttpUrl(url)) return undefined
  if (isAsset(url)) return assets ? undefined : "asset:// addresses are not offered by this model"
  if (kind === "video") return "expected an http or https URL"
  const rule = dataUris[kind]
  if (!/^data:/i.test(url)) return `expected an http or https URL, or ${rule.says}`
  const data = readDataUri(kind, url)
  if (data === undefined || !rule.subtypes.some((subtype) => subtype === data.subtype)) return `expected ${rule.says}`
  return data.bytes <= rule.bytes ? undefined : `expected at most ${rule.bytes / megabytes} MB of data`
}

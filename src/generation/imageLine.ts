import type { ImagePart } from "./Conversation.ts"

/** The line that stands for a picture where a model takes none. */
export const imageLine = ({ source }: ImagePart): string =>
  source.type === "base64" ? bytesLine("image", source.mediaType, source.data) : "[image]"

/** `[image, image/png, 12 kB]`, of Base64. */
export const bytesLine = (kind: string, mediaType = "unknown type", data = ""): string =>
  `[${kind}, ${mediaType.slice(0, 100)}, ${Math.ceil((data.length * 3) / 4_000)} kB]`

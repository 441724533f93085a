import { Effect } from "effect"
import type { Failure, InvalidRequest } from "../contract/failures/Failure.ts"
import type { ReadDocument } from "../documents/Documents.ts"
import type { DocumentPart, FileSource, ImagePart } from "../generation/Conversation.ts"
import { describeCsv } from "./csv.ts"
import { readImage } from "../contract/bodies/readImage.ts"
import { describePdf } from "./pdf.ts"
import { firstWords } from "./excerpts.ts"

/** Readers of attachments. Without one, attachments are named but not read. */
export interface Readers {
  /** Fetches a caller's URL. */
  readonly fetchBytes?: (url: string) => Effect.Effect<Uint8Array, Failure>
  /** Reads a PDF. */
  readonly readDocument?: ReadDocument
}

/**
 * Describes an attachment in a clause, from its bytes and never from the declared type. Fails if reading it exceeds a
 * document's limits.
 */
export const describeAttachment = (
  part: ImagePart | DocumentPart,
  readers: Readers
): Effect.Effect<string, InvalidRequest> => {
  const { source } = part
  const named = part.type === "document" && part.name !== undefined ? `${part.name}: ` : ""
  if (source.type === "file") return Effect.succeed(`${named}the file ${source.id}, which is kept elsewhere`)
  if (source.type === "text") return Effect.succeed(named + describeText(source.text, source.mediaType, named))
  if (source.type === "base64") return describeBytes(bytesOf(source), named, source.mediaType, readers)
  if (source.url.startsWith("data:")) return describeBytes(bytesOf(fromDataUrl(source.url)), named, "", readers)
  const { url } = source
  if (readers.fetchBytes === undefined) return Effect.succeed(`${named}the address ${url}, which I did not read`)
  return Effect.matchEffect(readers.fetchBytes(url), {
    onFailure: ({ message }) => Effect.succeed(`${named}the address ${url}, which I could not read (${message})`),
    onSuccess: (bytes) => describeBytes(bytes, named === "" ? `${url}: ` : named, "", readers)
  })
}

const describeBytes = (
  bytes: Uint8Array,
  named: string,
  mediaType: string,
  { readDocument }: Readers
): Effect.Effect<string, InvalidRequest> => {
  const image = readImage(bytes)
  if (image !== undefined) {
    return Effect.succeed(`${named}a ${image.type} image of ${image.width}×${image.height} pixels`)
  }
  if (startsWith(bytes, "%PDF-")) {
    return readDocument === undefined
      ? Effect.succeed(`${named}a PDF of ${bytes.length} bytes, which I did not read`)
      : Effect.map(describePdf(bytes, readDocument), (pdf) => named + pdf)
  }
  const text = textOf(bytes)
  return Effect.succeed(
    text === undefined
      ? `${named}${bytes.length} bytes${mediaType === "" ? "" : ` called ${mediaType}`} that I could not read`
      : named + describeText(text, mediaType, named)
  )
}

const describeText = (text: string, mediaType: string, name: string): string => {
  if (mediaType === "text/csv" || /\.[ct]sv: $/i.test(name)) return describeCsv(text)
  const kind = mediaType === "text/markdown" || /\.md: $/i.test(name) ? "Markdown" : "text"
  const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
  return `${kind} of ${lines} ${lines === 1 ? "line" : "lines"} that begins "${firstWords(text)}"`
}

const fromDataUrl = (url: string): FileSource & { readonly type: "base64" } => ({
  type: "base64",
  mediaType: "",
  data: url
})

/** Clients send plain base64 or a data URL. */
const bytesOf = (source: FileSource & { readonly type: "base64" }): Uint8Array => {
  const { data } = source
  if (!data.startsWith("data:")) return Buffer.from(data, "base64")
  const comma = data.indexOf(",")
  const payload = data.slice(comma + 1)
  return data.slice(0, comma).endsWith(";base64") ? Buffer.from(payload, "base64") : Buffer.from(decoded(payload))
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const startsWith = (bytes: Uint8Array, text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false
  return true
}

/** The bytes as text; undefined if they are not text. */
const textOf = (bytes: Uint8Array): string | undefined => {
  if (bytes.subarray(0, 4_096).includes(0)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

import { Schema } from "effect"
import { maybe, required } from "../contract/fields.ts"
import { variants } from "../contract/variants.ts"

export const imageTypes = ["image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"] as const
const documentTypes = ["application/pdf", "text/plain", "text/markdown", "text/csv"] as const
export const fileTypes = [...documentTypes, ...imageTypes] as const

/** A single negated class, so that matching is linear in any input. */
const notBase64 = /[^A-Za-z0-9+/=\s]/

export const Base64 = Schema.String.pipe(
  Schema.filter((text) => text.length > 0 && !notBase64.test(text), {
    description: "a base64 string (standard alphabet)",
    jsonSchema: { type: "string", minLength: 1, contentEncoding: "base64" }
  })
)

const base64Source = <const Types extends readonly [string, ...Array<string>]>(types: Types) =>
  Schema.Struct({
    type: Schema.Literal("base64"),
    media_type: required(Schema.Literal(...types), "Required when `source.type` is `base64`."),
    data: required(Base64, "The file's bytes. Required when `source.type` is `base64`.")
  }).annotations({ description: "The file itself, base64-encoded." })

const HttpUrl = Schema.String.pipe(
  Schema.pattern(/^https?:\/\/[^\s/]/i, { description: "an http:// or https:// address" })
)

const UrlSource = Schema.Struct({
  type: Schema.Literal("url"),
  url: required(HttpUrl, "Required when `source.type` is `url`."),
  media_type: maybe(Schema.String).annotations({ description: "The media type, if known." })
}).annotations({ description: "The address of the file." })

const FileIdSource = Schema.Struct({
  type: Schema.Literal("file"),
  file_id: required(Schema.NonEmptyString, "Id of the file there.")
}).annotations({
  description: "A file stored at an upstream of this dialect."
})

const TextSource = Schema.Struct({
  type: Schema.Literal("text"),
  media_type: maybe(Schema.Literal("text/plain")).annotations({ description: "Always `text/plain`." }),
  data: required(Schema.String, "The plain text, not encoded.")
})

const ImageSource = variants({ base64: base64Source(imageTypes), url: UrlSource, file: FileIdSource })
export type ImageSource = typeof ImageSource.Type

export const image = Schema.Struct({
  type: Schema.Literal("image"),
  source: required(ImageSource, "The image. Required when `type` is `image`.")
})

/** The parts of a document given as content blocks. */
const ContentSource = Schema.Struct({
  type: Schema.Literal("content"),
  content: required(
    Schema.Union(
      Schema.String,
      Schema.Array(
        variants({
          text: Schema.Struct({ type: Schema.Literal("text"), text: required(Schema.String, "The text.") }),
          image
        })
      )
    ),
    "The document's text, or its blocks of text and images."
  )
})
export type ContentSource = typeof ContentSource.Type

export const DocumentSource = variants({
  base64: base64Source(documentTypes),
  url: UrlSource,
  text: TextSource,
  content: ContentSource,
  file: FileIdSource
})
export type DocumentSource = typeof DocumentSource.Type

export const FileSource = variants({
  base64: base64Source(fileTypes),
  url: UrlSource,
  text: TextSource,
  file: FileIdSource
})
export type FileSource = typeof FileSource.Type

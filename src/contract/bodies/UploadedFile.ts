import { Schema } from "effect"

interface Upload {
  /** The file's name on the caller's disk; null if it sent none. */
  readonly name: string | null
  /** The media type that the caller declared, in lower case, without parameters; empty if it declared none. */
  readonly mediaType: string
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
  /** Starts to read the file: each call returns its next chunk; undefined at its end. */
  readonly open: () => () => Promise<Uint8Array | undefined>
}

/** A file of a form (`multipart/form-data`). It is on disk, and is deleted when its request has ended. */
export class UploadedFile {
  readonly name: string | null
  readonly mediaType: string
  readonly bytes: number
  readonly sha256: string
  readonly open: Upload["open"]

  constructor({ bytes, mediaType, name, open, sha256 }: Upload) {
    this.name = name
    this.mediaType = mediaType
    this.bytes = bytes
    this.sha256 = sha256
    this.open = open
  }

  /** The whole file. */
  async read(): Promise<Buffer> {
    const read = this.open()
    const chunks: Array<Uint8Array> = []
    for (let chunk = await read(); chunk !== undefined; chunk = await read()) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  /** For idempotency keys and recorded bodies. */
  toJSON() {
    const { bytes, mediaType, name, sha256 } = this
    return { filename: name, media_type: mediaType, bytes, sha256 }
  }
}

/** A file in the body of an endpoint that takes forms (`Form`). */
export const FileField = Schema.declare((input): input is UploadedFile => input instanceof UploadedFile, {
  description: "a file",
  jsonSchema: { type: "string", format: "binary" }
})

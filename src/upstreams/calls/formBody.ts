import { UploadedFile } from "../../contract/bodies/UploadedFile.ts"
import { randomHex } from "../../contract/text/randomHex.ts"
import { isObject } from "../../contract/json/json.ts"
import type { JsonObject } from "../../contract/fields.ts"

/** A form (`multipart/form-data`) that is written as it is sent: its files are read chunk by chunk. */
export interface FormBody {
  readonly contentType: string
  readonly bytes: number
  /** Starts to write it. */
  readonly open: () => ReadableStream<Uint8Array>
}

type Part = Uint8Array | UploadedFile

/** A body as a form: items of lists as `name[]`, members of objects as `name[member]`, as OpenAI's clients write them. */
export const formBody = (body: JsonObject): FormBody => {
  const boundary = `form-${randomHex()}`
  const parts: Array<Part> = []
  for (const [name, value] of Object.entries(body)) {
    for (const [written, one] of fieldsOf(name, value)) {
      const file = one instanceof UploadedFile ? one : undefined
      parts.push(utf8.encode(`--${boundary}\r\n${headOf(written, file)}\r\n\r\n`))
      parts.push(file ?? utf8.encode(textOf(one)), lineEnd)
    }
  }
  parts.push(utf8.encode(`--${boundary}--\r\n`))
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: parts.reduce((sum, part) => sum + (part instanceof UploadedFile ? part.bytes : part.length), 0),
    open: () => written(parts)
  }
}

const utf8 = new TextEncoder()
const lineEnd = utf8.encode("\r\n")

const fieldsOf = (name: string, value: unknown): ReadonlyArray<readonly [string, unknown]> => {
  if (Array.isArray(value)) return value.map((one: unknown) => [`${name}[]`, one] as const)
  if (!isObject(value) || value instanceof UploadedFile) return value === undefined ? [] : [[name, value]]
  return Object.entries(value).map(([member, one]) => [`${name}[${member}]`, one] as const)
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const headOf = (name: string, file: UploadedFile | undefined): string => {
  const disposition = `content-disposition: form-data; name="${quoted(name)}"`
  if (file === undefined) return disposition
  const mediaType = /^[\w.+-]+\/[\w.+-]+$/.test(file.mediaType) ? file.mediaType : "application/octet-stream"
  return `${disposition}; filename="${quoted(baseName(file.name ?? ""))}"\r\ncontent-type: ${mediaType}`
}

/** The last segment of a path, which upstreams tell the format by. */
const baseName = (name: string): string => name.split(/[/\\]/).at(-1)?.slice(-mostName) || "file"
const mostName = 200

/** As browsers escape it. */
const quoted = (text: string): string =>
  text.replaceAll(/[\r\n"]/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, "0")}`)

const written = (parts: ReadonlyArray<Part>): ReadableStream<Uint8Array> => {
  let index = 0
  let reading: (() => Promise<Uint8Array | undefined>) | undefined
  return new ReadableStream({
    pull: async (controller) => {
      for (;;) {
        const part = parts[index]
        if (part === undefined) return controller.close()
        if (!(part instanceof UploadedFile)) {
          index++
          return controller.enqueue(part)
        }
        const chunk = await (reading ??= part.open())()
        if (chunk !== undefined) return controller.enqueue(chunk)
        reading = undefined
        index++
      }
    }
  })
}

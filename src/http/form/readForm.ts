import type { FormBounds } from "../../contract/annotations.ts"
import { InvalidRequest, TooLarge, UnsupportedEncoding } from "../../contract/failures/Failure.ts"
import type { RateLimited } from "../../contract/failures/Failure.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { UploadedFile } from "../../contract/bodies/UploadedFile.ts"
import type { Holding } from "../Unfinished.ts"
import { boundaryOf, FormParser } from "./FormParser.ts"
import type { FormEvent, PartHead } from "./FormParser.ts"
import { receive } from "./receive.ts"
import { Spool } from "./Spool.ts"
import { SpooledFile } from "./SpooledFile.ts"

/** A form that was read completely. */
export interface Form {
  /** Its fields as a JSON body would have them, files as `UploadedFile`. */
  readonly body: JsonObject
  /** Deletes its files. */
  readonly discard: () => Promise<void>
}

type Refusal = InvalidRequest | TooLarge | UnsupportedEncoding | RateLimited

/** True if the request's body is a form. */
export const isForm = (request: Request): boolean => boundaryOf(request.headers.get("content-type")) !== undefined

/**
 * Reads a form within its bounds, each of which is checked as its bytes come: large files go to disk chunk by chunk, at
 * the pace of the disk. A refused form leaves no files behind. Rejects if the connection breaks.
 */
export const readForm = async (request: Request, bounds: FormBounds, holding: Holding): Promise<Form | Refusal> => {
  const boundary = boundaryOf(request.headers.get("content-type"))
  if (boundary === undefined || boundary === null) return malformedForm("its `content-type` has no valid boundary")
  const encoding = request.headers.get("content-encoding") ?? "identity"
  if (encoding !== "identity") {
    return new UnsupportedEncoding({ message: "Content-Encoding: a form is read as it is, without compression" })
  }
  if (Number(request.headers.get("content-length") ?? 0) > bounds.bytes) return tooLarge(bounds)
  const form = new FormReading(bounds, holding)
  const refused = await filled(form, request.body, new FormParser(boundary)).catch(async (cause: unknown) => {
    await form.discard()
    throw cause
  })
  if (refused === undefined) return form
  await form.discard()
  return refused
}

/** Reads the body into the form. Returns the reason to refuse it. */
const filled = async (
  form: FormReading,
  body: ReadableStream<Uint8Array> | null,
  parser: FormParser
): Promise<Refusal | undefined> => {
  const { bounds } = form
  const refused = await receive(body, bounds, (chunk) => form.take(parser.push(chunk)))
  if (refused === "late") return malformedForm(`it was not received within ${bounds.seconds} seconds`)
  if (refused === "large") return tooLarge(bounds)
  if (refused !== undefined) return refused
  return parser.isOver ? undefined : malformedForm("it ends before its closing boundary")
}

interface OpenPart {
  readonly head: PartHead
  readonly file: SpooledFile | undefined
  readonly text: Array<Buffer>
}

/** The parts of a form read so far. */
class FormReading implements Form {
  readonly bounds: FormBounds
  /** Values, lists of them, and the members of objects. */
  readonly #fields = new Map<string, unknown>()
  readonly #holding: Holding
  readonly #spool: Spool
  #part: OpenPart | undefined
  #parts = 0
  #fieldBytes = 0

  constructor(bounds: FormBounds, holding: Holding) {
    this.bounds = bounds
    this.#holding = holding
    this.#spool = new Spool(holding)
  }

  get body(): JsonObject {
    // `Object.fromEntries` makes own members of any name.
    return Object.fromEntries(
      Array.from(this.#fields, ([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value])
    )
  }

  discard(): Promise<void> {
    return this.#spool.close()
  }

  /** Returns the reason to refuse the form. */
  async take(events: ReadonlyArray<FormEvent>): Promise<Refusal | undefined> {
    for (const event of events) {
      const refused = await this.#takeOne(event)
      if (refused !== undefined) return refused
    }
    return undefined
  }

  async #takeOne(event: FormEvent): Promise<Refusal | undefined> {
    switch (event.type) {
      case "malformed":
        return malformedForm(event.message)
      case "part":
        return this.#begin(event.head)
      case "data":
        return this.#append(event.bytes)
      case "end":
        return this.#end()
    }
  }

  #begin(head: PartHead): Refusal | undefined {
    this.#parts++
    if (this.#parts > this.bounds.parts) return malformedForm(`it has more than ${this.bounds.parts} parts`)
    const file = head.fileName === undefined ? undefined : new SpooledFile(head, this.#spool)
    this.#part = { head, file, text: [] }
    return undefined
  }

  async #append(bytes: Buffer): Promise<Refusal | undefined> {
    const part = this.#part
    if (part?.file === undefined) {
      this.#fieldBytes += bytes.length
      if (this.#fieldBytes > this.bounds.fieldBytes) {
        return new TooLarge({ message: `The form's fields are larger than ${this.bounds.fieldBytes} bytes` })
      }
      // Copied: a short field would keep the whole chunk of the network that it came in.
      part?.text.push(Buffer.from(bytes))
      return this.#holding.more(bytes.length, "memory")
    }
    if (part.file.bytes + bytes.length > this.bounds.fileBytes) {
      return new TooLarge({ message: `${part.head.name}: the file is larger than ${this.bounds.fileBytes} bytes` })
    }
    return part.file.write(bytes)
  }

  #end(): Refusal | undefined {
    const part = this.#part
    if (part === undefined) return undefined
    const { file, head, text } = part
    if (file !== undefined) return this.#put(head.name, file.uploaded())
    const value = textOf(Buffer.concat(text))
    if (value === undefined) {
      const message = `${head.name}: expected UTF-8 text without NUL characters (U+0000)`
      return new InvalidRequest({ param: head.name, message })
    }
    return this.#put(head.name, value)
  }

  /**
   * Adds a field as JSON has it. Client libraries write the member of an object as `name[member]` and an item of a list as
   * `name[]`, or repeat the name. No object has files or objects in it, which would be lost.
   */
  #put(written: string, value: unknown): InvalidRequest | undefined {
    const [, name = written, member = ""] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(written) ?? []
    if (name.includes("[")) return clash(written, "expected a name, name[] or name[member]")
    const before = this.#fields.get(name)
    if (member !== "") {
      if (value instanceof UploadedFile)
        return clash(name, `${written} is a file; expected files as ${name} or ${name}[]`)
      const members = before ?? new Map<string, unknown>()
      if (!(members instanceof Map)) return clash(name, `is sent beside ${written}; expected one of them`)
      if (members.has(member)) return clash(name, `${written} is sent more than once`)
      this.#fields.set(name, members.set(member, value))
    } else if (before instanceof Map) return clash(name, "is sent beside its members; expected one of them")
    else if (before !== undefined) this.#fields.set(name, [before, value].flat())
    else this.#fields.set(name, written === name ? value : [value])
    return undefined
  }
}

const textOf = (bytes: Buffer): string | undefined => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

/** A part that would displace what another one says. */
const clash = (name: string, rule: string) => new InvalidRequest({ param: name, message: `${name}: ${rule}` })

const malformedForm = (reason: string) =>
  new InvalidRequest({ param: null, message: `The form can't be read: ${reason}` })

const tooLarge = ({ bytes }: FormBounds) => new TooLarge({ message: `The form is larger than ${bytes} bytes` })

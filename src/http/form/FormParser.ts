/** A step in reading a form: a part's head, a piece of its content, its end, or the reason that the form is refused. */
export type FormEvent =
  | { readonly type: "part"; readonly head: PartHead }
  | { readonly type: "data"; readonly bytes: Buffer }
  | { readonly type: "end" }
  | { readonly type: "malformed"; readonly message: string }

export interface PartHead {
  readonly name: string
  /** Undefined if the part is no file. */
  readonly fileName: string | undefined
  /** In lower case, without parameters; empty if it is not declared. */
  readonly mediaType: string
}

/** Bytes of a part's header lines. */
const maxHead = 8_192

const crlf = Buffer.from("\r\n")
const blankLine = Buffer.from("\r\n\r\n")

/** The boundary in a form's `content-type`; undefined if that is no form. Null: it is one without a valid boundary. */
export const boundaryOf = (contentType: string | null): string | null | undefined => {
  if (contentType === null || !/^multipart\/form-data\s*(?:;|$)/i.test(contentType)) return undefined
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain ?? ""
  // RFC 2046, section 5.1.1.
  return /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary) ? boundary : null
}

/**
 * Splits a form into its parts (RFC 7578), in time linear in its bytes however they are cut into chunks. Content is
 * passed on as it comes; only a part's head and a possible beginning of a boundary wait for more.
 */
export class FormParser {
  readonly #delimiter: Buffer
  #state: "preamble" | "delimiter" | "content" | "over" = "preamble"
  /** A line break comes before every boundary, the first one included. */
  #waiting: Buffer = crlf

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1")
  }

  /** True once the closing boundary or a mistake was read. */
  get isOver(): boolean {
    return this.#state === "over"
  }

  push(chunk: Uint8Array): ReadonlyArray<FormEvent> {
    const events: Array<FormEvent> = []
    this.#waiting = Buffer.concat([this.#waiting, chunk])
    let isMoving = true
    while (isMoving) isMoving = this.#state === "delimiter" ? this.#head(events) : this.#content(events)
    return events
  }

  /** Reads on to the next boundary. False if more bytes are needed. */
  #content(events: Array<FormEvent>): boolean {
    if (this.#state === "over") {
      this.#waiting = Buffer.alloc(0)
      return false
    }
    const at = this.#waiting.indexOf(this.#delimiter)
    const isInPart = this.#state === "content"
    const end = at < 0 ? Math.max(0, this.#waiting.length - this.#delimiter.length + 1) : at
    if (isInPart && end > 0) events.push({ type: "data", bytes: this.#waiting.subarray(0, end) })
    this.#waiting = this.#waiting.subarray(at < 0 ? end : at + this.#delimiter.length)
    if (at < 0) return false
    if (isInPart) events.push({ type: "end" })
    this.#state = "delimiter"
    return true
  }

  /** Reads what follows a boundary: `--` after the last part, otherwise the next part's head. */
  #head(events: Array<FormEvent>): boolean {
    if (this.#waiting.length < 2) return false
    if (this.#waiting.toString("latin1", 0, 2) === "--") {
      this.#state = "over"
      return true
    }
    const end = this.#waiting.subarray(0, maxHead).indexOf(blankLine)
    if (end < 0 && this.#waiting.length < maxHead) return false
    const head = end < 0 ? `a part's header lines are longer than ${maxHead} bytes` : readHead(this.#waiting, end)
    if (typeof head === "string") {
      this.#state = "over"
      events.push({ type: "malformed", message: head })
      return true
    }
    events.push({ type: "part", head })
    this.#state = "content"
    this.#waiting = this.#waiting.subarray(end + blankLine.length)
    return true
  }
}

/** A part's head, or the reason that it is refused. */
const readHead = (bytes: Buffer, end: number): PartHead | string => {
  const [rest = "", ...lines] = bytes.toString("utf8", 0, end).split("\r\n")
  if (!/^[ \t]*$/.test(rest)) return "a boundary is followed by other text on its line"
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(":")
    if (colon <= 0) return "a part has a line without a colon among its headers"
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  const disposition = headers.get("content-disposition") ?? ""
  if (!/^form-data\s*(?:;|$)/i.test(disposition)) return "a part has no `content-disposition: form-data`"
  const encoding = headers.get("content-transfer-encoding")
  if (encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(encoding)) {
    return "a part has a `content-transfer-encoding`; expected its bytes as they are"
  }
  const parameters = parametersOf(disposition)
  const name = parameters.get("name")
  if (name === undefined || !isName(name)) return "a part has no name of 1 to 200 printable characters"
  const mediaType = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  return { name, fileName: parameters.get("filename"), mediaType }
}

/** Browsers escape quotes as `%22`, other clients with a backslash. Of a repeated parameter the first one counts. */
const parametersOf = (header: string): ReadonlyMap<string, string> => {
  const parameters = new Map<string, string>()
  for (const [, name = "", quoted, plain = ""] of header.matchAll(parameter)) {
    const key = name.toLowerCase()
    if (!parameters.has(key)) parameters.set(key, quoted?.replaceAll(/\\(["\\])/g, "$1") ?? plain)
  }
  return parameters
}

/** Quoted values are consumed whole, so that text in one is no parameter. */
const parameter = /;[ \t]*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g

const isName = (name: string): boolean => name.length >= 1 && name.length <= 200 && !controls.test(name)

const controls = /\p{Cc}/u

import { Ajv2020 } from "ajv/dist/2020.js"
import type { ValidateFunction } from "ajv/dist/2020.js"
import { sandboxModelAt } from "../families.ts"
import { readDocument, Schemas } from "./document.ts"
import type { Json } from "./document.ts"
import { examples } from "./examples.ts"
import { Generator, Random } from "./generate.ts"
import { places, replaced } from "./mutate.ts"

/** A request and what is wrong with its answer. */
export interface Finding {
  readonly problem: string
  readonly request: string
  readonly answer: string
}

export interface Report {
  readonly findings: ReadonlyArray<Finding>
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>
}

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly value: Json
}

interface Options {
  readonly url: string
  readonly key: string
  readonly count: number
  readonly seed: number
  /** Called now and then with how many are done. */
  readonly progress?: (done: number) => void
}

const parallel = 8

/**
 * Sends requests made from the served document, valid ones and broken ones, and holds every answer against the document:
 * no 5xx, no status that it does not have, no body outside its schema.
 */
export const fuzz = async (options: Options): Promise<Report> => {
  const document = await readDocument()
  const schemas = new Schemas(document)
  const judge = new Judge(document)
  const operations = Object.entries(document["paths"] as Json).flatMap(([path, item]) =>
    // A watcher waits forever.
    path === "/v1/events"
      ? []
      : Object.entries(item as Json).map(([method, value]): Operation => {
          return { id: (value as Json)["operationId"], method: method.toUpperCase(), path, value: value as Json }
        })
  )
  const findings: Array<Finding> = []
  const statuses: Record<string, number> = {}
  /** Ids that answers gave, to be asked for. */
  const known: Array<string> = []
  let begun = 0
  const work = async () => {
    while (begun < options.count && findings.length < 20) {
      const number = begun++
      if (number % 1_000 === 0) options.progress?.(number)
      const maker = new Maker(new Generator(schemas, new Random(options.seed + number)), operations, known)
      const request = maker.request(options.key)
      const told = `seed ${options.seed + number}: ${request.method} ${request.path}\n${request.body?.slice(0, 2_000) ?? ""}`
      const response = await fetch(options.url + request.path, {
        method: request.method,
        headers: request.headers,
        ...(request.body === undefined ? {} : { body: request.body }),
        signal: AbortSignal.timeout(30_000)
      }).catch((error: unknown) => String(error))
      if (typeof response === "string") {
        findings.push({ problem: "no answer", request: told, answer: response })
        continue
      }
      const answer = await response.text().catch((error: unknown) => `broken off: ${String(error)}`)
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      const problem = judge.problem(request.operation, response, answer)
      if (problem !== undefined) findings.push({ problem, request: told, answer: answer.slice(0, 2_000) })
      const id = /"id":"((?:resp|msg|task|cgt|rs|fc)[_-][\w-]+)"/.exec(answer)?.[1]
      if (id !== undefined && known.length < 500) known.push(id)
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return { findings, statuses }
}

interface Made {
  readonly operation: Operation
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

class Maker {
  private readonly generator: Generator
  private readonly operations: ReadonlyArray<Operation>
  private readonly known: ReadonlyArray<string>
  constructor(generator: Generator, operations: ReadonlyArray<Operation>, known: ReadonlyArray<string>) {
    this.generator = generator
    this.operations = operations
    this.known = known
  }

  request(key: string): Made {
    const { random } = this.generator
    const bodied = this.operations.filter(({ value }) => value["requestBody"] !== undefined)
    const operation = random.pick(random.chance(0.7) ? bodied : this.operations)
    return {
      operation,
      method: operation.method,
      path: this.path(operation),
      headers: {
        ...(random.chance(0.98) ? { authorization: `Bearer ${key}` } : { "x-api-key": this.header() }),
        ...(random.chance(0.1) ? { [random.pick(headerNames)]: this.header() } : {}),
        "content-type": random.chance(0.95) ? "application/json" : "text/plain"
      },
      body: operation.value["requestBody"] === undefined ? undefined : this.body(operation)
    }
  }

  private path({ path, value }: Operation): string {
    const { generator } = this
    const query = new URLSearchParams()
    let filled = path
    for (const parameter of value["parameters"] as ReadonlyArray<Json>) {
      if (parameter["in"] === "path") filled = filled.replace(`{${parameter["name"]}}`, this.id())
      else if (generator.random.chance(0.4)) {
        const given = generator.random.chance(0.7) ? generator.value(parameter["schema"]) : generator.word()
        for (const one of [given].flat()) query.append(parameter["name"], String(one))
      }
    }
    if (generator.random.chance(0.1)) query.append("beta", "true")
    const text = query.toString()
    return text === "" ? filled : `${filled}?${text}`
  }

  private id(): string {
    const { random } = this.generator
    if (this.known.length > 0 && random.chance(0.6)) return random.pick(this.known)
    return random.chance(0.5) ? random.pick(nastyIds) : encodeURIComponent(this.generator.word().toWellFormed()) || "x"
  }

  private header(): string {
    return this.generator
      .word()
      .replaceAll(/[^\x20-\x7e]/g, "")
      .slice(0, 200)
  }

  private body({ id, path, value }: Operation): string {
    const { generator } = this
    const { random } = generator
    const schema = value["requestBody"].content["application/json"].schema as Json
    let body: unknown = random.chance(0.5) ? generator.value(schema) : random.pick(examples[id] ?? [{}])
    if (typeof body === "object" && body !== null && random.chance(0.9)) {
      body = { ...body, model: sandboxModelAt.get(path) ?? "sandbox-text" }
    }
    // A clip takes seconds to draw; one request for one in a hundred keeps the renderer busy enough.
    if ((id === "videos.create" || id === "openaiVideos.create") && random.chance(0.99))
      body = { ...(body as object), seed: "none" }
    for (let i = random.below(3); i > 0; i--) body = replaced(body, random.pick(places(body)), generator.odd())
    const text = JSON.stringify(body) ?? ""
    return random.chance(0.03) ? this.garbled(text) : text
  }

  private garbled(text: string): string {
    const { random } = this.generator
    const at = random.below(text.length + 1)
    return (
      text.slice(0, at) +
      random.pick(["", "\u0000", "}", '"', "\\u12", "[[[[", "//", "NaN", "\ufeff"]) +
      text.slice(at + random.below(3))
    )
  }
}

const headerNames = [
  "anthropic-version",
  "anthropic-beta",
  "openai-beta",
  "idempotency-key",
  "x-request-id",
  "range",
  "accept"
]
const nastyIds = [
  "%00",
  "..%2f..",
  "%ff",
  "%",
  "a%20b",
  "%E2%82",
  "~",
  "a".repeat(3_000),
  "null",
  "task_",
  "task_12345678",
  "resp_1"
]

/** Holds answers against the document. */
class Judge {
  private readonly ajv = new Ajv2020({ strict: false, formats: { uri: true } })
  private readonly known = new Map<string, ValidateFunction>()

  constructor(document: Json) {
    this.ajv.addSchema(document, "openapi")
  }

  problem({ method, path, value }: Operation, response: Response, text: string): string | undefined {
    const { status } = response
    const documented = (value["responses"] as Json)[String(status)] as Json | undefined
    if (status >= 500) return `answered ${status}`
    if (documented === undefined) return `${status} is not documented`
    if (response.headers.get("x-request-id") === null) return "has no request id"
    const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? ""
    if (documented["content"] === undefined) return text === "" ? undefined : "has a body that is not documented"
    const content = ranges(type)
      .map((range): Json | undefined => documented["content"][range])
      .find(Boolean)
    if (content === undefined) return `${type} is not documented`
    if (type === "text/event-stream")
      return path === "/v1/chat/completions" ? chunksProblem(text) : streamProblem(text, content["schema"])
    if (type !== "application/json") return undefined
    const at = ["paths", path, method.toLowerCase(), "responses", String(status), "content", type, "schema"]
    const validate = this.validator(`openapi#/${at.map(pointer).join("/")}`)
    try {
      return validate(JSON.parse(text)) ? undefined : this.ajv.errorsText(validate.errors)
    } catch {
      return "is not JSON"
    }
  }

  private validator(ref: string): ValidateFunction {
    const before = this.known.get(ref)
    if (before !== undefined) return before
    const validate = this.ajv.compile({ $ref: ref })
    this.known.set(ref, validate)
    return validate
  }
}

/** What the document may say for a media type, the narrowest first. */
const ranges = (type: string) => [type, type.replace(/\/.*/, "/*"), "*/*"]

const pointer = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))

/** Chunks have no names; a stream of them ends with `[DONE]`, one that failed with its error. */
const chunksProblem = (text: string): string | undefined => {
  const frames = text.split("\n\n").filter((frame) => frame !== "" && !frame.startsWith(":"))
  const malformed = frames.find((frame) => !/^data: (?:\{.*\}|\[DONE\])$/.test(frame))
  if (malformed !== undefined) return `has a malformed frame: ${malformed.slice(0, 200)}`
  const last = frames.at(-1) ?? ""
  const chunks = (last === "data: [DONE]" ? frames.slice(0, -1) : frames).map((frame): Json =>
    JSON.parse(frame.slice(6))
  )
  const failed = chunks.at(-1)?.["error"] !== undefined
  if (failed === (last === "data: [DONE]")) return `ends with ${last.slice(0, 200)}`
  const other = (failed ? chunks.slice(0, -1) : chunks).find((chunk) => chunk["object"] !== "chat.completion.chunk")
  return other === undefined ? undefined : `has a frame of another kind: ${JSON.stringify(other).slice(0, 200)}`
}

const lastEvents = [
  "message_stop",
  "response.completed",
  "response.incomplete",
  "response.failed",
  "image_generation.completed",
  "image_edit.completed",
  "speech.audio.done",
  "error"
]

/** Events have the names that the document says; of those without names a failure alone has one. */
const streamProblem = (text: string, { required }: Json): string | undefined => {
  const events = text.split("\n\n").filter((frame) => frame !== "" && !frame.startsWith(":"))
  const isNamed = required.includes("event")
  let last = ""
  for (const frame of events) {
    const [, name, data] = /^(?:event: (\S+)\n)?data: (.*)$/.exec(frame) ?? []
    if (data === undefined || (isNamed && name === undefined)) return `has a malformed frame: ${frame.slice(0, 200)}`
    last = (JSON.parse(data) as Json)["type"]
    const expected = isNamed || last === "error" ? last : undefined
    if (name !== expected) return `has a frame of another type: ${frame.slice(0, 200)}`
  }
  // A replay may begin after its end.
  return events.length === 0 || lastEvents.includes(last) ? undefined : `ends with ${last}`
}

import type { RequestRecord } from "../contract/RequestRecord.ts"
import { showUsd } from "../contract/showUsd.ts"
import { JsonBytes } from "./JsonBytes.ts"

const utf8 = new TextEncoder()

/** Names of fields, and what stands between them, as bytes. */
const part = {
  requestId: utf8.encode(`","request_id":"`),
  status: utf8.encode(`","status":`),
  error: utf8.encode(`,"error":"`),
  reason: utf8.encode(`,"reason":"`),
  model: utf8.encode(`,"model":"`),
  upstreamModel: utf8.encode(`,"upstream_model":"`),
  upstream: utf8.encode(`,"upstream":"`),
  attempt: utf8.encode(`,"attempt":`),
  streamed: utf8.encode(`,"stream":true,"first_byte_ms":`),
  whole: utf8.encode(`,"stream":false,"first_byte_ms":`),
  duration: utf8.encode(`,"duration_ms":`),
  input: utf8.encode(`,"input_tokens":`),
  output: utf8.encode(`,"output_tokens":`),
  cacheRead: utf8.encode(`,"cache_read_tokens":`),
  cacheWrite: utf8.encode(`,"cache_write_tokens":`),
  reasoning: utf8.encode(`,"reasoning_tokens":`),
  searches: utf8.encode(`,"searches":`),
  cost: utf8.encode(`,"cost_usd":`),
  adapted: utf8.encode(`,"adapted":"`),
  tags: utf8.encode(`,"tags":`),
  endUser: utf8.encode(`,"end_user":"`),
  client: utf8.encode(`,"client":"`),
  repetition: utf8.encode(`,"idempotency":"`),
  clientRequestId: utf8.encode(`,"client_request_id":"`),
  traceparent: utf8.encode(`,"traceparent":"`),
  quote: utf8.encode(`"`),
  end: utf8.encode("}\n")
} as const

interface Opening {
  readonly atMs: number
  readonly status: number
  readonly method: string
  readonly level: string
  readonly bytes: Uint8Array
}

/** The level of a request's line. A client that leaves is no trouble of the gateway's. */
export const levelOf = ({ error, status }: Pick<RequestRecord, "error" | "status">): "error" | "warn" | "info" => {
  if (error === "hang_up") return "info"
  return status >= 500 ? "error" : status >= 400 || error !== undefined ? "warn" : "info"
}

/** Lines of requests as JSON. What is not known of one is left out. */
export class RequestLines {
  readonly #bytes: JsonBytes
  /** Many lines of a millisecond begin alike. */
  #opening: Opening | undefined
  /** So do the same caller's go on. */
  #caller: { readonly account: string; readonly key: string; readonly bytes: Uint8Array } | undefined
  /** By the contract's endpoint, by the method that came to it. */
  readonly #endpoints = new Map<string, Map<string, Uint8Array>>()

  /** @param room for lines that wait, in bytes; more is made where it is needed */
  constructor(room: number) {
    this.#bytes = new JsonBytes(room)
  }

  /** Of the lines that wait, in bytes. */
  get length(): number {
    return this.#bytes.length
  }

  /** All lines that wait. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#bytes.take()
  }

  add(record: RequestRecord): void {
    const { path, used } = record
    const bytes = this.#bytes
    bytes.put(this.#openingOf(record))
    const start = bytes.length
    bytes.putInside(path)
    const end = bytes.length
    bytes.put(part.requestId)
    bytes.putInside(record.requestId)
    bytes.put(record.account === undefined ? part.quote : this.#callerOf(record.account, record.key ?? ""))
    bytes.put(this.#endpointOf(record))
    bytes.putAgain(start, end)
    bytes.put(part.status)
    bytes.putNumber(record.status)
    this.#put(part.error, record.error)
    this.#put(part.reason, record.reason)
    this.#put(part.model, record.model)
    this.#put(part.upstreamModel, record.upstreamModel)
    this.#put(part.upstream, record.upstream)
    this.#putCount(part.attempt, record.attempts.length)
    bytes.put(record.stream ? part.streamed : part.whole)
    bytes.putThousandths(record.firstByteMs)
    bytes.put(part.duration)
    bytes.putThousandths(record.durationMs)
    if (used !== undefined) {
      bytes.put(part.input)
      bytes.putNumber(used.inputTokens)
      bytes.put(part.output)
      bytes.putNumber(used.outputTokens)
      this.#putCount(part.cacheRead, used.cacheReadTokens)
      this.#putCount(part.cacheWrite, used.cacheWriteTokens)
      this.#putCount(part.reasoning, used.reasoningTokens)
      this.#putCount(part.searches, used.searches)
    }
    if (record.costNanoUsd !== undefined) {
      bytes.put(part.cost)
      bytes.putInside(showUsd(record.costNanoUsd))
    }
    this.#put(part.adapted, record.adapted)
    if (record.tags.length > 0) {
      bytes.put(part.tags)
      bytes.put(utf8.encode(JSON.stringify(record.tags)))
    }
    this.#put(part.endUser, record.endUser)
    this.#put(part.client, record.client)
    this.#put(part.repetition, record.repetition)
    this.#put(part.clientRequestId, record.clientRequestId)
    this.#put(part.traceparent, record.traceparent)
    bytes.put(part.end)
  }

  #put(name: Uint8Array, value: string | undefined): void {
    if (value === undefined) return
    this.#bytes.put(name)
    this.#bytes.putInside(value)
    this.#bytes.put(part.quote)
  }

  #putCount(name: Uint8Array, count: number): void {
    if (!(count > 0)) return
    this.#bytes.put(name)
    this.#bytes.putNumber(count)
  }

  /** Up to the path in its message. */
  #openingOf(record: RequestRecord): Uint8Array {
    const { atMs, method, status } = record
    const level = levelOf(record)
    const last = this.#opening
    if (last?.atMs === atMs && last.status === status && last.method === method && last.level === level) {
      return last.bytes
    }
    const time = new Date(atMs).toISOString()
    const bytes = utf8.encode(`{"time":"${time}","level":"${level}","event":"request","message":"${status} ${method} `)
    this.#opening = { atMs, status, method, level, bytes }
    return bytes
  }

  #callerOf(account: string, key: string): Uint8Array {
    const last = this.#caller
    if (last?.account === account && last.key === key) return last.bytes
    const bytes = utf8.encode(`","account":${JSON.stringify(account)},"key":${JSON.stringify(key)}`)
    this.#caller = { account, key, bytes }
    return bytes
  }

  /** Up to the path. */
  #endpointOf({ endpoint, family, method }: RequestRecord): Uint8Array {
    let methods = this.#endpoints.get(endpoint)
    if (methods === undefined) this.#endpoints.set(endpoint, (methods = new Map()))
    let bytes = methods.get(method)
    if (bytes === undefined) {
      bytes = utf8.encode(`,"family":"${family}","endpoint":"${endpoint}","method":"${method}","path":"`)
      methods.set(method, bytes)
    }
    return bytes
  }
}

import { Conflict, InvalidRequest } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import { isLarge, parse } from "./body.ts"
import { EventData } from "./EventData.ts"
import type { Framed } from "./Framed.ts"

export interface SocketOptions {
  /** The `type` of request messages. */
  readonly event: string
  /** The URL and headers for each message's request. */
  readonly url: string
  readonly headers: Headers
  /** Handles a POST request with the message's body. */
  readonly ask: (request: Request, framed: Framed) => Response | Promise<Response>
  /** Renders a failure as an event. */
  readonly rendered: (failure: Failure) => unknown
  readonly isDraining: () => boolean
  /** Called once, when the socket has closed. */
  readonly left: (socket: Socket) => void
  readonly bounds: SocketBounds
}

export interface SocketBounds {
  /** Longest life of a socket, in ms. */
  readonly longestMs: number
  /** Unread bytes at which the gateway pauses the stream. */
  readonly mostBuffered: number
  /** Ms after which a client that reads nothing is disconnected. */
  readonly readerDeadlineMs: number
}

export const usualBounds: SocketBounds = {
  longestMs: 60 * 60_000,
  mostBuffered: 1024 * 1024,
  readerDeadlineMs: 120_000
}

/** Close code "going away" (RFC 6455, section 7.4.1). */
const goingAway = 1001

/**
 * One client's WebSocket. Each message is a request to the endpoint, one at a time, and the events of its stream are sent
 * as messages. Key, limits, bounds and logging apply to a message as to an HTTP request.
 */
export class Socket {
  readonly #options: SocketOptions
  #ws: Bun.ServerWebSocket<Socket> | undefined
  #asking: AbortController | undefined
  #emptied: (() => void) | undefined
  #limit: ReturnType<typeof setTimeout> | undefined

  constructor(options: SocketOptions) {
    this.#options = options
  }

  opened(ws: Bun.ServerWebSocket<Socket>): void {
    this.#ws = ws
    this.#limit = setTimeout(() => {
      this.#fail(tooLong)
      ws.close(1000, "60 minutes are over")
    }, this.#options.bounds.longestMs)
    this.#limit.unref()
    // Draining may have begun between the upgrade and the open event.
    if (this.#options.isDraining()) this.leave()
  }

  async message(message: string | Uint8Array): Promise<void> {
    if (this.#asking !== undefined) return this.#fail(busy)
    const asking = (this.#asking = new AbortController())
    try {
      await this.#answer(message, asking.signal)
    } catch {
      // The client left, or the stream failed; the failure is already logged.
      if (!asking.signal.aborted) this.#ws?.close(1011, "internal error")
    } finally {
      this.#asking = undefined
      if (this.#options.isDraining()) this.leave()
    }
  }

  /** The send buffer has drained. */
  drained(): void {
    this.#emptied?.()
  }

  closed(): void {
    clearTimeout(this.#limit)
    this.#ws = undefined
    this.#asking?.abort()
    this.#emptied?.()
    this.#options.left(this)
  }

  /** Closes the socket for shutdown, unless a request runs; that request's end closes it. */
  leave(): void {
    if (this.#asking === undefined) this.#ws?.close(goingAway, "the gateway is shutting down")
  }

  async #answer(message: string | Uint8Array, signal: AbortSignal): Promise<void> {
    const { ask, event, headers, url } = this.#options
    if (typeof message !== "string") return this.#fail(invalid(null, "A message must be text; got bytes"))
    const large = isLarge(message)
    if (large) await nextTurn()
    const parsed = parse(message)
    if (parsed instanceof InvalidRequest) return this.#fail(parsed)
    if (large) await nextTurn()
    const { body: whole, bodyText, namesFiles } = parsed
    if (whole["type"] !== event) return this.#fail(invalid("type", `type: expected ${event}`))
    const { stream_id: streamId, type: _, ...body } = whole
    const request = new Request(url, { method: "POST", headers, signal })
    const framed = { body: { ...body, stream: true }, bodyText, namesFiles, isLarge: large, connection: this }
    const response = await ask(request, framed)
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
    if (!isStream || response.body === null) return this.#send(withStreamId(await response.text(), streamId))
    await this.#relay(response.body, signal, streamId)
  }

  async #relay(stream: ReadableStream<Uint8Array>, signal: AbortSignal, streamId: unknown): Promise<void> {
    const events = new EventData()
    const reader = stream.getReader()
    signal.addEventListener("abort", () => void reader.cancel().catch(() => {}))
    for (;;) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) return
      for (const event of events.push(value)) this.#send(withStreamId(event, streamId))
      await this.#room()
    }
  }

  /** Waits for a slow client to read its backlog. */
  async #room(): Promise<void> {
    while (this.#isFull()) {
      const cut = setTimeout(() => this.#ws?.terminate(), this.#options.bounds.readerDeadlineMs)
      await new Promise<void>((resolve) => {
        this.#emptied = resolve
      })
      clearTimeout(cut)
    }
  }

  #isFull(): boolean {
    return (this.#ws?.getBufferedAmount() ?? 0) > this.#options.bounds.mostBuffered
  }

  /** Sends a failure; disconnects a client that keeps sending bad messages without reading the failures. */
  #fail(failure: Failure): void {
    if (this.#isFull()) this.#ws?.terminate()
    else this.#send(JSON.stringify(this.#options.rendered(failure)))
  }

  #send(text: string): void {
    this.#ws?.send(text)
  }
}

/** Adds the request's `stream_id` to an event of its answer. */
const withStreamId = (event: string, streamId: unknown): string =>
  typeof streamId === "string" && streamId.length <= longestStreamId && event.endsWith("}")
    ? `${event.slice(0, -1)},"stream_id":${JSON.stringify(streamId)}}`
    : event

const longestStreamId = 256

const invalid = (param: string | null, message: string) => new InvalidRequest({ param, message })

const busy = new Conflict({
  message: "A response is being made on this connection; ask for the next one once it has ended",
  code: null
})

const tooLong = new InvalidRequest({
  param: null,
  message: "This connection has been open for 60 minutes; open another one",
  details: { error_code: "websocket_connection_limit_reached" }
})

import { Conflict, InvalidRequest } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import { isLarge, parse } from "./body.ts"
import { EventData } from "./EventData.ts"
import type { Framed } from "./Framed.ts"

/** What a socket is made of. */
export interface SocketOptions {
  /** The `type` of the messages that ask. */
  readonly event: string
  /** The request with which it was opened. */
  readonly url: string
  readonly headers: Headers
  /** Asks as a POST with these headers and the message's body would. */
  readonly ask: (request: Request, framed: Framed) => Response | Promise<Response>
  /** A failure as an event. */
  readonly rendered: (failure: Failure) => unknown
  readonly isDraining: () => boolean
  /** Told once it is over. */
  readonly left: (socket: Socket) => void
  readonly bounds: SocketBounds
}

export interface SocketBounds {
  /** How long a socket may be open, in ms. */
  readonly longestMs: number
  /** Bytes that wait for a slow reader before no more are made. */
  readonly mostBuffered: number
  /** A reader that takes nothing for this long is cut, in ms. */
  readonly readerDeadlineMs: number
}

export const usualBounds: SocketBounds = {
  longestMs: 60 * 60_000,
  mostBuffered: 1024 * 1024,
  readerDeadlineMs: 120_000
}

/** Going away, as the protocol says it. */
const goingAway = 1001

/**
 * One client's socket: each message asks the endpoint as a request would, one after the other, and the events of its
 * stream are messages. Whatever a request has (key, limits, bounds, its row in the log) a message has too.
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
    // It was let in just before.
    if (this.#options.isDraining()) this.leave()
  }

  async message(message: string | Uint8Array): Promise<void> {
    if (this.#asking !== undefined) return this.#fail(busy)
    const asking = (this.#asking = new AbortController())
    try {
      await this.#answer(message, asking.signal)
    } catch {
      // Nobody is there any more, or the stream broke: what it was is in the log.
      if (!asking.signal.aborted) this.#ws?.close(1011, "internal error")
    } finally {
      this.#asking = undefined
      if (this.#options.isDraining()) this.leave()
    }
  }

  /** There is room again for what waits to be read. */
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

  /** The gateway stops: what is asked has its time, and then it is closed; so is one that asks nothing, at once. */
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
    const { body: whole, bodyText } = parsed
    if (whole["type"] !== event) return this.#fail(invalid("type", `type: expected ${event}`))
    const { stream_id: lane, type: _, ...body } = whole
    const request = new Request(url, { method: "POST", headers, signal })
    const framed = { body: { ...body, stream: true }, bodyText, isLarge: large, connection: this }
    const response = await ask(request, framed)
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
    if (!isStream || response.body === null) return this.#send(inLane(await response.text(), lane))
    await this.#relay(response.body, signal, lane)
  }

  async #relay(stream: ReadableStream<Uint8Array>, signal: AbortSignal, lane: unknown): Promise<void> {
    const events = new EventData()
    const reader = stream.getReader()
    signal.addEventListener("abort", () => void reader.cancel().catch(() => {}))
    for (;;) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) return
      for (const event of events.push(value)) this.#send(inLane(event, lane))
      await this.#room()
    }
  }

  /** Waits until a slow reader has taken most of what it was sent. */
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

  /** Whoever goes on asking what is refused, and reads none of that, is not waited for. */
  #fail(failure: Failure): void {
    if (this.#isFull()) this.#ws?.terminate()
    else this.#send(JSON.stringify(this.#options.rendered(failure)))
  }

  #send(text: string): void {
    this.#ws?.send(text)
  }
}

/** The lane that a client asked in stands on each event of the answer. */
const inLane = (event: string, lane: unknown): string =>
  typeof lane === "string" && lane.length <= longestLane && event.endsWith("}")
    ? `${event.slice(0, -1)},"stream_id":${JSON.stringify(lane)}}`
    : event

const longestLane = 256

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

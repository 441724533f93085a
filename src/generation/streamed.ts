import { Effect } from "effect"
import * as Eager from "../contract/eager.ts"
import { Internal, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Pending } from "../contract/Pending.ts"
import { hearShutdown, leaveShutdown } from "../contract/shutdown.ts"
import type { ShutdownListener } from "../contract/shutdown.ts"
import { storing, upstreamEnded } from "./ending.ts"
import type { Ending } from "./ending.ts"
import { lateness, leave, watch } from "./watch.ts"
import type { Watched } from "./watch.ts"
import type { Batch, Generation, How } from "./Generation.ts"
import type { Frame, Machine, NativeFrame } from "./Machine.ts"

export interface Streaming<S, F extends Frame> extends Ending<S> {
  readonly generation: Generation
  readonly machine: Machine<S, F>
  /** What is sent after ten seconds of silence (a comment, a `ping` event). */
  readonly heartbeat: string
  readonly request: Incoming
}

/** The longest wait for a first event before the 200 leaves, in ms. */
export const patience = 10_000
/** The longest silence on an open stream, in ms. */
export const heartbeatEvery = 10_000
/** An upstream that says nothing for this long has failed, in ms. */
const idleDeadline = 300_000
/** A reader that takes nothing for this long is cut, in ms. */
const readerDeadline = 120_000

/**
 * Answers with a server-sent event stream. The 200 is held until the first event or ten seconds, whichever comes first:
 * a failure before that is this effect's failure, a later one is told in-band by the machine. It begins when it is
 * called: run what this gives.
 */
export const streamed = <S, F extends Frame>(options: Streaming<S, F>): Effect.Effect<Response, Failure> => {
  const next = options.generation.next()
  return next instanceof Promise ? new Opening(options, next) : opened(options, next)
}

/** The stream that begins with these events, or their failure. */
const opened = <S, F extends Frame>(
  options: Streaming<S, F>,
  given: Batch | undefined
): Effect.Effect<Response, Failure> => {
  const batch = given ?? [upstreamEnded]
  const failure = failedAtOnce(batch)
  if (failure === undefined) return Effect.succeed(eventStream(new Body(options, batch, undefined), options.request))
  abandon(options, "failed")
  return Effect.fail(failure)
}

const abandon = <S, F extends Frame>({ ended, generation, machine }: Streaming<S, F>, how: How): void => {
  generation.cancel(how)
  ended?.(machine.initial, how)
}

/** A stream whose first event is not there yet. */
class Opening<S, F extends Frame> extends Pending<Response, Failure> implements Watched {
  readonly #options: Streaming<S, F>
  readonly #first: Promise<Batch | undefined>
  #isOpen = true

  constructor(options: Streaming<S, F>, first: Promise<Batch | undefined>) {
    super()
    this.#options = options
    this.#first = first
    watch(this, patience - lateness)
    void first.then((batch) => this.#release(() => opened(options, batch)))
  }

  look(): number {
    const begun: Batch = [{ type: "started", usage: undefined }]
    this.#release(() => Effect.succeed(eventStream(new Body(this.#options, begun, this.#first), this.#options.request)))
    return Infinity
  }

  #release(answer: () => Effect.Effect<Response, Failure>): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    leave(this)
    this.end(Eager.suspend(answer))
  }

  protected override abandon(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    leave(this)
    abandon(this.#options, "hang-up")
  }
}

/** The answer that a source of server-sent events makes. Nothing is asked of the source that the reader does not take. */
export const eventStream = (source: Bun.UnderlyingSource<Uint8Array>, { replyHeaders }: Incoming): Response =>
  new Response(new ReadableStream<Uint8Array>(source, { highWaterMark: 0 }), {
    headers: { ...replyHeaders, ...headers }
  })

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no"
}

/** The failure of a generation that did nothing else yet, so that it can still be an HTTP error. */
const failedAtOnce = (batch: Batch): Failure | undefined => {
  for (const event of batch) {
    if (event.type === "failed") return event.failure
    if (event.type !== "started" && event.type !== "usage") return undefined
  }
  return undefined
}

const utf8 = new TextEncoder()

type Controller = ReadableStreamDefaultController<Uint8Array>

/** How often a stream is looked at, in ms. */
const lookEvery = 1_000

/** The body of a streamed answer: an object and no closures, since thousands of them are open at a time. */
class Body<S, F extends Frame> implements Bun.UnderlyingSource<Uint8Array>, ShutdownListener, Watched {
  readonly #options: Streaming<S, F>
  #state: S
  #first: Batch | undefined
  /** The call of `next` that was under way before, where one is. */
  #following: Promise<Batch | undefined> | undefined
  #controller: Controller | undefined
  #over = false
  #lastSent = performance.now()
  #lastHeard = this.#lastSent
  /** Since when the reader has left a frame untaken; undefined while it waits for us. */
  #untakenSince: number | undefined

  constructor(options: Streaming<S, F>, first: Batch, following: Promise<Batch | undefined> | undefined) {
    this.#options = options
    this.#state = options.machine.initial
    this.#first = first
    this.#following = following
  }

  start(controller: Controller): void {
    this.#controller = controller
    hearShutdown(this.#options.request.shutdown, this)
    watch(this, lookEvery)
  }

  async pull(controller: Controller): Promise<void> {
    const { generation, machine } = this.#options
    this.#untakenSince = undefined
    while (!this.#over) {
      const next = this.#given() ?? generation.next()
      const batch = (next instanceof Promise ? await next : next) ?? [upstreamEnded]
      if (this.#over) return
      this.#lastHeard = performance.now()
      let ending: How | undefined
      let text = ""
      let sent = false
      for (const event of batch) {
        let [state, frames] = machine.step(this.#state, event)
        ending = event.type === "finished" || event.type === "failed" ? event.type : undefined
        const stored = event.type === "finished" ? storing(this.#options, state) : undefined
        if (stored !== undefined) {
          const isStored = await stored.then(yes, no)
          if (this.#over) return
          if (!isStored) {
            ;[state, frames] = machine.step(this.#state, { type: "failed", failure: new Internal({}) })
            ending = "failed"
          }
        }
        this.#state = state
        for (const frame of frames) {
          if (isNative(frame) && typeof frame.written !== "string") {
            if (text !== "") controller.enqueue(utf8.encode(text))
            text = ""
            controller.enqueue(frame.written)
            sent = true
          } else text += rendered(frame)
        }
        if (ending !== undefined) break
      }
      if (text !== "") {
        controller.enqueue(utf8.encode(text))
        sent = true
      }
      if (ending !== undefined) {
        this.#end(ending)
        controller.close()
        return
      }
      if (sent) {
        this.#lastSent = this.#lastHeard
        this.#untakenSince = this.#lastHeard
        return
      }
    }
  }

  cancel(): void {
    this.#end("hang-up")
  }

  /** The gateway stops. */
  handleEvent(): void {
    this.#failWith(new UpstreamFailed({ message: "The gateway is shutting down" }))
  }

  look(now: number): number {
    const waiting = this.#untakenSince === undefined
    if (this.#untakenSince !== undefined && now - this.#untakenSince > readerDeadline) {
      this.#end("hang-up")
      this.#controller?.error(new Error("the reader stopped reading"))
    } else if (waiting && now - this.#lastHeard > idleDeadline) {
      this.#failWith(new UpstreamFailed({ message: "The model's upstream went silent" }))
    } else if (waiting && now - this.#lastSent >= heartbeatEvery - lateness) {
      this.#lastSent = now
      this.#controller?.enqueue(utf8.encode(this.#options.heartbeat))
    }
    return now + lookEvery
  }

  /** What was asked for before the stream was. */
  #given(): Batch | Promise<Batch | undefined> | undefined {
    const given = this.#first ?? this.#following
    if (this.#first === undefined) this.#following = undefined
    this.#first = undefined
    return given
  }

  #failWith(failure: Failure): void {
    if (this.#over) return
    const [state, frames] = this.#options.machine.step(this.#state, { type: "failed", failure })
    this.#state = state
    this.#controller?.enqueue(utf8.encode(render(frames)))
    this.#end("failed")
    this.#controller?.close()
  }

  #end(how: How): void {
    if (this.#over) return
    this.#over = true
    leave(this)
    const { ended, generation, request } = this.#options
    leaveShutdown(request.shutdown, this)
    request.once?.ended(how)
    generation.cancel(how)
    ended?.(this.#state, how)
  }
}

const yes = () => true
const no = () => false

/** Frames as the text of server-sent events; those in bytes already are none that a failure is told with. */
export const render = (frames: ReadonlyArray<Frame>): string => {
  let text = ""
  for (const frame of frames) text += rendered(frame)
  return text
}

const rendered = (frame: Frame): string => {
  if (!isNative(frame)) return `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`
  return typeof frame.written === "string" ? frame.written : utf8Decoder.decode(frame.written)
}

const utf8Decoder = new TextDecoder()

const isNative = (frame: Frame): frame is NativeFrame => frame.type === "native"

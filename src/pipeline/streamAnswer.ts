import { Internal, UpstreamFailed } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Future } from "../flow/Future.ts"
import type { Settled } from "../flow/Future.ts"
import { onShutdown, offShutdown } from "../flow/shutdown.ts"
import type { ShutdownListener } from "../flow/shutdown.ts"
import { PendingFuture } from "../flow/PendingFuture.ts"
import { finish, storeEnd, upstreamEnded } from "./ending.ts"
import type { Running } from "./ending.ts"
import { clearDeadline, lateness, setDeadline } from "../flow/deadlines.ts"
import type { HasDeadline } from "../flow/deadlines.ts"
import type { Batch, GenerationEnding } from "../generation/Generation.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import type { Frame, Machine, PassthroughFrame } from "../generation/Machine.ts"
import { byteStream, eventStream, isOfBytes } from "./streamResponse.ts"

export interface Streaming<S, F extends Frame> extends Running<S> {
  readonly machine: Machine<S, F>
  /** Sent after ten seconds of silence (a comment, a `ping` event). */
  readonly heartbeat: string
  readonly request: Incoming
}

/** The longest silence on an open stream, in ms. */
export const heartbeatEvery = 10_000
/** An upstream that is silent for this long has failed, in ms. */
const idleDeadline = 300_000
/** A reader that takes nothing for this long is disconnected, in ms. */
const readerDeadline = 120_000

/**
 * Answers with a server-sent event stream once its first event has arrived (`holdResponse` bounds that wait). A failure
 * before it fails this work; the machine sends a later one in-band.
 */
export const streamAnswer = <S, F extends Frame>(options: Streaming<S, F>): Future<Response, Failure> => {
  const next = options.generation.next()
  return next instanceof Promise ? new Opening(options, next) : opened(options, next)
}

/** The stream that begins with these events, or the failure among them. */
const opened = <S, F extends Frame>(options: Streaming<S, F>, given: Batch | undefined): Settled<Response, Failure> => {
  const batch = given ?? [upstreamEnded]
  const failure = failedAtOnce(batch)
  if (failure === undefined) {
    options.request.record?.streams()
    const { request } = options
    const respond = isOfBytes(request) ? byteStream : eventStream
    return Future.succeed(respond(new Body(options, batch), request))
  }
  finish(options, options.machine.initial, "failed")
  return Future.fail(failure)
}

/** A stream that waits for its first event. */
class Opening<S, F extends Frame> extends PendingFuture<Response, Failure> {
  readonly #options: Streaming<S, F>

  constructor(options: Streaming<S, F>, first: Promise<Batch | undefined>) {
    super()
    this.#options = options
    void first.then((batch) => this.#open(batch))
  }

  #open(batch: Batch | undefined): void {
    if (this.settled === undefined) Future.attempt(() => opened(this.#options, batch)).onDone((end) => this.end(end))
  }

  protected override abandon(): void {
    finish(this.#options, this.#options.machine.initial, "hang-up")
  }
}

/** The failure of a generation without any other event, which can still become an HTTP error. */
const failedAtOnce = (batch: Batch): Failure | undefined => {
  for (const event of batch) {
    if (event.type === "failed") return event.failure
    if (event.type !== "started" && event.type !== "usage") return undefined
  }
  return undefined
}

const utf8 = new TextEncoder()

type Controller = ReadableStreamDefaultController<Uint8Array>

/** How often a stream's deadlines are checked, in ms. */
const lookEvery = 1_000

/** The body of a streamed answer: an object instead of closures, because thousands are open at a time. */
class Body<S, F extends Frame> implements Bun.UnderlyingSource<Uint8Array>, ShutdownListener, HasDeadline {
  deadlinePlace = -1
  shutdownPlace = -1
  readonly #options: Streaming<S, F>
  readonly #isBytes: boolean
  #state: S
  #first: Batch | undefined
  #controller: Controller | undefined
  #over = false
  #lastSent = performance.now()
  #lastHeard = this.#lastSent
  /** Written but not sent: chunks of bytes, then text. */
  #pieces: Array<Uint8Array> | undefined
  #text = ""
  /** Since when the reader has left a frame unread; undefined while it waits for us. */
  #untakenSince: number | undefined

  constructor(options: Streaming<S, F>, first: Batch) {
    this.#options = options
    this.#isBytes = isOfBytes(options.request)
    this.#state = options.machine.initial
    this.#first = first
  }

  start(controller: Controller): void {
    this.#controller = controller
    onShutdown(this.#options.request.shutdown, this)
    setDeadline(this, lookEvery)
    this.#tellAtOnce(controller)
  }

  /**
   * Sends the frames that exist already in the same write as the head. Bun would send a later chunk that exceeds its
   * buffer in a dozen writes. The end waits for the reader.
   */
  #tellAtOnce(controller: Controller): void {
    const batch = this.#first ?? []
    const end = batch.findIndex(isEnd)
    this.#first = end === -1 ? undefined : batch.slice(end)
    for (const event of end === -1 ? batch : batch.slice(0, end)) {
      const [state, frames] = this.#options.machine.step(this.#state, event)
      this.#state = state
      this.#write(frames)
    }
    this.#send(controller)
  }

  #write(frames: ReadonlyArray<Frame>): void {
    for (const frame of frames) {
      if (isPassthrough(frame) && typeof frame.written !== "string") {
        this.#endText()
        this.#hold(frame.written)
      } else this.#text += rendered(frame)
    }
  }

  #endText(): void {
    if (this.#text === "") return
    this.#hold(utf8.encode(this.#text))
    this.#text = ""
  }

  #hold(piece: Uint8Array): void {
    if (this.#pieces === undefined) this.#pieces = [piece]
    else this.#pieces.push(piece)
  }

  /** One chunk, and so one system call. */
  #send(controller: Controller): void {
    this.#endText()
    const pieces = this.#pieces
    if (pieces === undefined) return
    this.#pieces = undefined
    controller.enqueue(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))
    this.#untakenSince = this.#lastSent = this.#lastHeard
  }

  async pull(controller: Controller): Promise<void> {
    const { generation, machine } = this.#options
    this.#untakenSince = undefined
    while (!this.#over) {
      const next = this.#first ?? generation.next()
      this.#first = undefined
      const batch = (next instanceof Promise ? await next : next) ?? [upstreamEnded]
      if (this.#over) return
      this.#lastHeard = performance.now()
      let ending: GenerationEnding | undefined
      for (const event of batch) {
        let [state, frames] = machine.step(this.#state, event)
        ending = event.type === "finished" || event.type === "failed" ? event.type : undefined
        const stored = event.type === "finished" ? storeEnd(this.#options, state) : undefined
        const noted = event.type === "failed" ? this.#options.keepFailed?.(state) : undefined
        // Content does not wait for the disk.
        if (noted !== undefined || stored !== undefined) this.#send(controller)
        if (noted !== undefined) {
          await noted.catch(no)
          if (this.#over) return
        }
        if (stored !== undefined) {
          const isStored = await stored.then(yes, no)
          if (this.#over) return
          if (!isStored) {
            ;[state, frames] = machine.step(this.#state, { type: "failed", failure: new Internal({}) })
            ending = "failed"
          }
        }
        this.#state = state
        if (ending !== "failed" || !this.#isBytes) this.#write(frames)
        if (ending !== undefined) break
      }
      this.#send(controller)
      if (ending !== undefined) {
        void this.#end(ending)
        if (ending === "failed" && this.#isBytes) controller.error(new Error("the answer broke off"))
        else controller.close()
        return
      }
      if (this.#untakenSince !== undefined) return
    }
  }

  cancel(): Promise<void> | undefined {
    return this.#end("hang-up")
  }

  /** Shutdown. */
  handleEvent(): void {
    this.#failWith(new UpstreamFailed({ message: "The gateway is shutting down" }))
  }

  look(now: number): number {
    const waiting = this.#untakenSince === undefined
    if (this.#untakenSince !== undefined && now - this.#untakenSince > readerDeadline) {
      void this.#end("hang-up")
      this.#controller?.error(new Error("the reader stopped reading"))
    } else if (waiting && now - this.#lastHeard > idleDeadline) {
      this.#failWith(new UpstreamFailed({ message: "The model's upstream went silent" }))
    } else if (waiting && !this.#isBytes && now - this.#lastSent >= heartbeatEvery - lateness) {
      this.#lastSent = now
      this.#controller?.enqueue(utf8.encode(this.#options.heartbeat))
    }
    return now + lookEvery
  }

  #failWith(failure: Failure): void {
    if (this.#over) return
    const { machine, request } = this.#options
    const [state, frames] = machine.step(this.#state, { type: "failed", failure })
    this.#state = state
    request.record?.failed(failure)
    if (!this.#isBytes) this.#controller?.enqueue(utf8.encode(render(frames)))
    void this.#end("failed")
    if (this.#isBytes) this.#controller?.error(new Error("the answer broke off"))
    else this.#controller?.close()
  }

  /** The promise is that of a generation that is read on without its client. */
  #end(how: GenerationEnding): Promise<void> | undefined {
    if (this.#over) return undefined
    this.#over = true
    clearDeadline(this)
    const { request } = this.#options
    offShutdown(request.shutdown, this)
    request.once?.ended(how)
    finish(this.#options, this.#state, how)
    // Last, when the cost is known.
    const over = () => request.record?.over(how)
    const charged = how === "hang-up" ? this.#options.generation.settled?.() : undefined
    if (charged !== undefined) return charged.then(over, over)
    over()
    return undefined
  }
}

const yes = () => true
const no = () => false

/** Frames as the text of server-sent events. */
export const render = (frames: ReadonlyArray<Frame>): string => {
  let text = ""
  for (const frame of frames) text += rendered(frame)
  return text
}

const rendered = (frame: Frame): string => {
  if (!isPassthrough(frame)) return `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`
  return typeof frame.written === "string" ? frame.written : utf8Decoder.decode(frame.written)
}

const utf8Decoder = new TextDecoder()

const isEnd = ({ type }: GenerationEvent): boolean => type === "finished" || type === "failed"

const isPassthrough = (frame: Frame): frame is PassthroughFrame => frame.type === "passthrough"

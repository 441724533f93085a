import { heartbeatEvery } from "../../pipeline/streamAnswer.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { clearDeadline, lateness, setDeadline } from "../../flow/deadlines.ts"
import type { HasDeadline } from "../../flow/deadlines.ts"
import { offShutdown, onShutdown } from "../../flow/shutdown.ts"
import type { ShutdownListener } from "../../flow/shutdown.ts"
import type { ResponseFrame } from "../encoding.ts"

/** The stored events of a response. */
export interface Source {
  /** The next events after a number, perhaps not all of them. `isOver`: no more will follow. */
  readonly after: (number: number) => Promise<{
    readonly frames: ReadonlyArray<ResponseFrame>
    readonly isOver: boolean
  }>
  /** Wakes the reader when there may be more events. Returns a function that stops it. */
  readonly listen: (wake: () => void) => () => void
}

type Controller = ReadableStreamDefaultController<Uint8Array>

/** A comment, which every client library skips. */
const heartbeat = ": ping\n\n"
/** How often a waiting reader looks by itself, in ms, because another process may have written. */
const lookEvery = 1_000
/** A reader that takes nothing for this long is disconnected, in ms. */
const readerDeadline = 120_000

const utf8 = new TextEncoder()

/** A stream of a response's stored events. The response continues if the reader leaves. */
export class Reading implements Bun.UnderlyingSource<Uint8Array>, ShutdownListener, HasDeadline {
  deadlinePlace = -1
  shutdownPlace = -1
  readonly #source: Source
  readonly #request: Incoming
  #last: number
  #controller: Controller | undefined
  #over = false
  #isWoken = false
  #wake: (() => void) | undefined
  #leave: (() => void) | undefined
  #lastSent = performance.now()
  /** Since when the reader has left a frame unread; undefined while it waits for us. */
  #untakenSince: number | undefined

  /** @param last the number of the last event that the reader has */
  constructor(source: Source, last: number, request: Incoming) {
    this.#source = source
    this.#last = last
    this.#request = request
  }

  start(controller: Controller): void {
    this.#controller = controller
    this.#leave = this.#source.listen(() => this.#rouse())
    onShutdown(this.#request.shutdown, this)
    setDeadline(this, lookEvery)
  }

  async pull(controller: Controller): Promise<void> {
    this.#untakenSince = undefined
    while (!this.#over) {
      this.#isWoken = false
      const { frames, isOver } = await this.#source.after(this.#last)
      // The reader may have left meanwhile.
      if (this.#isClosed()) return
      const last = frames.at(-1)?.sequence_number
      if (last !== undefined) {
        this.#last = last
        this.#lastSent = performance.now()
        this.#untakenSince = this.#lastSent
        controller.enqueue(utf8.encode(frames.map(textOf).join("")))
      }
      if (isOver) return this.#end("finished")
      if (last !== undefined) return
      await this.#woken()
    }
  }

  cancel(): void {
    this.#close("hang-up")
  }

  /** Shutdown: the reader can continue from the last event elsewhere. */
  handleEvent(): void {
    this.#end("failed")
  }

  look(now: number): number {
    if (this.#untakenSince !== undefined) {
      if (now - this.#untakenSince > readerDeadline) {
        this.#close("hang-up")
        this.#controller?.error(new Error("the reader stopped reading"))
      }
      return now + lookEvery
    }
    if (now - this.#lastSent >= heartbeatEvery - lateness) {
      this.#lastSent = now
      this.#controller?.enqueue(utf8.encode(heartbeat))
    }
    this.#rouse()
    return now + lookEvery
  }

  #rouse(): void {
    this.#isWoken = true
    this.#wake?.()
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      if (this.#isWoken) resolve()
    })
  }

  #isClosed(): boolean {
    return this.#over
  }

  #end(how: "finished" | "failed"): void {
    if (this.#over) return
    this.#close(how)
    this.#controller?.close()
  }

  #close(how: "finished" | "failed" | "hang-up"): void {
    if (this.#over) return
    this.#over = true
    clearDeadline(this)
    offShutdown(this.#request.shutdown, this)
    this.#leave?.()
    this.#request.once?.ended(how)
    this.#rouse()
  }
}

const textOf = (frame: ResponseFrame): string => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`

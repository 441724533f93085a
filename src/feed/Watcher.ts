import { Data, Effect, Equal } from "effect"
import type { Incoming } from "../contract/handlers.ts"
import type { Own } from "../contract/callers/Own.ts"
import { offShutdown, onShutdown } from "../flow/shutdown.ts"
import type { ShutdownListener } from "../flow/shutdown.ts"

type Controller = ReadableStreamDefaultController<Uint8Array>

/** The most characters buffered for a slow reader; further events are replaced by `missed`. */
const mostWaiting = 512 * 1024
/** The longest silence before a ping, in ms. */
const longestSilenceMs = 10_000

const utf8 = new TextEncoder()

/** The records whose events are sent, and how to look for them again. */
export interface Whose {
  readonly own: Own
  readonly find: Effect.Effect<Own | undefined, unknown>
}

/** One stream of events with a bounded buffer. */
export class Watcher implements Bun.UnderlyingSource<Uint8Array>, ShutdownListener {
  shutdownPlace = -1
  /** Only these records' events; undefined for all. */
  own: Own | undefined
  /** Looks whose events they are; ends if there are none any more. */
  readonly look: Effect.Effect<void>
  /** Rechecks the permission. */
  readonly stillOpens: Effect.Effect<boolean>
  readonly #request: Incoming
  readonly #left: (watcher: Watcher) => void
  #controller: Controller | undefined
  #waiting = "retry: 1000\n\n: open\n\n"
  #wanted: (() => void) | undefined
  #hasMissed = false
  #lastSent = performance.now()
  #over = false

  constructor(whose: Whose | undefined, request: Incoming, left: (watcher: Watcher) => void) {
    this.own = whose?.own
    this.look =
      whose?.own.keys === undefined
        ? Effect.void
        : Effect.matchEffect(whose.find, {
            onFailure: () => Effect.sync(() => this.end()),
            onSuccess: (own) => Effect.sync(() => this.#is(own))
          })
    this.stillOpens = request.stillOpens ?? Effect.succeed(true)
    this.#request = request
    this.#left = left
  }

  start(controller: Controller): void {
    this.#controller = controller
    onShutdown(this.#request.shutdown, this)
  }

  /** Waits for events, and sends them only on demand. */
  async pull(controller: Controller): Promise<void> {
    if (this.#waiting === "" && !this.#hasMissed && !this.#over)
      await new Promise<void>((resolve) => (this.#wanted = resolve))
    if (this.#over) return
    const text = this.#hasMissed ? `${this.#waiting}${missed}` : this.#waiting
    this.#hasMissed = false
    this.#waiting = ""
    this.#lastSent = performance.now()
    controller.enqueue(utf8.encode(text))
  }

  cancel(): void {
    this.end()
  }

  handleEvent(): void {
    this.end()
  }

  /** @param text whole events */
  send(text: string): void {
    if (this.#over) return
    if (this.#waiting.length + text.length > mostWaiting) this.#hasMissed = true
    else this.#waiting += text
    this.#wake()
  }

  /** Events of keys that are new may have been missed. */
  #is(own: Own | undefined): void {
    if (own === undefined || Equal.equals(Data.array(own.keys ?? []), Data.array(this.own?.keys ?? []))) return
    this.own = own
    this.#hasMissed = true
    this.#wake()
  }

  /** Sends a ping after a silence. */
  beat(): void {
    if (performance.now() - this.#lastSent > longestSilenceMs && this.#waiting === "") this.send(": ping\n\n")
  }

  end(): void {
    if (this.#over) return
    this.#over = true
    offShutdown(this.#request.shutdown, this)
    this.#left(this)
    this.#wake()
    try {
      this.#controller?.close()
    } catch {
      // The reader has left.
    }
  }

  #wake(): void {
    const wanted = this.#wanted
    this.#wanted = undefined
    wanted?.()
  }
}

const missed = `event: missed\ndata: {}\n\n`

import { Effect } from "effect"
import type { Incoming } from "../contract/handlers.ts"
import { offShutdown, onShutdown } from "../flow/shutdown.ts"
import type { ShutdownListener } from "../flow/shutdown.ts"

type Controller = ReadableStreamDefaultController<Uint8Array>

/** Characters that wait at most for a reader; what comes beyond them is left out, and said so. */
const mostWaiting = 512 * 1024
/** How long a stream is silent at most, in ms. */
const longestSilenceMs = 10_000

const utf8 = new TextEncoder()

/** One stream of events. What its reader does not take waits, up to a bound. */
export class Watcher implements Bun.UnderlyingSource<Uint8Array>, ShutdownListener {
  shutdownPlace = -1
  /** Whose things it is about; undefined: everybody's. */
  readonly account: string | undefined
  /** Whether what opened it still opens it. */
  readonly stillOpens: Effect.Effect<boolean>
  readonly #request: Incoming
  readonly #left: (watcher: Watcher) => void
  #controller: Controller | undefined
  #waiting = "retry: 1000\n\n: open\n\n"
  #wanted: (() => void) | undefined
  #hasMissed = false
  #lastSent = performance.now()
  #over = false

  constructor(account: string | undefined, request: Incoming, left: (watcher: Watcher) => void) {
    this.account = account
    this.stillOpens = request.stillOpens ?? Effect.succeed(true)
    this.#request = request
    this.#left = left
  }

  start(controller: Controller): void {
    this.#controller = controller
    onShutdown(this.#request.shutdown, this)
  }

  /** Waits for something to send: nothing is made that the reader does not take. */
  async pull(controller: Controller): Promise<void> {
    if (this.#waiting === "" && !this.#over) await new Promise<void>((resolve) => (this.#wanted = resolve))
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

  /** Says that it is still there, where nothing else did. */
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
      // Its reader had gone.
    }
  }

  #wake(): void {
    const wanted = this.#wanted
    this.#wanted = undefined
    wanted?.()
  }
}

const missed = `event: missed\ndata: {}\n\n`

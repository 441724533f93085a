import type { Incoming } from "../contract/handlers.ts"
import type { Generation } from "../generation/Generation.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import { readOn } from "../ledger/readOn.ts"
import { paidCalls } from "../tools/paidCalls.ts"
import type { GenerationOptions } from "./GenerationOptions.ts"
import type { ReadOns } from "./ReadOns.ts"

/** A generation whose client may leave, and that may go on all the same: the upstream bills all of it. */
export abstract class Leavable {
  /** True if the generation goes on without the client; undefined while the client is there. */
  #isLeft: boolean | undefined
  #isReadOn = false
  #isOver = false
  abstract readonly request: Incoming
  abstract readonly options: GenerationOptions
  protected abstract readonly readOns: ReadOns

  /** True if the upstream goes on with what was sent to it. */
  protected abstract runsOn(): boolean

  abstract isShuttingDown(): boolean

  /** True once the client has left a generation that goes on. */
  get isLeft(): boolean {
    return this.#isLeft === true
  }

  /** The client left. True if the answer is read to its end all the same. No other call is begun then. */
  leave(): boolean {
    if (this.isShuttingDown()) return false
    return (this.#isLeft ??= this.#isOver || (this.runsOn() && this.#beginReading()))
  }

  #beginReading(): boolean {
    return (this.#isReadOn = this.readOns.begin())
  }

  /** Reads a stream on. A whole answer goes on by itself, because nothing interrupts it. */
  readsOn(generation: Generation, pending: ReturnType<Generation["next"]>): Promise<void> | undefined {
    return this.options.stream && this.leave() ? readOn(generation, pending, this.request.shutdown) : undefined
  }

  /** The calls of servers' tools that have left so far, as far as they cost something. */
  toolCalls(): Pick<Usage, "toolCalls"> | undefined {
    const { serverTools } = this.options
    return serverTools && paidCalls(serverTools)
  }

  /** The generation has ended, or never began. */
  over(): void {
    this.#isOver = true
    if (this.#isReadOn) this.readOns.end()
    this.#isReadOn = false
  }
}

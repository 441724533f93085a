import type { Caller, KeyId } from "../contract/Caller.ts"
import { credentialFirst } from "../contract/credential.ts"
import { RateLimited } from "../contract/Failure.ts"

const mebi = 1024 * 1024
const usualBounds = { mostOfKeyMiB: 128, mostOfAllMiB: 512 }

/** The one who sends a body. */
type Sender = Pick<Caller, "key" | "openedBy">

/**
 * Bounds the bytes of request bodies in memory, for each key and for all. A slow client may pause for up to a minute
 * between two chunks.
 */
export class BodyBudget {
  readonly #ofKeys = new Map<KeyId, number>()
  #ofAll = 0
  readonly #bounds: typeof usualBounds

  constructor(bounds = usualBounds) {
    this.#bounds = bounds
  }

  /** Starts reading a body. */
  begin(caller: Sender): BodyReading {
    return new BodyReading(this, caller)
  }

  /** Reserves bytes for a key; fails if a bound is exceeded. */
  take({ key, openedBy }: Sender, bytes: number): RateLimited | undefined {
    const { mostOfAllMiB, mostOfKeyMiB } = this.#bounds
    const ofKey = (this.#ofKeys.get(key) ?? 0) + bytes
    if (ofKey > mostOfKeyMiB * mebi) {
      return tooMuch(
        `${credentialFirst({ openedBy })} is sending more than ${mostOfKeyMiB} MiB of request bodies at a time`
      )
    }
    if (this.#ofAll + bytes > mostOfAllMiB * mebi) {
      return tooMuch(`The gateway is reading ${mostOfAllMiB} MiB of request bodies, which is the most`)
    }
    this.#ofKeys.set(key, ofKey)
    this.#ofAll += bytes
    return undefined
  }

  giveBack(key: KeyId, bytes: number): void {
    this.#ofKeys.set(key, (this.#ofKeys.get(key) ?? 0) - bytes)
    this.#ofAll -= bytes
  }
}

/** The reservation of one body. */
export class BodyReading {
  readonly #budget: BodyBudget
  readonly #sender: Sender
  #bytes = 0

  constructor(budget: BodyBudget, sender: Sender) {
    this.#budget = budget
    this.#sender = sender
  }

  /** Reserves more bytes; fails if a bound is exceeded. */
  more(bytes: number): RateLimited | undefined {
    const refused = this.#budget.take(this.#sender, bytes)
    if (refused === undefined) this.#bytes += bytes
    return refused
  }

  /** Releases the reservation. */
  end(): void {
    this.#budget.giveBack(this.#sender.key, this.#bytes)
    this.#bytes = 0
  }
}

const tooMuch = (message: string) => new RateLimited({ message: `${message}; try again shortly`, retryAfterSeconds: 1 })

import type { KeyId } from "../contract/Caller.ts"
import { RateLimited } from "../contract/Failure.ts"

const mebi = 1024 * 1024
const usualBounds = { mostOfKeyMiB: 128, mostOfAllMiB: 512 }

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
  begin(key: KeyId): BodyReading {
    return new BodyReading(this, key)
  }

  /** Reserves bytes for a key; fails if a bound is exceeded. */
  take(key: KeyId, bytes: number): RateLimited | undefined {
    const { mostOfAllMiB, mostOfKeyMiB } = this.#bounds
    const ofKey = (this.#ofKeys.get(key) ?? 0) + bytes
    if (ofKey > mostOfKeyMiB * mebi) {
      return tooMuch(`This API key is sending more than ${mostOfKeyMiB} MiB of request bodies at a time`)
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
  readonly #key: KeyId
  #bytes = 0

  constructor(budget: BodyBudget, key: KeyId) {
    this.#budget = budget
    this.#key = key
  }

  /** Reserves more bytes; fails if a bound is exceeded. */
  more(bytes: number): RateLimited | undefined {
    const refused = this.#budget.take(this.#key, bytes)
    if (refused === undefined) this.#bytes += bytes
    return refused
  }

  /** Releases the reservation. */
  end(): void {
    this.#budget.giveBack(this.#key, this.#bytes)
    this.#bytes = 0
  }
}

const tooMuch = (message: string) => new RateLimited({ message: `${message}; try again shortly`, retryAfterSeconds: 1 })

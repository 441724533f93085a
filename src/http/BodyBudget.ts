import type { KeyId } from "../contract/Caller.ts"
import { RateLimited } from "../contract/Failure.ts"

const mebi = 1024 * 1024
const usualBounds = { mostOfKeyMiB: 128, mostOfAllMiB: 512 }

/**
 * Bytes of bodies that are being read. A client may take a minute between two pieces of its body, and what has come waits
 * in memory: so it is bounded, for each key and for all.
 */
export class BodyBudget {
  readonly #ofKeys = new Map<KeyId, number>()
  #ofAll = 0
  readonly #bounds: typeof usualBounds

  constructor(bounds = usualBounds) {
    this.#bounds = bounds
  }

  /** A body of a key, of which nothing has been read. */
  begin(key: KeyId): BodyReading {
    return new BodyReading(this, key)
  }

  /** Takes room for more bytes of a key, or says why there is none. */
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

/** One body that is being read. */
export class BodyReading {
  readonly #budget: BodyBudget
  readonly #key: KeyId
  #bytes = 0

  constructor(budget: BodyBudget, key: KeyId) {
    this.#budget = budget
    this.#key = key
  }

  /** More of it comes; why there is no room for that, otherwise. */
  more(bytes: number): RateLimited | undefined {
    const refused = this.#budget.take(this.#key, bytes)
    if (refused === undefined) this.#bytes += bytes
    return refused
  }

  /** It has been read, or never will be. */
  end(): void {
    this.#budget.giveBack(this.#key, this.#bytes)
    this.#bytes = 0
  }
}

const tooMuch = (message: string) => new RateLimited({ message: `${message}; try again shortly`, retryAfterSeconds: 1 })

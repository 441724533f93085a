import type { Caller, KeyId, UnfinishedBounds } from "../contract/callers/Caller.ts"
import { credentialFirst } from "../contract/callers/credential.ts"
import { RateLimited, TooLarge, tooFewDescriptors } from "../contract/failures/Failure.ts"
import { descriptors as ofProcess } from "../flow/Descriptors.ts"
import type { Descriptors } from "../flow/Descriptors.ts"

/** The caller of a request. */
type Sender = Pick<Caller, "key" | "keyLimits" | "openedBy">

/** Amounts that unfinished requests hold, or may hold. */
interface Amounts {
  /** Connections and temporary files. */
  readonly descriptors: number
  readonly connections: number
  /** Of bodies, in memory and on disk. */
  readonly bytes: number
  /** Those in memory. */
  readonly memory: number
}

type Held = { -readonly [What in keyof Amounts]: Amounts[What] }

interface Bounds {
  readonly ofKey: Amounts
  readonly ofAll: Amounts
}

/** A key's share of what all may hold, and memory's share of the bytes. */
const share = 1 / 4
const mebi = 1024 * 1024
const usualBytes = 2_048 * mebi

const nothing: Amounts = { descriptors: 0, connections: 0, bytes: 0, memory: 0 }
const aFile: Amounts = { ...nothing, descriptors: 1 }
const aConnection: Amounts = { ...aFile, connections: 1 }
/** In the order in which their bounds are looked at. */
const kinds = ["memory", "bytes", "descriptors", "connections"] as const satisfies ReadonlyArray<keyof Amounts>

/**
 * Bounds what requests that are not finished hold, for each key and for all. A client may send its body and take its
 * answer slowly, so that each holds a connection and what came of its body for minutes.
 */
export class Unfinished {
  readonly #descriptors: Descriptors
  readonly #ofKeys = new Map<KeyId, Held>()
  readonly #ofAll: Held = { ...nothing }
  #bounds: Bounds

  /** @param given the operator's bounds of all keys together; by default shares of the process's limits */
  constructor(given?: UnfinishedBounds, descriptors = ofProcess) {
    this.#descriptors = descriptors
    this.#bounds = boundsOf(given, descriptors)
  }

  /** Replaces the operator's bounds, for requests that begin from now on. */
  bound(given: UnfinishedBounds | undefined): void {
    this.#bounds = boundsOf(given, this.#descriptors)
  }

  /** Begins a request, which holds its connection. */
  begin(sender: Sender): Holding | RateLimited {
    const holding = new Holding(this, sender, this.#bounds)
    const refused = holding.open("connection")
    if (refused === undefined) return holding
    holding.end()
    return refused
  }

  /** Adds to what a request and its key hold, all of it or nothing. Tells whose bound does not allow it, and the bound. */
  take(own: Held, { key, keyLimits }: Sender, amounts: Amounts, { ofAll, ofKey }: Bounds): Exceeded | undefined {
    const held = this.#ofKeys.get(key) ?? { ...nothing }
    const most = keyLimits.unfinished === undefined ? ofKey : amountsOf(keyLimits.unfinished, ofKey)
    for (const what of kinds) {
      if (held[what] + amounts[what] > most[what]) return { of: "key", what, most: most[what] }
      if (this.#ofAll[what] + amounts[what] > ofAll[what]) return { of: "all", what, most: ofAll[what] }
    }
    for (const what of kinds) {
      own[what] += amounts[what]
      held[what] += amounts[what]
      this.#ofAll[what] += amounts[what]
    }
    this.#ofKeys.set(key, held)
    return undefined
  }

  giveBack(own: Held, key: KeyId, amounts: Amounts): void {
    const held = this.#ofKeys.get(key)
    if (held === undefined) return
    for (const what of kinds) {
      own[what] -= amounts[what]
      held[what] -= amounts[what]
      this.#ofAll[what] -= amounts[what]
    }
    if (held.connections + held.descriptors + held.bytes + held.memory === 0) this.#ofKeys.delete(key)
  }

  /** False if the process has to keep the descriptors that are left. */
  mayOpen(): boolean {
    if (this.#descriptors.isScarce()) return false
    this.#descriptors.opening()
    return true
  }
}

/** A bound that is reached. */
interface Exceeded {
  readonly of: "key" | "all"
  readonly what: keyof Amounts
  readonly most: number
}

/** The share of one request. */
export class Holding {
  readonly #unfinished: Unfinished
  readonly #sender: Sender
  readonly #bounds: Bounds
  readonly #held: Held = { ...nothing }

  /** @param bounds those when the request began */
  constructor(unfinished: Unfinished, sender: Sender, bounds: Bounds) {
    this.#unfinished = unfinished
    this.#bounds = bounds
    this.#sender = sender
  }

  /** Takes a descriptor. The connection is open already, and stays so if it is refused. */
  open(what: "connection" | "file"): RateLimited | undefined {
    if (!this.#unfinished.mayOpen()) return tooFewDescriptors
    const amounts = what === "connection" ? aConnection : aFile
    const exceeded = this.#unfinished.take(this.#held, this.#sender, amounts, this.#bounds)
    return exceeded && tooMuch(wordsOf(exceeded, this.#sender))
  }

  /** Takes bytes of the body; fails with `TooLarge` if they alone are more than the key may hold. */
  more(bytes: number, where: "memory" | "disk"): RateLimited | TooLarge | undefined {
    const amounts = { ...nothing, bytes, memory: where === "memory" ? bytes : 0 }
    const exceeded = this.#unfinished.take(this.#held, this.#sender, amounts, this.#bounds)
    if (exceeded === undefined) return undefined
    const { most, what } = exceeded
    if (this.#held[what] + bytes <= most) return tooMuch(wordsOf(exceeded, this.#sender))
    return new TooLarge({ message: `The request body is larger than ${most} bytes, the most that this key may send` })
  }

  /** Gives back what the body held, once it was read or its files were deleted. */
  endBody(): void {
    const { bytes, connections, descriptors, memory } = this.#held
    const files = descriptors - connections
    if (bytes + memory + files === 0) return
    const ofBody = { bytes, memory, descriptors: files, connections: 0 }
    this.#unfinished.giveBack(this.#held, this.#sender.key, ofBody)
  }

  /** Gives back everything. May be called any number of times. */
  end(): void {
    this.#unfinished.giveBack(this.#held, this.#sender.key, { ...this.#held })
  }
}

const boundsOf = (given: UnfinishedBounds = {}, { forCallers }: Descriptors): Bounds => {
  const usual = { descriptors: forCallers, connections: forCallers, bytes: usualBytes, memory: usualBytes * share }
  const ofAll = amountsOf(given, usual)
  const ofKey = Math.ceil(1 / share)
  return {
    ofAll,
    ofKey: {
      descriptors: Math.ceil(ofAll.descriptors / ofKey),
      connections: Math.ceil(ofAll.connections / ofKey),
      bytes: Math.ceil(ofAll.bytes / ofKey),
      memory: Math.ceil(ofAll.memory / ofKey)
    }
  }
}

const amountsOf = ({ bytes, connections, descriptors }: UnfinishedBounds, usual: Amounts): Amounts => ({
  descriptors: descriptors ?? usual.descriptors,
  connections: connections ?? usual.connections,
  bytes: bytes ?? usual.bytes,
  memory: bytes === undefined ? usual.memory : Math.ceil(bytes * share)
})

const wordsOf = ({ most, of, what }: Exceeded, sender: Sender): string => {
  const isOfKey = of === "key"
  switch (what) {
    case "connections":
      return isOfKey
        ? `${credentialFirst(sender)} has ${most} requests that are not finished, which is the most`
        : `The gateway has ${most} requests that are not finished, which is the most`
    case "descriptors":
      return isOfKey
        ? `${credentialFirst(sender)} has requests that hold ${most} connections and files, which is the most`
        : `The gateway has requests that hold ${most} connections and files, which is the most`
    case "bytes":
    case "memory":
      return isOfKey
        ? `${credentialFirst(sender)} is sending more than ${most / mebi} MiB of request bodies at a time`
        : `The gateway is reading ${most / mebi} MiB of request bodies, which is the most`
  }
}

const tooMuch = (message: string) => new RateLimited({ message: `${message}; try again shortly`, retryAfterSeconds: 1 })

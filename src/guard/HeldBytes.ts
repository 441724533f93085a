import { NamedSlots } from "../flow/NamedSlots.ts"

interface Held {
  readonly account: string
  bytes: number
}

/** Counts bytes that requests hold, of each account and of all. A request that is gone gives back its bytes. */
export class HeldBytes {
  readonly #most: { readonly each: number; readonly all: number }
  readonly #byAccount = new NamedSlots<number>()
  readonly #byRequest = new WeakMap<object, Held>()
  /** Bytes of requests that were not released. Their memory is free no earlier. */
  readonly #gone = new FinalizationRegistry<Held>((held) => this.#giveBack(held))
  #all = 0

  constructor(most: { readonly each: number; readonly all: number }) {
    this.#most = most
  }

  /** Adds to a request's bytes; false if its account, or all, may hold no more. */
  more({ account, request }: { readonly account: string; readonly request: object }, bytes: number): boolean {
    const before = this.#byAccount.get(account) ?? 0
    if (before + bytes > this.#most.each || this.#all + bytes > this.#most.all) return false
    const held = this.#byRequest.get(request) ?? this.#begin(account, request)
    held.bytes += bytes
    this.#byAccount.set(account, before + bytes)
    this.#all += bytes
    return true
  }

  release(request: object): void {
    const held = this.#byRequest.get(request)
    if (held === undefined) return
    this.#byRequest.delete(request)
    this.#gone.unregister(held)
    this.#giveBack(held)
  }

  #begin(account: string, request: object): Held {
    const held = { account, bytes: 0 }
    this.#byRequest.set(request, held)
    this.#gone.register(request, held, held)
    return held
  }

  #giveBack({ account, bytes }: Held): void {
    const left = (this.#byAccount.get(account) ?? 0) - bytes
    if (left > 0) this.#byAccount.set(account, left)
    else this.#byAccount.delete(account)
    this.#all -= bytes
  }
}

import type { AccountId } from "../contract/callers/Caller.ts"
import type { RestPart } from "../generation/Rest.ts"
import { limitGroup } from "../upstreams/protocols/limitGroups.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { nameOfPart, partsOf } from "./Lane.ts"
import type { Lane, Requester } from "./Lane.ts"
import { Recent } from "./Recent.ts"
import type { Route } from "./Route.ts"

/** The most that is remembered of each kind. Wildcards let callers name routes. */
const mostRemembered = 10_000
/** How long after its end a rest still counts: another failure until then doubles the next one. */
const forgottenAfterMs = 600_000
/** How long a refusal waits for another account's, in ms, if its rest is shorter. */
const confirmedWithinMs = 30_000
/** The longest part of a name that is kept as it is: callers choose the names of models. */
const longestName = 200

/** The parts of an error that are told again: as many are remembered, an error's stack and words would be too much. */
export interface LastError extends Pick<UpstreamError, "status" | "trouble" | "rests"> {
  readonly tag: "RateLimited" | "UpstreamFailed"
  readonly message: string
  readonly neverFits: boolean
  /** True if the upstream named the end of the rest. */
  readonly hasDeadline: boolean
}

export interface CoolDown {
  readonly untilMs: number
  /** Consecutive failures. */
  readonly failures: number
  /** The failure with a deadline (`Retry-After`, or of a key that is refused): the route is not called before it. */
  readonly lastError: LastError | undefined
  /** The smallest request that rests; 0 for every request. */
  readonly atLeast: number
  /** The end of a probe. Meanwhile other calls try the route last. */
  probedUntilMs: number
  /** When a call may go before the deadline, if another route can answer it. */
  nextProbeMs: number
}

/** An account's refused request. */
interface Refused {
  readonly account: AccountId
  readonly size: number
  readonly untilMs: number
}

/** The names under which a cool-down is remembered. */
export interface Place {
  readonly base: string
  readonly name: string
}

/** A cool-down that concerns a request. */
interface Found {
  readonly place: Place
  readonly map: Recent<CoolDown>
  readonly coolDown: CoolDown
}

/** The state of a route for a request: the cool-downs, and the refusals that await another account's. */
export interface Concern {
  readonly coolDowns: ReadonlyArray<CoolDown>
  /** The request was answered: forgets what was found, unless it has changed since. */
  readonly clear: () => void
}

/** The parts of routes that rest, for all accounts or for one. */
export class Rests {
  /** When each route, key or group of models can be forgotten. Others have nothing that rests. */
  #bases = new Recent<number>(mostRemembered)
  #ofAll = new Recent<CoolDown>(mostRemembered)
  #ofAccounts = new Recent<CoolDown>(mostRemembered)
  #refused = new Recent<ReadonlyArray<Refused>>(mostRemembered)
  /** When all of it can be forgotten. */
  #forgottenMs = 0
  /** Nothing failed recently. */
  isEmpty = true

  /** Forgets everything once all of it is old. */
  isOver(now: number): boolean {
    if (now >= this.#forgottenMs) this.#forgetAll()
    return this.isEmpty
  }

  /** The state of a route for a request; undefined if nothing concerns it. The lane and the size are only read if something of the route rests. */
  of<R extends Route>(route: R, requester: Requester<R>, now: number): Concern | undefined {
    const bases = basesOf(route).filter((base) => this.#isKnown(base, now))
    if (bases.length === 0) return undefined
    const lane = requester.laneAt(route)
    const parts = partsOf(lane)
    const found: Array<Found> = []
    const refusals: Array<readonly [string, ReadonlyArray<Refused>]> = []
    for (const base of bases) {
      for (const part of parts) {
        const name = `${base}\n${part}`
        this.#find(found, this.#ofAll, { base, name }, lane, now)
        this.#find(found, this.#ofAccounts, { base, name: `${name}\n${requester.account}` }, lane, now)
        const refused = this.#refused.get(name)
        if (refused !== undefined) refusals.push([name, refused])
      }
    }
    if (found.length === 0 && refusals.length === 0) return undefined
    return { coolDowns: found.map(({ coolDown }) => coolDown), clear: () => this.#clear(found, refusals, lane.size()) }
  }

  /** The place of a part of a route: with its key, or with every key if it has none. */
  placeOf(route: Route, part: RestPart, lane: Lane): Place {
    const { model } = route
    const base = baseOf(route, part === "key" ? "" : part === "group" ? (limitGroup(model) ?? model) : model)
    return { base, name: `${base}\n${nameOfPart(part, lane)}` }
  }

  get(place: Place, account?: AccountId): CoolDown | undefined {
    return account === undefined ? this.#ofAll.get(place.name) : this.#ofAccounts.get(`${place.name}\n${account}`)
  }

  set(place: Place, account: AccountId | undefined, coolDown: CoolDown): void {
    const map = account === undefined ? this.#ofAll : this.#ofAccounts
    map.set(account === undefined ? place.name : `${place.name}\n${account}`, coolDown)
    this.#keep(place, coolDown.untilMs)
  }

  /**
   * Notes an account's refusal. Returns the size from which on requests were refused to two accounts; undefined if only
   * one account was refused so far.
   */
  confirm(place: Place, account: AccountId, size: number, untilMs: number, now: number): number | undefined {
    const others: Array<Refused> = []
    let smallest = size
    for (const one of this.#refused.get(place.name) ?? []) {
      if (one.untilMs <= now) continue
      if (one.account === account) smallest = Math.min(smallest, one.size)
      else others.push(one)
    }
    const own = { account, size: smallest, untilMs: Math.max(untilMs, now + confirmedWithinMs) }
    const two = [...others, own].sort((one, other) => one.size - other.size).slice(0, 2)
    this.#refused.set(place.name, two)
    this.#keep(place, own.untilMs)
    return two[1]?.size
  }

  #keep({ base }: Place, untilMs: number): void {
    const forgottenMs = untilMs + forgottenAfterMs
    this.isEmpty = false
    this.#bases.set(base, Math.max(forgottenMs, this.#bases.get(base) ?? 0))
    this.#forgottenMs = Math.max(forgottenMs, this.#forgottenMs)
  }

  #isKnown(base: string, now: number): boolean {
    const forgottenMs = this.#bases.get(base)
    if (forgottenMs === undefined) return false
    if (forgottenMs > now) return true
    this.#bases.delete(base)
    return false
  }

  #forgetAll(): void {
    this.isEmpty = true
    this.#bases = new Recent(mostRemembered)
    this.#ofAll = new Recent(mostRemembered)
    this.#ofAccounts = new Recent(mostRemembered)
    this.#refused = new Recent(mostRemembered)
  }

  #find(found: Array<Found>, map: Recent<CoolDown>, place: Place, lane: Lane, now: number): void {
    const coolDown = map.get(place.name)
    if (coolDown === undefined) return
    if (coolDown.untilMs + forgottenAfterMs <= now) return map.delete(place.name)
    if (coolDown.atLeast === 0 || coolDown.atLeast <= lane.size()) found.push({ place, map, coolDown })
  }

  #clear(
    found: ReadonlyArray<Found>,
    refusals: ReadonlyArray<readonly [string, ReadonlyArray<Refused>]>,
    size: number
  ): void {
    for (const { coolDown, map, place } of found) if (map.get(place.name) === coolDown) map.delete(place.name)
    for (const [name, refused] of refusals) {
      if (this.#refused.get(name) !== refused) continue
      const larger = refused.filter((one) => one.size > size)
      if (larger.length === 0) this.#refused.delete(name)
      else if (larger.length < refused.length) this.#refused.set(name, larger)
    }
    if (this.#ofAll.size + this.#ofAccounts.size + this.#refused.size === 0) this.#forgetAll()
  }
}

/** The names of everything that limits a route's requests: the route itself, models that share its limits, and its key. */
const basesOf = (route: Route): ReadonlyArray<string> => {
  const { key, model } = route
  const group = limitGroup(model)
  const models = group === undefined ? [model, ""] : [model, group, ""]
  const bases = models.map((one) => baseOf(route, one))
  return key === undefined ? bases : [...bases, ...models.map((one) => baseOf({ ...route, key: undefined }, one))]
}

type Named = Pick<Route, "upstream"> & { readonly key?: string | undefined }

const baseOf = ({ key = "", upstream }: Named, model: string): string =>
  `${upstream}\n${model.length > longestName ? `#${Bun.hash(model)}` : model}\n${key}`

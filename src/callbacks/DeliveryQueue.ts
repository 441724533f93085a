import type { AccountId } from "../contract/callers/Caller.ts"
import { domainOf } from "./domainOf.ts"

/** Limits of concurrent deliveries. */
export interface QueueLimits {
  readonly all: number
  readonly perHost: number
  readonly perUnprovenHost: number
  /** To unproven hosts, per account. */
  readonly perAccount: number
  /** To unproven hosts, per registered domain. */
  readonly perDomain: number
}

/** The account and the time of a host's first due delivery. */
export interface Due {
  readonly atMs: number
  readonly account: AccountId
}

/** Slots that were taken and must be released. */
export interface Taken {
  readonly host: string
  readonly account: AccountId
  /** True if it counts for the account and the domain. */
  readonly isUnproven: boolean
}

/**
 * The receivers with due deliveries and the deliveries in flight to each, in this process's memory. A receiver that has
 * not answered yet, or no longer answers, gets only a few slots, and so do all such receivers of one account or domain
 * together, so that others never wait for them.
 */
export class DeliveryQueue {
  private readonly due = new Map<string, Due>()
  private readonly underWay = new Counts()
  private readonly ofAccounts = new Counts()
  private readonly ofDomains = new Counts()
  private readonly proven = new Set<string>()
  /** The latest pending query per host. */
  private readonly queries = new Map<string, number>()
  private questions = 0
  private total = 0
  private readonly limits: QueueLimits

  constructor(limits: QueueLimits) {
    this.limits = limits
  }

  /** Records that a delivery to the host is due at this time, if none is due earlier. */
  note(host: string, due: Due): void {
    this.queries.delete(host)
    this.noteScan(host, due)
  }

  /** `note` for a scan of the whole table, which may be outdated: it does not invalidate a pending query. */
  noteScan(host: string, due: Due): void {
    const known = this.due.get(host)
    if (known === undefined || due.atMs < known.atMs) this.due.set(host, due)
  }

  /** Called before the query of the host's first due delivery. */
  ask(host: string): number {
    this.queries.set(host, ++this.questions)
    return this.questions
  }

  /**
   * Applies the result of that query; undefined for none. A result overtaken by a later query or a new change is
   * ignored, otherwise a due delivery would wait until the next scan.
   */
  settle(host: string, due: Due | undefined, question: number): void {
    if (this.queries.get(host) !== question) return
    this.queries.delete(host)
    if (due !== undefined) return void this.due.set(host, due)
    this.due.delete(host)
    this.proven.delete(host)
  }

  /** How many more deliveries of the account may go to the host now. */
  room(host: string, account: AccountId): number {
    const { all, perAccount, perDomain, perHost, perUnprovenHost } = this.limits
    const inAll = all - this.total
    const ofHost = this.underWay.of(host)
    const room = this.proven.has(host)
      ? Math.min(inAll, perHost - ofHost)
      : Math.min(
          inAll,
          perUnprovenHost - ofHost,
          perAccount - this.ofAccounts.of(account),
          perDomain - this.ofDomains.of(domainOf(host))
        )
    return Math.max(0, room)
  }

  take(host: string, account: AccountId, count: number): Taken {
    const taken = { host, account, isUnproven: !this.proven.has(host) }
    this.move(taken, count)
    return taken
  }

  give(taken: Taken, count: number): void {
    this.move(taken, -count)
  }

  /** Records an attempt: `answered` if the host gave any answer. */
  noteAnswer(host: string, answered: boolean): void {
    if (answered) this.proven.add(host)
    else this.proven.delete(host)
  }

  /** The hosts with something to claim now, longest wait first, each with its first due delivery. */
  ready(nowMs: number): ReadonlyArray<readonly [host: string, due: Due]> {
    return [...this.due]
      .filter(([host, { account, atMs }]) => atMs <= nowMs && this.room(host, account) > 0)
      .sort(([, a], [, b]) => a.atMs - b.atMs)
  }

  /** When something can next be claimed if nothing else happens. */
  nextAt(): number {
    let next = Infinity
    for (const [host, { account, atMs }] of this.due) {
      if (atMs < next && this.room(host, account) > 0) next = atMs
    }
    return next
  }

  private move({ account, host, isUnproven }: Taken, count: number): void {
    this.total += count
    this.underWay.add(host, count)
    if (!isUnproven) return
    this.ofAccounts.add(account, count)
    this.ofDomains.add(domainOf(host), count)
  }
}

/** Counts by name. A zero removes the entry. */
class Counts {
  private readonly counts = new Map<string, number>()

  of(name: string): number {
    return this.counts.get(name) ?? 0
  }

  add(name: string, count: number): void {
    const now = this.of(name) + count
    if (now > 0) this.counts.set(name, now)
    else this.counts.delete(name)
  }
}

import type { AccountId } from "../contract/Caller.ts"
import { domainOf } from "./domainOf.ts"

/** How many deliveries may be under way at a time. */
export interface QueueLimits {
  readonly all: number
  readonly perHost: number
  readonly perUnprovenHost: number
  /** To unproven hosts, of one account's deliveries. */
  readonly perAccount: number
  /** To unproven hosts below one registered domain. */
  readonly perDomain: number
}

/** Whom the first delivery of a host is from, and when it is due. */
export interface Due {
  readonly atMs: number
  readonly account: AccountId
}

/** Room that was taken, to be given back. */
export interface Taken {
  readonly host: string
  readonly account: AccountId
  /** Whether it counts for the account and the domain. */
  readonly isUnproven: boolean
}

/**
 * Which receivers have something to send and when, and how much is under way to each: plain bookkeeping of one process.
 * A receiver that has not answered yet, or no longer does, gets a few slots and never all of them, so that the others
 * don't wait for it; nor do an account's or a domain's many such receivers get them all together.
 */
export class DeliveryQueue {
  private readonly due = new Map<string, Due>()
  private readonly underWay = new Counts()
  private readonly ofAccounts = new Counts()
  private readonly ofDomains = new Counts()
  private readonly proven = new Set<string>()
  /** The newest question to the database about each host, for as long as it has no answer. */
  private readonly asked = new Map<string, number>()
  private questions = 0
  private total = 0
  private readonly limits: QueueLimits

  constructor(limits: QueueLimits) {
    this.limits = limits
  }

  /** Something for the host is due at this time, if not sooner. */
  note(host: string, due: Due): void {
    this.asked.delete(host)
    this.saw(host, due)
  }

  /** As `note`, as a look at the whole database had it: which may be over, so that what is asked about the host stands. */
  saw(host: string, due: Due): void {
    const known = this.due.get(host)
    if (known === undefined || due.atMs < known.atMs) this.due.set(host, due)
  }

  /** Said before the database is asked when the host's first delivery is due. */
  ask(host: string): number {
    this.asked.set(host, ++this.questions)
    return this.questions
  }

  /**
   * The database's own word on when the host's first delivery is due; undefined for none. An answer that was overtaken,
   * by a later question's or by a new change, tells what is no longer so: it would leave what is due until the next look.
   */
  settle(host: string, due: Due | undefined, question: number): void {
    if (this.asked.get(host) !== question) return
    this.asked.delete(host)
    if (due !== undefined) return void this.due.set(host, due)
    this.due.delete(host)
    this.proven.delete(host)
  }

  /** How many more of the account's deliveries may go to the host now. */
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

  /** Whether the host gave any answer to the last attempt. */
  heard(host: string, answered: boolean): void {
    if (answered) this.proven.add(host)
    else this.proven.delete(host)
  }

  /** The hosts to claim for now and whose turn it is at each, whoever waits longest first. */
  ready(nowMs: number): ReadonlyArray<readonly [host: string, due: Due]> {
    return [...this.due]
      .filter(([host, { account, atMs }]) => atMs <= nowMs && this.room(host, account) > 0)
      .sort(([, a], [, b]) => a.atMs - b.atMs)
  }

  /** When there will be something to claim if nothing else happens. */
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

/** Counts by name; what is at zero is forgotten. */
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

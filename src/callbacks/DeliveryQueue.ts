/**
 * Which receivers have something to send and when, and how much is under way to each: plain bookkeeping of one process.
 * A receiver that has not answered yet, or no longer does, gets a few slots and never all of them, so that the others
 * don't wait for it.
 */
export class DeliveryQueue {
  private readonly dueAt = new Map<string, number>()
  private readonly underWay = new Map<string, number>()
  private readonly proven = new Set<string>()
  private total = 0
  private readonly limits: { readonly all: number; readonly perHost: number; readonly perUnprovenHost: number }

  constructor(limits: { readonly all: number; readonly perHost: number; readonly perUnprovenHost: number }) {
    this.limits = limits
  }

  /** Something for the host is due at this time, if not sooner. */
  note(host: string, atMs: number): void {
    this.dueAt.set(host, Math.min(atMs, this.dueAt.get(host) ?? Infinity))
  }

  /** The database's own word on when the host's first delivery is due; undefined for none. */
  settle(host: string, atMs: number | undefined): void {
    if (atMs !== undefined) return void this.dueAt.set(host, atMs)
    this.dueAt.delete(host)
    this.proven.delete(host)
  }

  /** How many more may go to the host now. */
  room(host: string): number {
    const limit = this.proven.has(host) ? this.limits.perHost : this.limits.perUnprovenHost
    return Math.max(0, Math.min(limit - (this.underWay.get(host) ?? 0), this.limits.all - this.total))
  }

  take(host: string, count: number): void {
    this.total += count
    this.underWay.set(host, (this.underWay.get(host) ?? 0) + count)
  }

  give(host: string, count: number): void {
    this.total -= count
    const left = (this.underWay.get(host) ?? 0) - count
    if (left > 0) this.underWay.set(host, left)
    else this.underWay.delete(host)
  }

  /** Whether the host gave any answer to the last attempt. */
  heard(host: string, answered: boolean): void {
    if (answered) this.proven.add(host)
    else this.proven.delete(host)
  }

  /** The hosts to claim for now, whoever waits longest first. */
  ready(nowMs: number): ReadonlyArray<string> {
    return [...this.dueAt]
      .filter(([host, atMs]) => atMs <= nowMs && this.room(host) > 0)
      .sort(([, a], [, b]) => a - b)
      .map(([host]) => host)
  }

  /** When there will be something to claim if nothing else happens. */
  nextAt(): number {
    let next = Infinity
    for (const [host, atMs] of this.dueAt) if (atMs < next && this.room(host) > 0) next = atMs
    return next
  }
}

import { Effect } from "effect"
import { NamedSlots } from "../flow/NamedSlots.ts"

interface Bounds {
  /** Work at a time. */
  readonly ofAll: number
  /** Work of one account at a time. */
  readonly ofEach: number
}

interface Share {
  readonly turns: Effect.Semaphore
  /** Work that runs or waits. */
  users: number
}

/** Bounds the work of all accounts and of each. More of it waits in turn; an account's waits without holding up others. */
export const makeShares = ({ ofAll, ofEach }: Bounds) => {
  const all = Effect.unsafeMakeSemaphore(ofAll)
  const shares = new NamedSlots<Share>()

  const enter = (account: string): Share => {
    const share = shares.get(account) ?? { turns: Effect.unsafeMakeSemaphore(ofEach), users: 0 }
    shares.set(account, share)
    share.users++
    return share
  }

  const leave = (account: string, share: Share): void => {
    if (--share.users === 0) shares.delete(account)
  }

  return {
    within: <A, E, R>(account: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.sync(() => enter(account)),
        ({ turns }) => turns.withPermits(1)(all.withPermits(1)(work)),
        (share) => Effect.sync(() => leave(account, share))
      )
  }
}

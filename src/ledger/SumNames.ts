import { Effect } from "effect"

/** Names of an account's models in the sums of a day, and of all accounts' in those of one process. */
const [mostOfAccount, mostOfAll] = [100, 10_000]
const dayMs = 86_400_000

/** A request that sums count. */
interface Counted {
  readonly account: string
  /** The model as the caller named it. */
  readonly model: string
  readonly atMs: number
  /** True if an upstream answered it. */
  readonly isAnswered: boolean
}

/**
 * The names under which sums count models. Callers make up any number of names below a wildcard, and each would be a row
 * of every hour: only names that an upstream has answered have sums of their own, a hundred of an account in a day; the
 * others are counted under the wildcard's pattern. Rows of requests and of usage keep the caller's name.
 */
export class SumNames extends Effect.Service<SumNames>()("gateway/ledger/SumNames", {
  sync: () => {
    let patternOf: (model: string) => string | undefined = () => undefined
    let day = -Infinity
    const known = new Set<string>()
    const counts = new Map<string, number>()

    /** The name in the sums; undefined for the model's own. */
    const of = ({ account, atMs, isAnswered, model }: Counted): string | undefined => {
      const pattern = patternOf(model)
      if (pattern === undefined) return undefined
      const today = Math.floor(atMs / dayMs)
      // A request of the day before, which ended late, counts with those of today.
      if (today > day) {
        day = today
        known.clear()
        counts.clear()
      }
      const name = `${account} ${model}`
      if (known.has(name)) return undefined
      const count = counts.get(account) ?? 0
      if (!isAnswered || count >= mostOfAccount || known.size >= mostOfAll) return pattern
      known.add(name)
      counts.set(account, count + 1)
      return undefined
    }

    /** @param wildcardOf the pattern of a model that only a wildcard matches */
    const follow = (wildcardOf: (model: string) => string | undefined): void => {
      patternOf = wildcardOf
    }

    return { of, follow } as const
  }
}) {}

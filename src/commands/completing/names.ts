import { Effect } from "effect"
import { administering } from "../administering.ts"
import { Operator } from "../operator/Operator.ts"

/** Nobody looks through more. */
const most = 1_000

/** Accounts that are there. */
export const accounts = administering(
  Effect.flatMap(Operator, ({ accounts }) =>
    Effect.map(accounts.list(most), (found) =>
      found.map(({ available, id }) => ({
        word: id,
        about: available === null ? "unmetered" : `$${available.usd} available`
      }))
    )
  )
)

/** Keys that open something, by their ids. @param alsoNames and by their names */
export const keys = (alsoNames: boolean) =>
  administering(
    Effect.flatMap(Operator, ({ keys }) =>
      Effect.map(keys.list({ all: false, limit: most }), (found) =>
        found.flatMap(({ account, id, name }) => [
          { word: id, about: `${name} (${account})` },
          ...(alsoNames && /^[\w.-]+$/.test(name) ? [{ word: name, about: `${id} (${account})` }] : [])
        ])
      )
    )
  )

import { Effect } from "effect"
import { usdText } from "../../contract/text/usdText.ts"
import { administer } from "../administer.ts"
import { Operator } from "../operator/Operator.ts"

/** The most completions. */
const most = 1_000

/** Ids of accounts. */
export const accounts = administer(
  Effect.flatMap(Operator, ({ accounts }) =>
    Effect.map(accounts.list(most), (list) =>
      list.map(({ available, id }) => ({
        word: id,
        about: available === null ? "unmetered" : `${usdText(available.nano_usd / 1e9)} available`
      }))
    )
  )
)

/** Ids of active keys. @param alsoNames also their names */
export const keys = (alsoNames: boolean) =>
  administer(
    Effect.flatMap(Operator, ({ keys }) =>
      Effect.map(keys.list({ all: false, limit: most }), (list) =>
        list.flatMap(({ account, id, name }) => [
          { word: id, about: `${name} (${account})` },
          ...(alsoNames && /^[\w.-]+$/.test(name) ? [{ word: name, about: `${id} (${account})` }] : [])
        ])
      )
    )
  )

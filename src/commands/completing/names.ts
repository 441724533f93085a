import { Effect } from "effect"
import { usdText } from "../../contract/usdText.ts"
import { administering } from "../administering.ts"
import { Operator } from "../operator/Operator.ts"

/** The most completions. */
const most = 1_000

/** Ids of accounts. */
export const accounts = administering(
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
  administering(
    Effect.flatMap(Operator, ({ keys }) =>
      Effect.map(keys.list({ all: false, limit: most }), (list) =>
        list.flatMap(({ account, id, name }) => [
          { word: id, about: `${name} (${account})` },
          ...(alsoNames && /^[\w.-]+$/.test(name) ? [{ word: name, about: `${id} (${account})` }] : [])
        ])
      )
    )
  )

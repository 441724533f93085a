import { Effect } from "effect"
import { Conflict, NotFound } from "../contract/Failure.ts"
import { Operator } from "./operator/Operator.ts"

/** The most keys that are searched. */
const most = 100_000

/** The id of a key, given its id or its name. Fails with `Conflict` if several active keys have the name. */
export const keyNamed = (given: string) =>
  Effect.gen(function* () {
    if (given.startsWith("key_")) return given
    const { keys } = yield* Operator
    const named = (yield* keys.list({ all: false, limit: most })).filter(({ name }) => name === given)
    const [key] = named
    if (key === undefined) return yield* new NotFound({ param: null, message: `no key "${given}"` })
    if (named.length === 1) return key.id
    return yield* new Conflict({
      code: null,
      message: `${named.length} keys are named "${given}": ${named.map(({ account, id }) => `${id} (${account})`).join(", ")}`
    })
  })

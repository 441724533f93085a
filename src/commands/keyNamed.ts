import { Effect, Redacted } from "effect"
import type { KeyRecord } from "../admin/KeyRecord.ts"
import type { KeysOfSecret } from "../admin/KeyAdministration.ts"
import { Conflict, NotFound } from "../contract/failures/Failure.ts"
import { Operator } from "./operator/Operator.ts"

/** The most keys of one name that are looked at. */
const most = 1_000

/**
 * The id of a key, given its id, its name, or what one has of its secret. Fails with `Conflict` if that is several keys.
 */
export const keyNamed = (given: string) =>
  Effect.gen(function* () {
    if (given.startsWith("key_")) return given
    if (isSecret(given)) return (yield* only(yield* keysOfSecret(given), secretShown)).id
    const { keys } = yield* Operator
    const whole = given.length < shortestChosen ? undefined : yield* keysOfSecret(given)
    if (whole?.isWhole === true) return (yield* only(whole, secretShown)).id
    const found = yield* keys.list({ all: false, search: given, limit: most })
    const named = found.filter(({ name }) => name === given)
    if (named.length > 0 || given.length < 4) return (yield* only({ isWhole: false, keys: named }, given)).id
    const { keys: ending } = yield* keysOfSecret(given)
    return (yield* only({ isWhole: false, keys: ending }, given)).id
  })

/** The keys that a secret, or a part of it, may be of; `-` reads it from standard input. */
export const keysOfSecret = (given: string) =>
  Effect.gen(function* () {
    const { keys } = yield* Operator
    const text = given === "-" ? yield* Effect.promise(() => Bun.stdin.text()) : given
    const found = yield* keys.ofSecret(Redacted.make(text.trim()))
    if (found.isWhole && given !== "-") {
      yield* Effect.logWarning(
        "the whole secret is in your shell's history now; give - and it is read from standard input"
      )
    }
    return found
  })

/** A chosen secret has 24 characters at least. It must not become a search, which is part of an address. */
const shortestChosen = 24

const isSecret = (text: string): boolean => text === "-" || text.length > 100 || /^gw_|…|\.\.\.|\*/.test(text)

/** Stands for a secret in messages. */
const secretShown = "[secret]"

const only = ({ keys }: KeysOfSecret, given: string): Effect.Effect<KeyRecord, NotFound | Conflict> => {
  const [key] = keys
  if (key === undefined) {
    const message = given === secretShown ? "no key has this secret, or its last characters" : `no key "${given}"`
    return new NotFound({ param: null, message })
  }
  if (keys.length === 1) return Effect.succeed(key)
  const all = keys.slice(0, 20).map(({ account, id, name }) => `${id} (${name}, ${account})`)
  return new Conflict({ code: null, message: `${keys.length} keys are "${given}": ${all.join(", ")}` })
}

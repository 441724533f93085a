import { NotFound } from "../contract/failures/Failure.ts"
import type { Ids } from "./Ownership.ts"

/**
 * The key that made everything that a request names at an upstream; undefined if any key will do.
 *
 * @param names the upstream's keys, the first of which made what has no key; empty if it has a single, unnamed one
 */
export const madeWith = ({ keys }: Pick<Ids, "keys">, names: ReadonlyArray<string>): string | NotFound | undefined => {
  let made: string | undefined
  for (const { id, key: named, param } of keys) {
    const key = named ?? names[0]
    if (key === undefined) continue
    const shown = `${param}: ${JSON.stringify(id)}`
    if (!names.includes(key)) {
      return new NotFound({ param, message: `${shown} can't be used: the key that made it is gone from this upstream` })
    }
    if (made !== undefined && made !== key) {
      return new NotFound({
        param,
        message: `${shown} was made with another key of the upstream than the ids before it`
      })
    }
    made = key
  }
  return made
}

import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { durationMs } from "../contract/timeQuery.ts"
import { administer } from "./administer.ts"
import { keyNamed } from "./keyNamed.ts"
import { help, json, optionalText } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { printSecret } from "./printSecret.ts"

export const keyId = Args.text({ name: "id" }).pipe(
  Args.withDescription(
    "The key's id (key_…), its name, or what you have of its secret; - reads that from standard input."
  )
)

export const rotateSecret = Command.make(
  "rotate-secret",
  {
    id: keyId,
    overlap: optionalText(
      "overlap",
      "For how long the old secret works too: 24h, 7d; 30d at most. Default: not at all."
    ),
    json
  },
  ({ id, json, overlap }) =>
    administer(
      Effect.gen(function* () {
        const { keys } = yield* Operator
        const overlapMs = durationMs(Option.getOrElse(overlap, () => "0h"))
        if (overlapMs === undefined) {
          return yield* new InvalidRequest({
            param: "overlap",
            message: "--overlap: expected for how long (30m, 24h, 7d), 30d at most"
          })
        }
        const made = yield* keys.rotateSecret(yield* keyNamed(id), overlapMs)
        const { id: key, name, old_secret_until: until } = made.key
        const old = until === undefined ? "the former one stops working" : `the former one works until ${until}`
        yield* printSecret(json, made, `${key} "${name}" has a new secret; ${old}. The new secret, shown this once:`)
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Replace a key's secret. With --overlap both work for a while; a log line's key_secret tells which was used.",
      "gateway keys rotate-secret key_4f… --overlap 24h",
      "gateway keys rotate-secret …Xa7Q"
    )
  )
)

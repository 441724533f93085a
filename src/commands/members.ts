import { Args, Command, Options } from "@effect/cli"
import { Console, Effect } from "effect"
import { membersCsv } from "../admin/MemberRecord.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { administer } from "./administer.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import { Operator } from "./operator/Operator.ts"
import { help, json, print, shortTime } from "./options.ts"
import { table } from "./table.ts"

const members = Command.make(
  "members",
  {
    id: Args.text({ name: "account" }).pipe(Args.withDescription("The account's id.")),
    csv: Options.boolean("csv").pipe(Options.withDescription("Print CSV.")),
    json
  },
  ({ csv: asCsv, id, json }) =>
    administer(
      Effect.gen(function* () {
        if (asCsv && json) {
          return yield* new InvalidRequest({ param: "csv", message: "--csv, --json: expected one of them" })
        }
        const { accounts } = yield* Operator
        const all = yield* accounts.members(id)
        if (asCsv) return yield* Console.log(membersCsv(all))
        yield* print(json, all, () =>
          all.length === 0
            ? `No one who signs in has a role in ${id}.`
            : table(
                ["NAME", "ROLE", "KEYS", "LAST SEEN", "CONFIRMED", "PERSON"],
                all.map(({ confirmed_at, keys, last_seen_at, name, person, role }) => [
                  name,
                  role,
                  String(keys),
                  shortTime(last_seen_at),
                  shortTime(confirmed_at),
                  person
                ])
              )
        )
      })
    )
).pipe(
  Command.withDescription(
    help(
      "List the people who reach an account, with their keys.",
      "gateway accounts members team-a",
      "gateway accounts members team-a --csv"
    )
  )
)

export const accountMembers = remoteLeaf(members)

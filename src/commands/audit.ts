import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { administering } from "./administering.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { help, json, limitOption, optionalText, print, shortTime, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { listTable } from "./table.ts"

const list = Command.make(
  "list",
  {
    target: optionalText("target", "Only changes of this: a key's, account's or task's id."),
    action: optionalText("action", "Only these: key.create, account.credit, …"),
    limit: limitOption(50),
    wide,
    json
  },
  ({ action, json, limit, target, wide }) =>
    administering(
      Effect.gen(function* () {
        const { audit } = yield* Operator
        const records = yield* audit({
          target: Option.getOrUndefined(target),
          action: Option.getOrUndefined(action),
          limit
        })
        yield* print(json, records, () =>
          listTable(
            ["TIME", "WHO", "WHAT", "OF", "CHANGED"],
            records.map(({ action, actor, after, before, target, time }) => [
              shortTime(time),
              actor,
              action,
              target,
              changed(before, after)
            ]),
            { rare: [], wide }
          )
        )
      })
    )
).pipe(
  Command.withDescription(
    help("List who changed what, newest first.", "gateway audit list", "gateway audit list --target key_4f… --json")
  )
)

export const auditCommand: Group = { name: "audit", commands: [remoteLeaf(list)] }

/** The names of the changed fields; `version` always changes and is left out. */
const changed = (before: unknown, after: unknown): string => {
  if (!isRecord(before) || !isRecord(after)) return ""
  return Object.keys(after)
    .filter((name) => name !== "version" && JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .join(", ")
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

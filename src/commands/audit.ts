import { Args, Command, Options } from "@effect/cli"
import { Clock, Effect, Option } from "effect"
import { readTime } from "../contract/timeQuery.ts"
import { administer } from "./administer.ts"
import { auditShown, auditTable } from "./auditShown.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { help, json, limitOption, moment, optionalText, print, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"

const list = Command.make(
  "list",
  {
    target: optionalText("target", "Only changes of this: a key's, account's or task's id; configuration."),
    account: optionalText("account", "Only changes of this account, of its keys, tasks and callbacks."),
    action: optionalText("action", "Only these: key.create; or all that begin so: key, configuration."),
    actor: optionalText("actor", "Only by this actor; or by all that begin so: cli, file."),
    since: moment("since", "Changed since: 7d, 24h, a UTC day or a time.").pipe(Options.optional),
    until: moment("until", "Changed until then (now).").pipe(Options.optional),
    sessions: Options.boolean("sessions").pipe(
      Options.withDescription("Also who signed in to the console, and whose session was ended.")
    ),
    changes: Options.boolean("changes").pipe(Options.withDescription("A line for each field that was changed.")),
    limit: limitOption(50),
    wide,
    json
  },
  ({ account, action, actor, changes, json, limit, sessions, since, target, until, wide }) =>
    administer(
      Effect.gen(function* () {
        const { audit } = yield* Operator
        const nowMs = yield* Clock.currentTimeMillis
        const timeOf = (text: Option.Option<string>, isEnd: boolean) =>
          Option.getOrUndefined(Option.map(text, (text) => readTime(text, nowMs, isEnd)))
        // An action or a target of sessions asks for them.
        const asksForOne = [action, target].some((text) => Option.getOrElse(text, () => "").startsWith("session"))
        const records = yield* audit.list({
          target: Option.getOrUndefined(target),
          account: Option.getOrUndefined(account),
          action: Option.getOrUndefined(action),
          actor: Option.getOrUndefined(actor),
          sinceMs: timeOf(since, false),
          untilMs: timeOf(until, true),
          sessions: sessions || asksForOne,
          limit
        })
        yield* print(json, records, () =>
          changes ? records.map((record) => auditShown(record, wide)).join("\n\n") : auditTable(records, wide)
        )
      })
    )
).pipe(
  Command.withDescription(
    help(
      "List who changed what, newest first.",
      "gateway audit list --action configuration --changes",
      "gateway audit list --account team-a --since 7d",
      "gateway audit list --target key_4f… --json"
    )
  )
)

const id = Args.integer({ name: "id" }).pipe(Args.withDescription("The entry's number, as the list shows it."))

const show = Command.make("show", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { audit } = yield* Operator
      const record = yield* audit.show(id)
      yield* print(json, record, () => auditShown(record, true))
    })
  )
).pipe(Command.withDescription(help("Show an entry with all that was changed.", "gateway audit show 12")))

export const auditCommand: Group = { name: "audit", commands: [remoteLeaf(list), remoteLeaf(show)] }

import { Args, Command } from "@effect/cli"
import { Console, Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { SessionAdministration } from "../people/signIn/SessionAdministration.ts"
import { administer, logger } from "./administer.ts"
import { leaf, remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { consoleLink } from "./consoleLink.ts"
import { adminServer, linkedAddress } from "./ownAddress.ts"
import { openDatabase } from "./operator/local.ts"
import { Operator } from "./operator/Operator.ts"
import { help, json, limitOption, print, shortTime, wide } from "./options.ts"
import { CommandSettings } from "./settings.ts"
import { listTable } from "./table.ts"

/** Links are created in this machine's database alone; on a remote gateway, sign in with the admin key. */
const inDatabase = <A, E>(command: Effect.Effect<A, E, SessionAdministration | Settings>) =>
  Effect.provide(
    command,
    SessionAdministration.Default.pipe(
      Layer.provide(openDatabase(false)),
      Layer.provideMerge(CommandSettings),
      Layer.provideMerge(logger)
    )
  )

const list = Command.make("list", { limit: limitOption(100), wide, json }, ({ json, limit, wide }) =>
  administer(
    Effect.gen(function* () {
      const { sessions } = yield* Operator
      const records = yield* sessions.list(limit)
      yield* print(json, records, () =>
        listTable(
          ["ID", "WHO", "ROLE", "ACCOUNT", "KEY", "FROM", "SINCE", "LAST USED", "UNTIL"],
          records.map((one) => [
            one.id,
            one.name ?? one.kind,
            one.role ?? "",
            one.account ?? "",
            one.key ?? "",
            one.address,
            shortTime(one.created_at),
            shortTime(one.last_used_at),
            shortTime(one.expires_at)
          ]),
          { rare: ["KEY", "FROM", "SINCE", "LAST USED"], wide }
        )
      )
    })
  )
).pipe(
  Command.withDescription(
    help("List sessions of the console, newest first.", "gateway sessions list", "gateway sessions list --json")
  )
)

const revoke = Command.make(
  "revoke",
  { id: Args.text({ name: "id" }).pipe(Args.withDescription("The session's id (session_…).")), json },
  ({ id, json }) =>
    administer(
      Effect.gen(function* () {
        const { sessions } = yield* Operator
        const ended = yield* sessions.revoke(id)
        yield* print(json, ended, () => `${id} has ended`)
      })
    )
).pipe(
  Command.withDescription(help("End a session: it stops working within a second.", "gateway sessions revoke session_…"))
)

const link = Command.make("link", {}, () =>
  inDatabase(
    Effect.gen(function* () {
      const sessions = yield* SessionAdministration
      const { server } = yield* Settings
      yield* Console.log(consoleLink(linkedAddress(adminServer(server)), yield* sessions.link))
    })
  )
).pipe(
  Command.withDescription(
    help("Print a link that signs an operator in: once, within 15 minutes.", "gateway sessions link")
  )
)

export const sessionsCommand: Group = { name: "sessions", commands: [remoteLeaf(list), remoteLeaf(revoke), leaf(link)] }

import { Effect, Option } from "effect"
import type { Attention } from "../../admin/OverviewRecord.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { GatewaySettings } from "../../config/Settings.ts"
import { Operator } from "../operator/Operator.ts"
import { remoteOperator } from "../operator/remote.ts"
import { ownAddress, ownAdminAddress } from "../ownAddress.ts"
import { ownListener } from "./addressFindings.ts"
import { ok, problem, settingOf, warning } from "./Finding.ts"
import type { Finding } from "./Finding.ts"

const check = "running gateway"

/** The newest lines of the log that a bundle has. */
const mostLines = 200

/** A running gateway's own report, for a bundle. */
export interface RunningGateway {
  readonly attention: ReadonlyArray<Attention>
  readonly nodes: ReadonlyArray<unknown>
  readonly logs: ReadonlyArray<JsonObject>
}

/** The items of attention of the gateway that runs on this machine, if there is one. */
export const runningFindings = (settings: GatewaySettings) =>
  Effect.gen(function* () {
    const url = ownAdminAddress(settings.server)
    const { is, words } = yield* ownListener(settings)
    if (is === "none") return [ok(check, `none answers at ${url}`)]
    if (is !== "gateway") {
      const port = settingOf(settings, "server.port", "GATEWAY_PORT")
      return [
        problem(
          check,
          `${ownAddress(settings.server)}: ${words}`,
          is === "another"
            ? `Stop the program that has this port, or change ${port}.`
            : `Restart the gateway; if another program has this port, change ${port}.`
        )
      ]
    }
    if (Option.isNone(settings.adminKey)) {
      return [
        warning(
          check,
          `one answers at ${url}, but what it knows can't be asked`,
          "Set GATEWAY_ADMIN_KEY for it and for this command."
        )
      ]
    }
    const attention = yield* askedBy(
      settings,
      Effect.flatMap(Operator, ({ attention }) => attention)
    )
    return attention.length === 0
      ? [ok(check, `${url}: nothing needs attention`)]
      : attention.map(({ action, level, message }): Finding =>
          level === "error" ? problem(check, message, action) : warning(check, message, action)
        )
  })

/** The same with its nodes and the end of its log; parts that it does not tell are empty. */
export const runningGateway = (settings: GatewaySettings): Effect.Effect<RunningGateway> =>
  askedBy(
    settings,
    Effect.flatMap(Operator, ({ attention, logs, nodes }) =>
      Effect.all(
        {
          attention: Effect.orElseSucceed(attention, () => []),
          nodes: Effect.orElseSucceed(nodes, () => []),
          logs: Effect.orElseSucceed(logs.last({ limit: mostLines }), () => [])
        },
        { concurrency: "unbounded" }
      )
    )
  ).pipe(
    Effect.disconnect,
    Effect.timeout("10 seconds"),
    Effect.orElseSucceed(() => ({ attention: [], nodes: [], logs: [] }))
  )

const askedBy = <A, E>({ adminKey, server }: GatewaySettings, ask: Effect.Effect<A, E, Operator>) =>
  Option.match(adminKey, {
    onNone: () => Effect.dieMessage("no admin key"),
    onSome: (key) => Effect.provide(ask, remoteOperator({ url: ownAdminAddress(server), key, isHere: true }))
  })

import { Clock, Effect, Layer } from "effect"
import { alertsAccount } from "../access/alertsAccount.ts"
import { DeliveryStore } from "../callbacks/store/DeliveryStore.ts"
import { hostOf } from "../callbacks/store/deliveryStatements.ts"
import { DeliveryWake } from "../callbacks/DeliveryWake.ts"
import { Configuration } from "../config/Configuration.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { AttentionNow } from "./AttentionNow.ts"
import { Alerts } from "./store/Alerts.ts"
import type { Alert } from "./store/Alerts.ts"

const lookEvery = "20 seconds"

/** Tells each problem of `AttentionNow` once, by a log line and the webhook of `alerts`, and once more when it is over. */
export const AlertsLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const configuration = yield* Configuration
    const now = yield* AttentionNow
    const alerts = yield* Alerts
    const wake = yield* DeliveryWake

    const look = Effect.gen(function* () {
      const url = configuration.current().value.alerts?.url
      const problems = (yield* now.problems).filter(({ isAlert }) => isAlert)
      const nowMs = yield* Clock.currentTimeMillis
      const { raised, resolved } = yield* alerts.tell(problems, nowMs, url)
      yield* Effect.forEach(raised, (alert) => logAlert(alert, "raised"), { discard: true })
      yield* Effect.forEach(resolved, (alert) => logAlert(alert, "resolved"), { discard: true })
      if (url !== undefined && raised.length + resolved.length > 0) wake.due(hostOf(url), alertsAccount)
      return Effect.sleep(lookEvery)
    })

    yield* daemon("alerts", look, backoff)
  })
).pipe(
  Layer.provide([AttentionNow.Default, Alerts.Default, DeliveryStore.Default, DeliveryWake.Default, Daemons.Default])
)

const logAlert = ({ id, level, message, target, what }: Alert, state: "raised" | "resolved") => {
  const fields = { event: `alert.${state}`, alert: id, what, ...(target === null ? {} : { target }) }
  const line =
    state === "resolved"
      ? Effect.logInfo(`no longer: ${message}`)
      : level === "error"
        ? Effect.logError(message)
        : Effect.logWarning(message)
  return Effect.annotateLogs(line, fields)
}

import { Effect, Redacted } from "effect"
import { notHere } from "../../config/SecretFiles.ts"
import type { GatewaySettings } from "../../config/Settings.ts"
import { adminAddressFindings, certificateFindings, publicUrlFindings, publicUrlSetting } from "./addressFindings.ts"
import { databaseFindings, databaseRemedy } from "./databaseFindings.ts"
import { guardrailChecks, signInChecks, toolChecks, upstreamChecks } from "./elsewhereFindings.ts"
import type { Finding } from "./Finding.ts"
import { processFindings } from "./processFindings.ts"
import { reachChecks } from "./reachFindings.ts"
import { readSettings } from "./readSettings.ts"
import { redisFindings, redisSetting } from "./redisFindings.ts"
import { runningFindings } from "./runningFindings.ts"
import { bucketFindings, bucketSettings, diskFindings } from "./storageFindings.ts"
import { within } from "./within.ts"

/** Checks that wait for others at once. */
const most = 32

/** The findings of all checks, and the settings if they can be read. */
export interface Diagnosis {
  readonly findings: ReadonlyArray<Finding>
  readonly settings: GatewaySettings | undefined
}

/** A check, if the settings that it needs could be read; those that could not are a problem of the configuration. */
const known = <A>(settings: unknown, check: A): ReadonlyArray<A> => (isKnown(settings) ? [check] : [])

const isKnown = (value: unknown): boolean =>
  Redacted.isRedacted(value)
    ? Redacted.value(value) !== notHere
    : typeof value !== "object" || value === null || Object.values(value).every(isKnown)

/** Checks an installation. Whatever does not answer is a finding. */
export const diagnose: Effect.Effect<Diagnosis> = Effect.gen(function* () {
  const { findings, models, settings } = yield* readSettings
  if (settings === undefined) return { findings: [...findings, ...processFindings(1)], settings }
  const { file, filePath, isStored } = settings
  const checks = [
    ...known(
      [settings.databaseUrl, settings.pool],
      within("database", databaseRemedy(settings), databaseFindings(settings))
    ),
    ...known(
      [settings.redisUrl, settings.redisSentinel],
      within("redis", `Check ${redisSetting(settings)}.`, redisFindings(settings))
    ),
    ...known(settings.files, within("bucket", `Check ${bucketSettings(settings)}.`, bucketFindings(settings))),
    within("data directory", "Check GATEWAY_DATA_DIRECTORY: its file system does not answer.", diskFindings(settings)),
    Effect.sync(() => processFindings(settings.server.workers)),
    within("certificate", "Change the files of server.tls and server.admin.tls.", certificateFindings(settings)),
    within("public URL", `Check ${publicUrlSetting(settings)}.`, publicUrlFindings(settings)),
    within("admin address", "Check server.admin.", adminAddressFindings(settings)),
    ...(models === undefined ? [] : upstreamChecks(file, models, isStored || filePath._tag === "Some")),
    // The rest of the settings may be unknown, and none of these can be asked without it.
    ...(models === undefined
      ? []
      : [
          ...toolChecks(file.value),
          ...guardrailChecks(file.value),
          ...signInChecks(settings),
          ...reachChecks(settings)
        ]),
    within(
      "running gateway",
      "Set GATEWAY_ADMIN_KEY to the one that it was started with; `gateway attention` asks the same.",
      runningFindings(settings)
    )
  ]
  const found = yield* Effect.all(checks, { concurrency: most })
  return { findings: [...findings, ...found.flat()], settings }
})

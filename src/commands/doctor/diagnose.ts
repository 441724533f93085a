import { Effect } from "effect"
import type { GatewaySettings } from "../../config/Settings.ts"
import { adminAddressFindings, certificateFindings, publicUrlFindings, publicUrlSetting } from "./addressFindings.ts"
import { databaseFindings, databaseRemedy } from "./databaseFindings.ts"
import { signInFindings, toolChecks, upstreamChecks } from "./elsewhereFindings.ts"
import type { Finding } from "./Finding.ts"
import { processFindings } from "./processFindings.ts"
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

/** Checks an installation. Whatever does not answer is a finding. */
export const diagnose: Effect.Effect<Diagnosis> = Effect.gen(function* () {
  const { findings, models, settings } = yield* readSettings
  if (settings === undefined) return { findings: [...findings, ...processFindings(1)], settings }
  const { file, filePath, isStored } = settings
  const checks = [
    within("database", databaseRemedy(settings), databaseFindings(settings)),
    within("redis", `Check ${redisSetting(settings)}.`, redisFindings(settings)),
    within("bucket", `Check ${bucketSettings(settings)}.`, bucketFindings(settings)),
    within("data directory", "Check GATEWAY_DATA_DIRECTORY: its file system does not answer.", diskFindings(settings)),
    Effect.sync(() => processFindings(settings.server.workers)),
    within("certificate", "Change the files of server.tls and server.admin.tls.", certificateFindings(settings)),
    within("public URL", `Check ${publicUrlSetting(settings)}.`, publicUrlFindings(settings)),
    within("admin address", "Check server.admin.", adminAddressFindings(settings)),
    within("sign-in", "Check sign_in.oidc[].issuer and sign_in.jwt[].issuer.", signInFindings(settings)),
    ...(models === undefined ? [] : upstreamChecks(file, models, isStored || filePath._tag === "Some")),
    ...(models === undefined ? [] : toolChecks(file.value)),
    within(
      "running gateway",
      "Set GATEWAY_ADMIN_KEY to the one that it was started with; `gateway attention` asks the same.",
      runningFindings(settings)
    )
  ]
  const found = yield* Effect.all(checks, { concurrency: most })
  return { findings: [...findings, ...found.flat()], settings }
})

import { writeFile } from "node:fs/promises"
import { Data, Effect, Option } from "effect"
import { version } from "../../../package.json"
import { maskedFields } from "../../config/changedFields.ts"
import { maskSecrets, namesSecret } from "../../config/maskSecrets.ts"
import type { Environment } from "../../config/secretVariable.ts"
import type { GatewaySettings } from "../../config/Settings.ts"
import { latestVersion } from "../../sql/migrations.ts"
import type { Finding } from "./Finding.ts"
import { hiding, mask } from "./knownSecrets.ts"
import { runningGateway } from "./runningFindings.ts"

export class NotWritten extends Data.TaggedError("NotWritten")<{ readonly message: string }> {}

/** Longer texts are cut, and longer lists. */
const mostCharacters = 2_000
const mostItems = 500
const deepest = 8

/** Writes a report for others, without secrets, that only the user may read. */
export const writeBundle = (
  path: string,
  findings: ReadonlyArray<Finding>,
  settings: GatewaySettings | undefined,
  environment: Environment
) =>
  Effect.gen(function* () {
    const running =
      settings === undefined || Option.isNone(settings.adminKey) ? undefined : yield* runningGateway(settings)
    const report = {
      version,
      schema: latestVersion,
      runtime: `Bun ${Bun.version}`,
      platform: `${process.platform} ${process.arch}`,
      findings,
      settings: settings === undefined ? null : maskedFields(settings.file.value, mostItems),
      // Their values may be secrets.
      variables: Object.keys(environment).filter((name) => name.startsWith("GATEWAY_")),
      attention: running?.attention ?? null,
      nodes: running?.nodes ?? null,
      logs: running?.logs ?? null
    }
    const text = JSON.stringify(withoutSecrets(report, hiding(settings, environment), 0), null, 2)
    yield* Effect.tryPromise({
      try: () => writeFile(path, `${text}\n`, { mode: 0o600 }),
      catch: (cause) =>
        new NotWritten({ message: `--bundle: ${path}: ${cause instanceof Error ? cause.message : "not written"}` })
    })
  })

const withoutSecrets = (value: unknown, hide: (text: string) => string, depth: number): unknown => {
  if (typeof value === "string") return maskSecrets(hide(value), mask).slice(0, mostCharacters)
  if (typeof value !== "object" || value === null) return value
  if (depth >= deepest) return "…"
  if (Array.isArray(value)) return value.slice(0, mostItems).map((part) => withoutSecrets(part, hide, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, mostItems)
      .map(([name, part]) => [
        withoutSecrets(name, hide, depth),
        namesSecret(name) && typeof part === "string" ? mask : withoutSecrets(part, hide, depth + 1)
      ])
  )
}

import { writeFile } from "node:fs/promises"
import { Data, Effect, Option, Redacted } from "effect"
import { version } from "../../../package.json"
import { maskedFields } from "../../config/changedFields.ts"
import { maskSecrets, namesSecret } from "../../config/maskSecrets.ts"
import { secretVariables } from "../../config/secretVariables.ts"
import type { GatewaySettings } from "../../config/Settings.ts"
import { latestVersion } from "../../sql/migrations.ts"
import { CommandVariables } from "../CommandVariables.ts"
import type { Finding } from "./Finding.ts"
import { runningGateway } from "./runningFindings.ts"

export class NotWritten extends Data.TaggedError("NotWritten")<{ readonly message: string }> {}

const mask = "[secret]"
/** Longer texts are cut, and longer lists. */
const mostCharacters = 2_000
const mostItems = 500
const deepest = 8
/** Shorter values are placeholders, whose letters are in other words too. */
const shortestSecret = 6

/** Writes a report for others, without secrets, that only the user may read. */
export const writeBundle = (path: string, findings: ReadonlyArray<Finding>, settings: GatewaySettings | undefined) =>
  Effect.gen(function* () {
    const running =
      settings === undefined || Option.isNone(settings.adminKey) ? undefined : yield* runningGateway(settings)
    const environment = settings?.environment ?? (yield* CommandVariables)
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
    const known = secretsOf(settings, environment)
    const text = JSON.stringify(withoutSecrets(report, known, 0), null, 2)
    yield* Effect.tryPromise({
      try: () => writeFile(path, `${text}\n`, { mode: 0o600 }),
      catch: (cause) =>
        new NotWritten({ message: `--bundle: ${path}: ${cause instanceof Error ? cause.message : "not written"}` })
    })
  })

/** Every value that is known to be a secret, the longest first. */
const secretsOf = (
  settings: GatewaySettings | undefined,
  environment: Readonly<Record<string, string | undefined>>
): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (Redacted.isRedacted(value)) return visit(Redacted.value(value))
    if (typeof value === "string") return void found.add(value)
    if (typeof value === "object" && value !== null) for (const part of Object.values(value)) visit(part)
  }
  const redacted = (value: unknown): void => {
    if (Redacted.isRedacted(value)) visit(value)
    else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) redacted(part)
  }
  if (settings !== undefined) {
    const { adminKey, bootstrapKey, databaseUrl, file, files, pool, redisUrl, secret, webhookSecret } = settings
    redacted([
      file.value,
      databaseUrl,
      files,
      ...[adminKey, bootstrapKey, pool.directUrl, redisUrl, secret, webhookSecret].flatMap(Option.toArray)
    ])
  }
  const names = new Set<string>(secretVariables)
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && (names.has(name) || namesSecret(name))) found.add(value)
  }
  const passwords = [...found].flatMap((text) => {
    const password = URL.parse(text)?.password ?? ""
    return [password, decoded(password)]
  })
  return [...found, ...passwords]
    .filter((text) => text.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length)
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const withoutSecrets = (value: unknown, known: ReadonlyArray<string>, depth: number): unknown => {
  if (typeof value === "string") {
    const open = known.reduce((text, secret) => text.replaceAll(secret, mask), value)
    return maskSecrets(open, mask).slice(0, mostCharacters)
  }
  if (typeof value !== "object" || value === null) return value
  if (depth >= deepest) return "…"
  if (Array.isArray(value)) return value.slice(0, mostItems).map((part) => withoutSecrets(part, known, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, mostItems)
      .map(([name, part]) => [
        withoutSecrets(name, known, depth),
        namesSecret(name) && typeof part === "string" ? mask : withoutSecrets(part, known, depth + 1)
      ])
  )
}

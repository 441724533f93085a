import { Console, Effect, Layer, Option, Redacted } from "effect"
import { servedBy } from "../admin/readThrough.ts"
import { Settings } from "../config/Settings.ts"
import { signInProblem } from "../config/signInProblem.ts"
import { parseAllowed } from "../guard/addresses.ts"
import { readCertificate } from "../http/Certificate.ts"
import { entriesOf } from "../catalogue/Catalogue.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import { modelWarnings } from "../catalogue/modelWarnings.ts"
import { isSecret } from "../contract/callers/withoutSecrets.ts"
import { keysOf } from "../upstreams/keys/keysOf.ts"
import { logger } from "./administer.ts"
import { ownModels } from "./ownModels.ts"
import { priceShown } from "./priceShown.ts"
import { table } from "./table.ts"
import { SettingsLive, UnaskedSettings } from "./settings.ts"

/**
 * Validates the settings as a start does, and prints what would be served.
 * @param live also call every upstream
 */
export const checkGateway = (live: boolean) =>
  Effect.gen(function* () {
    const { file, filePath, isStored, server, warnings } = yield* Settings
    yield* parseAllowed(server.trustedProxies, "server.trusted_proxies")
    if (Option.isSome(server.tls)) yield* readCertificate(server.tls.value)
    const adminTls = Option.flatMap(server.admin, ({ tls }) => tls)
    if (Option.isSome(adminTls)) yield* readCertificate(adminTls.value, "server.admin")
    const problem = signInProblem(file, server)
    if (problem !== undefined) return yield* problem
    const models = yield* servedBy(file, ownModels)
    const upstreams = Object.entries(file.value.upstreams ?? {})
    yield* Console.log(table(header, entriesOf(models).map(row)))
    for (const [name, { list_models }] of upstreams) {
      if (list_models === true) yield* Console.log(`and every model that ${name} lists when the gateway starts`)
    }
    for (const line of [
      ...warnings,
      ...modelWarnings(
        file.value,
        entriesOf(models).map(({ id }) => id)
      )
    ])
      yield* Console.log(`warning: ${line}`)
    for (const [name, entry] of upstreams) {
      const keys = [...(entry.api_key === undefined ? [] : [entry.api_key]), ...keysOf(entry).map(({ key }) => key)]
      if (keys.every((key) => isSecret(Redacted.value(key)))) continue
      const setting = entry.keys === undefined ? "api_key" : "keys"
      yield* Console.log(
        `note: upstreams.${name}.${setting} is a placeholder: it is sent as it is, and not hidden in messages`
      )
    }
    if (live) {
      const { checkLive } = yield* Effect.promise(() => import("./live/checkLive.ts"))
      // Without a file the models are a built-in list: one that an upstream lacks is no mistake of the user's.
      const { checkSignIn } = yield* Effect.promise(() => import("./live/checkSignIn.ts"))
      yield* checkSignIn
      const { checkTools } = yield* Effect.promise(() => import("./live/checkTools.ts"))
      yield* checkTools(file.value)
      const { checkGuardrails } = yield* Effect.promise(() => import("./live/checkGuardrails.ts"))
      yield* checkGuardrails(file.value)
      yield* checkLive(file, models, isStored || Option.isSome(filePath))
    }
    if (isStored) {
      const version =
        file.version === undefined ? "No version was applied yet." : `Version ${file.version} is in order.`
      return yield* Console.log(`\n${version}`)
    }
    for (const line of file.opened ?? []) yield* Console.log(line)
    yield* Console.log(
      Option.match(filePath, {
        onNone: () => "\nNo gateway.yaml: the sandbox, and the providers whose keys are in the environment.",
        onSome: (path) => `\n${path} is in order.`
      })
    )
  }).pipe(Effect.provide(Layer.merge(live ? SettingsLive : UnaskedSettings, logger)))

const header = ["MODEL", "KIND", "ROUTES", "CONTEXT", "PRICE (a million tokens)"]

const row = (model: Model): ReadonlyArray<string> => [
  model.id,
  model.kind,
  model.routes.map((route) => `${route.upstream}/${route.model}`).join(", "),
  model.contextTokens === undefined ? "" : String(model.contextTokens),
  priceShown(model.routes[0]?.price)
]

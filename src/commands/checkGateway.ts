import { Console, Effect, Option } from "effect"
import { contradiction } from "../access/DeclaredKeys.ts"
import type { Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { Settings } from "../config/Settings.ts"
import { parseAllowed } from "../guard/addresses.ts"
import { readCertificate } from "../http/Certificate.ts"
import type { Model } from "../models/Catalogue.ts"
import { catalogueOf } from "../models/catalogueOf.ts"
import { modelWarnings } from "../models/modelWarnings.ts"
import { priced } from "../models/prices.ts"
import { placeOf } from "../upstreams/fromSettings.ts"
import { sandboxModels } from "../sandbox/SandboxText.ts"
import { priceShown } from "./priceShown.ts"
import { table } from "./table.ts"
import { sandboxVideoModel } from "../sandbox/video/SandboxVideo.ts"
import { SettingsLive } from "./settings.ts"

/** Everything the start would complain about, without a start; else what would be served. @param live whether upstreams are asked too, over the network */
export const checkGateway = (live: boolean) =>
  Effect.gen(function* () {
    const { file, filePath, isStored, server, warnings } = yield* Settings
    yield* parseAllowed(server.trustedProxies, "server.trusted_proxies")
    if (Option.isSome(server.tls)) yield* readCertificate(server.tls.value)
    const models = yield* checked(file)
    const upstreams = Object.entries(file.value.upstreams ?? {})
    yield* Console.log(table(header, [...models.values()].map(row)))
    for (const [name, { list_models }] of upstreams) {
      if (list_models === true) yield* Console.log(`and every model that ${name} lists when the gateway starts`)
    }
    for (const line of [...warnings, ...modelWarnings(file.value, models.keys())])
      yield* Console.log(`warning: ${line}`)
    if (live) {
      const { checkLive } = yield* Effect.promise(() => import("./live/checkLive.ts"))
      // Without a file the models are those that providers are known for: nobody wrote them.
      yield* checkLive(file, models, isStored || Option.isSome(filePath))
    }
    if (isStored) {
      const version =
        file.version === undefined ? "No version was applied yet." : `Version ${file.version} is in order.`
      return yield* Console.log(`\n${version}`)
    }
    yield* Console.log(
      Option.match(filePath, {
        onNone: () => "\nNo gateway.yaml: the sandbox, and the providers whose keys are in the environment.",
        onSome: (path) => `\n${path} is in order.`
      })
    )
  }).pipe(Effect.provide(SettingsLive))

/** Reads a configuration through as a start does. Answers the models that it would serve. */
export const checked = (file: Located<GatewayFile>) =>
  Effect.gen(function* () {
    const wrong = contradiction(file)
    if (wrong !== undefined) return yield* wrong
    for (const [name, entry] of Object.entries(file.value.upstreams ?? {})) yield* placeOf(file, name, entry)
    const all = yield* catalogueOf(file, [...sandboxModels, sandboxVideoModel])
    return yield* priced(all, file)
  })

const header = ["MODEL", "KIND", "ROUTES", "CONTEXT", "PRICE (USD a million tokens)"]

const row = (model: Model): ReadonlyArray<string> => [
  model.id,
  model.kind,
  model.routes.map((route) => `${route.upstream}/${route.model}`).join(", "),
  model.contextTokens === undefined ? "" : String(model.contextTokens),
  priceShown(model.price)
]

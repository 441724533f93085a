import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Option, Redacted, Stream } from "effect"
import { MasterSecret } from "../../access/MasterSecret.ts"
import { WebhookSecrets } from "../../access/WebhookSecrets.ts"
import { Keys } from "../../access/store/Keys.ts"
import { Administration } from "../../admin/Administration.ts"
import { actorNamed } from "../../contract/callers/Acting.ts"
import type { Environment } from "../../config/secretVariable.ts"
import type { OwnModels } from "../../catalogue/OwnModels.ts"
import { Configuration } from "../../config/Configuration.ts"
import { Settings, visitedUrl } from "../../config/Settings.ts"
import type { GatewaySettings } from "../../config/Settings.ts"
import type { CallByName } from "../../contract/handlers.ts"
import { Caller } from "../../contract/callers/Caller.ts"
import { callHandler } from "../../http/callHandler.ts"
import { PendingUsage } from "../../ledger/PendingUsage.ts"
import { Aside } from "../../sql/Aside.ts"
import { Commits } from "../../sql/Commits.ts"
import { Outbox } from "../../tasks/Outbox.ts"
import { TaskChanges } from "../../tasks/TaskChanges.ts"
import { TaskKinds, taskKinds } from "../../tasks/TaskKind.ts"
import { shipped } from "../../Parts.ts"
import { SessionAdministration } from "../../people/signIn/SessionAdministration.ts"
import * as Database from "../../sql/Database.ts"
import { CommandVariables } from "../CommandVariables.ts"
import { ownAdminAddress } from "../ownAddress.ts"
import { clientOf, Unreachable } from "./client.ts"
import type { AdminGateway } from "./client.ts"
import { operationsOn } from "./operations.ts"
import { Operator } from "./Operator.ts"

/** The user at the command line, for the audit log. */
export const actorOf = ({ SUDO_USER, USER }: Environment) =>
  actorNamed(`cli:${SUDO_USER ?? USER ?? `uid-${process.getuid?.() ?? "unknown"}`}`)

/**
 * Opens the database of the settings.
 * @param mayCreate false fails if there is none, so that a wrong folder does not look like an empty gateway
 */
export const openDatabase = (mayCreate: boolean) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const url = visitedUrl(yield* Settings)
      const file = yield* Database.fileOf(url)
      if (Option.isSome(file) && !existsSync(file.value)) {
        if (!mayCreate) {
          return yield* new Unreachable({
            message: `there is no database ${file.value}; run this command where the gateway runs, set GATEWAY_DATABASE_URL, or name a remote gateway with --url`
          })
        }
        yield* Effect.logInfo(`created a new database: ${file.value}`)
      }
      return Database.layer({ url, exclusive: false })
    })
  )

const hasMasterSecret = ({ dataDirectory, secret }: GatewaySettings) =>
  Option.isSome(secret) || existsSync(join(dataDirectory, "secret"))

const secrets = Layer.unwrapEffect(
  Effect.gen(function* () {
    const settings = yield* Settings
    const { dataDirectory, secret, webhookSecret } = settings
    // Commands that need the secret check `hasMasterSecret`; the others must not create the file.
    const unused = Option.some(Redacted.make(crypto.randomUUID()))
    const master = MasterSecret.layer({ given: hasMasterSecret(settings) ? secret : unused, directory: dataDirectory })
    return WebhookSecrets.layer(Option.getOrUndefined(webhookSecret)).pipe(Layer.provide(master))
  })
)

/** The stored tasks, without running them: a command is not a node. */
const storedTasks = shipped.taskStore.pipe(
  Layer.provide(TaskChanges.Default),
  Layer.provide(Layer.mergeAll(Outbox.none, Layer.succeed(TaskKinds, taskKinds()), Layer.succeed(Aside, undefined)))
)

/** Parts of a serving process that a command has, too. Its own use is stored at once. */
const shared = Layer.mergeAll(
  Configuration.Default,
  shipped.models,
  Layer.succeed(PendingUsage, { flush: Effect.void })
)

/** Administration of the database of the settings, with or without a running server. */
const administration = (mayCreate: boolean) =>
  Layer.mergeAll(Administration.Default, SessionAdministration.Default, Keys.Default).pipe(
    Layer.provideMerge(shared),
    Layer.provide(storedTasks),
    Layer.provide(Commits.Default),
    Layer.provide(secrets),
    Layer.provide(openDatabase(mayCreate))
  )

type Needs = Administration | Configuration | Keys | OwnModels | PendingUsage | SessionAdministration | Settings

/**
 * The operations that need no more than the database, by group. Each is imported on demand, to keep commands fast; a
 * running gateway answers the others.
 */
const handlersOf: Readonly<Record<string, Effect.Effect<object, { readonly message: string }, Needs>>> = {
  adminAccounts: Effect.flatMap(
    Effect.promise(() => import("../../admin/AccountsHandlers.ts")),
    ({ makeAccountsHandlers }) => Effect.provide(makeAccountsHandlers, shipped.addressGuard)
  ),
  adminConfigurations: Effect.flatMap(
    Effect.promise(() => import("../../admin/ConfigurationsHandlers.ts")),
    ({ makeConfigurationsHandlers }) => makeConfigurationsHandlers
  ),
  adminKeys: Effect.flatMap(
    Effect.promise(() => import("../../admin/KeysHandlers.ts")),
    ({ makeKeysHandlers }) => makeKeysHandlers
  ),
  adminOperations: Effect.flatMap(
    Effect.all([Effect.promise(() => import("../../admin/storedOperations.ts")), Settings]),
    ([{ makeStoredOperations }, settings]) => makeStoredOperations(isServedBy(settings))
  ),
  adminOverview: Effect.flatMap(
    Effect.promise(() => import("../../admin/storedOverview.ts")),
    ({ makeStoredOverview }) => makeStoredOverview
  ),
  adminPrices: Effect.flatMap(
    Effect.promise(() => import("../../admin/PricesHandlers.ts")),
    ({ makePricesHandlers }) => makePricesHandlers
  ),
  adminSessions: Effect.flatMap(
    Effect.promise(() => import("../../people/signIn/AdminSessionsHandlers.ts")),
    ({ makeAdminSessionsHandlers }) => makeAdminSessionsHandlers
  )
}

/** A database that does not answer this fails the next statement with its reason. */
const isServedBy = (settings: GatewaySettings) =>
  Effect.orElseSucceed(Database.isServed(visitedUrl(settings)), () => true)

const none = Effect.succeed({})

/** Webhook secrets are derived from the server's master secret, so they need that one. */
const needsSecret = new Set(["adminAccounts.webhookSecrets", "adminAccounts.rotateWebhookSecret"])

/** The handlers of the admin API in this process, without its daemons, beside a running gateway or not. */
const localGateway = Effect.gen(function* () {
  const settings = yield* Settings
  const context = yield* Effect.context<Needs>()
  const actor = actorOf(yield* CommandVariables)
  const acting = { ...actor, role: "operator", accounts: "all", bodies: true } as const
  const caller = { ...Caller.unrestricted("", actor.name), acting }
  const running = yield* Effect.cached(runningGateway(settings))
  const handlersIn = yield* Effect.cachedFunction((group: string) => Effect.provide(handlersOf[group] ?? none, context))

  const ask: CallByName = (group, operation, parts) =>
    Effect.gen(function* () {
      const handlers = yield* handlersIn(group)
      const answer = callHandler(handlers, operation, parts, caller)
      if (answer === undefined) return yield* (yield* running).ask(group, operation, parts)
      if (needsSecret.has(`${group}.${operation}`) && !hasMasterSecret(settings)) return yield* noSecret
      return yield* answer
    })

  return {
    client: clientOf(ask),
    isServed: isServedBy(settings),
    followLogs: (query) => Stream.unwrap(Effect.map(running, ({ followLogs }) => followLogs(query)))
  } satisfies AdminGateway
})

const noSecret = new Unreachable({
  message:
    "webhook secrets need the gateway's own secret: set GATEWAY_SECRET to the server's value, or start the server once"
})

/** The gateway that serves on this machine. */
const runningGateway = ({ adminKey, server }: GatewaySettings) =>
  Effect.gen(function* () {
    if (Option.isNone(adminKey)) {
      return yield* new Unreachable({
        message:
          "only a running gateway knows this: give it and this command the same GATEWAY_ADMIN_KEY (and --url, if it is remote)"
      })
    }
    const { remoteGateway } = yield* Effect.promise(() => import("./remote.ts"))
    return yield* remoteGateway({ url: ownAdminAddress(server), key: adminKey.value, isHere: true })
  })

/** Operations on this machine's database. */
export const localOperator = (mayCreate: boolean) =>
  Layer.provide(Layer.effect(Operator, Effect.map(localGateway, operationsOn)), administration(mayCreate))

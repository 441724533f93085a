import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Option, Redacted, Stream } from "effect"
import { MasterSecret } from "../../access/MasterSecret.ts"
import { WebhookSecrets } from "../../access/WebhookSecrets.ts"
import { Administration } from "../../admin/Administration.ts"
import { actorNamed } from "../../contract/Acting.ts"
import { withUnmatched } from "../../admin/modelRules.ts"
import { outcomeOf } from "../../admin/TaskAdministration.ts"
import { usualPriceList } from "../../config/sections/Prices.ts"
import { Settings, visitedUrl } from "../../config/Settings.ts"
import type { GatewaySettings } from "../../config/Settings.ts"
import { Aside } from "../../sql/Aside.ts"
import { Commits } from "../../sql/Commits.ts"
import { Outbox } from "../../tasks/Outbox.ts"
import { TaskChanges } from "../../tasks/TaskChanges.ts"
import { TaskKinds, taskKinds } from "../../tasks/TaskKind.ts"
import { shipped } from "../../Parts.ts"
import { SessionAdministration } from "../../console/SessionAdministration.ts"
import { requestOf } from "../../requests/ask.ts"
import { requestPage } from "../../requests/RequestPage.ts"
import { histogramOf } from "../../requests/RequestHistogram.ts"
import { everyRequest, following, matchingRequests } from "./storedRequests.ts"
import * as Database from "../../sql/Database.ts"
import { Operator, Unreachable } from "./Operator.ts"
import type { Answer, Operations } from "./Operator.ts"

/** The user at the command line, for the audit log. */
const actor = actorNamed(
  `cli:${process.env["SUDO_USER"] ?? process.env["USER"] ?? `uid-${process.getuid?.() ?? "unknown"}`}`
)

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

const hasMasterSecret = Effect.map(
  Settings,
  ({ dataDirectory, secret }) => Option.isSome(secret) || existsSync(join(dataDirectory, "secret"))
)

const secrets = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { dataDirectory, secret, webhookSecret } = yield* Settings
    // Commands that need the secret check `hasMasterSecret`; the others must not create the file.
    const unused = Option.some(Redacted.make(crypto.randomUUID()))
    const master = MasterSecret.layer({ given: (yield* hasMasterSecret) ? secret : unused, directory: dataDirectory })
    return WebhookSecrets.layer(Option.getOrUndefined(webhookSecret)).pipe(Layer.provide(master))
  })
)

/** The stored tasks, without running them: a command is not a node. */
const storedTasks = shipped.taskStore.pipe(
  Layer.provide(TaskChanges.Default),
  Layer.provide(Layer.mergeAll(Outbox.none, Layer.succeed(TaskKinds, taskKinds()), Layer.succeed(Aside, undefined)))
)

/** Administration of the database of the settings, with or without a running server. */
const administration = (mayCreate: boolean) =>
  Layer.merge(Administration.Default, SessionAdministration.Default).pipe(
    Layer.provide(storedTasks),
    Layer.provide(Commits.Default),
    Layer.provide(secrets),
    Layer.provide(openDatabase(mayCreate))
  )

/** The wait for a cancellation: the server may be submitting the task, or calling its upstream. */
const patienceMs = 15_000

const operations = Effect.gen(function* () {
  const settings = yield* Settings
  const all = yield* Administration
  const sessions = yield* SessionAdministration
  const {
    accounts,
    audit,
    configuration,
    deliveries,
    ending,
    keys,
    members,
    nodes,
    prices,
    requests,
    tasks,
    usage,
    webhooks
  } = all
  const first = (limit: number) => ({ offset: 0, limit })
  /** Webhook secrets are derived from the server's master secret, so they need that one. */
  const withSecret = <A>(effect: Answer<A>): Answer<A> =>
    Effect.flatMap(Effect.provideService(hasMasterSecret, Settings, settings), (has) =>
      has ? effect : Effect.fail(noSecret)
    )
  const noted = <A extends Parameters<typeof withUnmatched>[0]>(record: A) =>
    Effect.promise(async () => {
      const [{ unmatched }, { ownModels }] = await Promise.all([
        import("../../catalogue/modelWarnings.ts"),
        import("../ownModels.ts")
      ])
      const file = settings.file.value
      const served = [...ownModels.map(({ id }) => id), ...Object.keys(file.models ?? {})]
      return withUnmatched(record, (patterns) => unmatched(patterns, file, served))
    })
  const served: Operations = {
    keys: {
      list: ({ limit, ...filter }) => keys.list({ ...filter, ...first(limit) }),
      show: (id) => Effect.flatMap(keys.show(id), noted),
      ofSecret: (part) => keys.ofSecret(part),
      create: (options) =>
        Effect.flatMap(keys.create(actor, options), ({ key, secret }) =>
          Effect.map(noted(key), (key) => ({ key, secret }))
        ),
      update: (id, options) => Effect.flatMap(keys.update(actor, id, options), noted),
      revoke: (id) => keys.revoke(actor, id),
      rotateSecret: (id) => keys.rotateSecret(actor, id),
      resetBudgets: (id) => keys.resetBudgets(actor, id)
    },
    accounts: {
      list: (limit) => accounts.list(first(limit)),
      show: (id) => Effect.flatMap(accounts.show(id), noted),
      create: (id, options) => Effect.flatMap(accounts.create(actor, id, options), noted),
      set: (id, options) => Effect.flatMap(accounts.set(actor, id, options), noted),
      credit: (id, nanoUsd, note) => accounts.credit(actor, id, nanoUsd, note),
      resetBudgets: (id) => accounts.resetBudgets(actor, id),
      suspend: (id) => ending.suspend(actor, id),
      resume: (id) => ending.resume(actor, id),
      delete: (id) => ending.remove(actor, id),
      grantsOf: accounts.grantsOf,
      members: (id) => members.list(id, settings.file.value.sign_in?.roles ?? [])
    },
    tasks: {
      list: tasks.list,
      show: tasks.show,
      cancel: (id) =>
        Effect.gen(function* () {
          const isServed = yield* Database.isServed(visitedUrl(settings))
          const answer = yield* tasks.cancel(actor, id, isServed ? patienceMs : 0)
          return yield* outcomeOf(answer, isServed)
        }).pipe(Effect.catchTag("DatabaseUnavailable", ({ message }) => new Unreachable({ message })))
    },
    deliveries: { list: deliveries.list, redeliver: (id) => deliveries.redeliver(actor, id) },
    webhooks: {
      show: (account) => withSecret(webhooks.show(account)),
      rotate: (account) => withSecret(webhooks.rotate(actor, account))
    },
    requests: {
      list: (filter, limit) => matchingRequests(requests, filter, limit),
      show: (id) => requestOf(requests, id),
      conversation: (account, conversation) => requestPage(requests, { account, conversation }),
      all: (filter) => everyRequest(requests, filter),
      histogram: (filter, span) => histogramOf(requests, filter, span),
      follow: (filter) => following(requests, filter)
    },
    groups: (asked) => all.groups.of(asked),
    costOn: (model, asked) => serving(settings, ({ costOn }) => costOn(model, asked)),
    usage,
    audit: { list: audit.list, show: audit.find },
    nodes: nodes.list,
    attention: serving(settings, ({ attention }) => attention),
    upstreams: serving(settings, ({ upstreams }) => upstreams),
    models: (since) => serving(settings, ({ models }) => models(since)),
    configuration: {
      apply: ({ document, name, note }) =>
        Effect.gen(function* () {
          const file = yield* settings.readText(name, document)
          const { readThrough } = yield* Effect.promise(() => import("../../admin/readThrough.ts"))
          const { ownModels } = yield* Effect.promise(() => import("../ownModels.ts"))
          yield* readThrough(document, file, ownModels)
          return yield* configuration.apply({ actor, document, note })
        }),
      rollback: (version) => configuration.rollback(actor, version),
      show: configuration.show,
      history: configuration.history
    },
    prices: {
      refresh: (accepts) =>
        Effect.suspend(() => {
          const from = settings.file.value.prices?.from ?? usualPriceList
          return prices.refresh(actor, { from, proxy: settings.proxyOf(from) }, accepts)
        }),
      reset: prices.reset(actor)
    },
    sessions: {
      list: (limit) => sessions.list(first(limit), settings.file.value),
      revoke: (id) => sessions.revoke(actor, id, settings.file.value)
    },
    logs: {
      last: (query) => serving(settings, ({ logs }) => logs.last(query)),
      follow: (query) => Stream.unwrap(serving(settings, ({ logs }) => Effect.succeed(logs.follow(query))))
    }
  }
  return served
})

const noSecret = new Unreachable({
  message:
    "webhook secrets need the gateway's own secret: set GATEWAY_SECRET to the server's value, or start the server once"
})

/** Calls the admin API of the gateway that serves on this machine. */
const serving = <A>({ adminKey, server }: GatewaySettings, ask: (operations: Operations) => Answer<A>): Answer<A> =>
  Effect.gen(function* () {
    if (Option.isNone(adminKey)) {
      return yield* new Unreachable({
        message:
          "only a running gateway knows this: give it and this command the same GATEWAY_ADMIN_KEY (and --url, if it is remote)"
      })
    }
    const { remoteOperations } = yield* Effect.promise(() => import("./remote.ts"))
    const host = /^(0\.0\.0\.0|::|\[::\])$/.test(server.host) ? "127.0.0.1" : server.host
    const url = `${Option.isSome(server.tls) ? "https" : "http"}://${host}:${server.port}`
    return yield* ask(yield* remoteOperations({ url, key: adminKey.value }))
  })

/** Operations on this machine's database. */
export const localOperator = (mayCreate: boolean) =>
  Layer.provide(Layer.effect(Operator, operations), administration(mayCreate))

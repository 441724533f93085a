import { existsSync } from "node:fs"
import { join } from "node:path"
import { Data, Effect, Layer, Logger, Option, Redacted } from "effect"
import { BadSecret, MasterSecret } from "../access/MasterSecret.ts"
import { WebhookSecrets } from "../access/WebhookSecrets.ts"
import { Administration } from "../admin/Administration.ts"
import type { Actor } from "../admin/store/Audit.ts"
import { Settings, visitedUrl } from "../config/Settings.ts"
import * as Database from "../sql/Database.ts"
import { SettingsLive } from "./settings.ts"

/** Who is at the command line, for the audit log. */
export const actor: Actor = `cli:${process.env["SUDO_USER"] ?? process.env["USER"] ?? `uid-${process.getuid?.() ?? "unknown"}`}`

/** There is no database to work on; the message says where it was looked for. */
class NoDatabase extends Data.TaggedError("NoDatabase")<{ readonly message: string }> {}

/** A wrong folder must not look like an empty gateway: only what may come before the first start makes a database. */
const openDatabase = (mayCreate: boolean) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const url = visitedUrl(yield* Settings)
      const file = yield* Database.fileOf(url)
      if (Option.isSome(file) && !existsSync(file.value)) {
        if (!mayCreate) {
          return yield* new NoDatabase({
            message: `there is no database ${file.value}; run this where the gateway runs, or name it with GATEWAY_DATABASE_URL`
          })
        }
        yield* Effect.logInfo(`made a new database: ${file.value}`)
      }
      return Database.layer({ url, exclusive: false })
    })
  )

const hasMasterSecret = Effect.map(
  Settings,
  ({ dataDirectory, secret }) => Option.isSome(secret) || existsSync(join(dataDirectory, "secret"))
)

/** Webhook secrets come from the server's master secret: with another one, they would be others. */
export const needsMasterSecret = Effect.flatMap(hasMasterSecret, (has) =>
  has
    ? Effect.void
    : new BadSecret({
        message:
          "webhook secrets need the gateway's own secret: set GATEWAY_SECRET as the server has it, or start the server once"
      })
)

const secrets = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { dataDirectory, secret, webhookSecret } = yield* Settings
    // Who needs it has asked `needsMasterSecret`; the others must not leave a file behind.
    const unused = Option.some(Redacted.make(crypto.randomUUID()))
    const master = MasterSecret.layer({ given: (yield* hasMasterSecret) ? secret : unused, directory: dataDirectory })
    return WebhookSecrets.layer(Option.getOrUndefined(webhookSecret)).pipe(Layer.provide(master))
  })
)

/** What a command says beside its answer goes to standard error. */
export const logger = Logger.replace(
  Logger.defaultLogger,
  Logger.withConsoleError(Logger.make(({ message }) => `gateway: ${[message].flat().map(String).join(" ")}`))
)

/**
 * Runs a command on the gateway's database, whether or not a server runs on it.
 * @param options.mayCreate whether it may come before the first start
 * @param options.settings others than this process's usual ones
 */
export const administering = <A, E>(
  command: Effect.Effect<A, E, Administration | Settings>,
  options: { readonly mayCreate: boolean; readonly settings?: typeof SettingsLive } = { mayCreate: false }
) =>
  command.pipe(
    Effect.provide(
      Administration.Default.pipe(
        Layer.provide(secrets),
        Layer.provide(openDatabase(options.mayCreate)),
        Layer.provideMerge(options.settings ?? SettingsLive),
        Layer.provideMerge(logger)
      )
    )
  )

import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { withoutSlash } from "../config/withoutSlash.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import { Unreachable } from "./operator/Operator.ts"
import type { Operator } from "./operator/Operator.ts"

/** The address of the gateway that a command is for, where it is not that of this machine's database. */
export class Elsewhere extends Context.Reference<Elsewhere>()("gateway/commands/Elsewhere", {
  defaultValue: (): string | undefined => process.env["GATEWAY_URL"]
}) {}

/** What a command says beside its answer goes to standard error. */
export const logger = Logger.replace(
  Logger.defaultLogger,
  Logger.withConsoleError(Logger.make(({ message }) => `gateway: ${[message].flat().map(String).join(" ")}`))
)

interface Options {
  /** Whether it may come before the first start, and make the database. */
  readonly mayCreate: boolean
  /** Whether it works on the database that the environment names, also where this machine could not start with what is in it. */
  readonly withoutFile?: boolean
}

/** Both are loaded where they are wanted: neither waits for what only the other uses. */
const here = ({ mayCreate, withoutFile = false }: Options) =>
  Layer.unwrapEffect(
    Effect.promise(async () => {
      const { localOperator } = await import("./operator/local.ts")
      const { SettingsLive, WithoutFile } = await import("./settings.ts")
      return Layer.provide(localOperator(mayCreate), withoutFile ? WithoutFile : SettingsLive)
    })
  )

/** Why there is nothing to work on. */
type Closed = Layer.Layer.Error<ReturnType<typeof here>> | Layer.Layer.Error<ReturnType<typeof elsewhere>>

const elsewhere = (url: string) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const key = process.env["GATEWAY_ADMIN_KEY"]
      if (URL.parse(url)?.protocol.match(/^https?:$/) == null) {
        return yield* new InvalidRequest({
          param: "url",
          message: `--url: expected the address of a gateway, such as https://gateway.example.com; got "${url}"`
        })
      }
      if (key === undefined || key === "") {
        return yield* new Unreachable({ message: `${url} wants its GATEWAY_ADMIN_KEY, which is not set here` })
      }
      const { remoteOperator } = yield* Effect.promise(() => import("./operator/remote.ts"))
      return remoteOperator({ url: withoutSlash(url), key: Redacted.make(key) })
    })
  )

const operator = (options: Options) =>
  Layer.unwrapEffect(
    Effect.map(Elsewhere, (url): Layer.Layer<Operator, Closed> =>
      url === undefined || url === "" ? here(options) : elsewhere(url)
    )
  )

/**
 * Runs a command on the gateway of this machine's database, whether or not a server runs on it; or on the one that
 * `--url` or `GATEWAY_URL` names, by its admin API.
 */
export const administering = <A, E>(command: Effect.Effect<A, E, Operator>, options: Options = { mayCreate: false }) =>
  Effect.provide(command, Layer.provideMerge(operator(options), logger))

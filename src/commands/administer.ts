import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { configurationFile, environmentOf } from "../config/environment.ts"
import { isSet } from "../config/secretVariable.ts"
import { withoutSlash } from "../config/withoutSlash.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { CommandVariables } from "./CommandVariables.ts"
import { Unreachable } from "./operator/client.ts"
import type { Operator } from "./operator/Operator.ts"

/** The address that `--url` gives. */
export class RemoteUrl extends Context.Reference<RemoteUrl>()("gateway/commands/RemoteUrl", {
  defaultValue: (): string | undefined => undefined
}) {}

/** The address of a remote gateway; undefined for the gateway of this machine's database. */
export const remoteUrl = Effect.map(
  Effect.all([RemoteUrl, CommandVariables]),
  ([given, variables]) => given ?? variables["GATEWAY_URL"]
)

/** Log lines of commands go to standard error; standard output has the answer alone. */
export const logger = Logger.replace(
  Logger.defaultLogger,
  Logger.withConsoleError(Logger.make(({ message }) => `gateway: ${[message].flat().map(String).join(" ")}`))
)

interface Options {
  /** True: a command that works before the first start, and creates the database. */
  readonly mayCreate: boolean
  /** True: only the environment is read, so the command works even if the stored configuration is invalid here. */
  readonly withoutFile?: boolean
}

/** The local and the remote operator are imported on demand, to keep commands fast. */
const local = ({ mayCreate, withoutFile = false }: Options) =>
  Layer.unwrapEffect(
    Effect.promise(async () => {
      const { localOperator } = await import("./operator/local.ts")
      const { CommandSettings, WithoutFile } = await import("./settings.ts")
      return Layer.provide(localOperator(mayCreate), withoutFile ? WithoutFile : CommandSettings)
    })
  )

/** Failures to reach the database or the remote gateway. */
type OperatorError = Layer.Layer.Error<ReturnType<typeof local>> | Layer.Layer.Error<ReturnType<typeof remote>>

const remote = (url: string) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const variables = yield* CommandVariables
      const { GATEWAY_ADMIN_KEY: key } = isSet(variables, "GATEWAY_ADMIN_KEY")
        ? variables
        : yield* environmentOf(variables, configurationFile(variables))
      if (URL.parse(url)?.protocol.match(/^https?:$/) == null) {
        return yield* new InvalidRequest({
          param: "url",
          message: `--url: expected the address of a gateway, such as https://gateway.example.com; got "${url}"`
        })
      }
      if (key === undefined || key === "") {
        return yield* new Unreachable({ message: `${url} needs its GATEWAY_ADMIN_KEY, which is not set here` })
      }
      const { remoteOperator } = yield* Effect.promise(() => import("./operator/remote.ts"))
      return remoteOperator({ url: withoutSlash(url), key: Redacted.make(key) })
    })
  )

const operator = (options: Options) =>
  Layer.unwrapEffect(
    Effect.map(remoteUrl, (url): Layer.Layer<Operator, OperatorError> =>
      url === undefined || url === "" ? local(options) : remote(url)
    )
  )

/**
 * Runs a command on this machine's database, with or without a running server, or on the admin API of the gateway that
 * `--url` or `GATEWAY_URL` names.
 */
export const administer = <A, E>(command: Effect.Effect<A, E, Operator>, options: Options = { mayCreate: false }) =>
  Effect.provide(command, Layer.provideMerge(operator(options), logger))

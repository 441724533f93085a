import { Context, Deferred, Effect, Layer, Option } from "effect"
import { testDouble } from "../contract/testDouble.ts"
import { PublicUrl } from "./PublicUrl.ts"
import { Settings } from "./Settings.ts"
import { withoutSlash } from "./withoutSlash.ts"

/** An address at which the gateway is served. */
export interface EntryPoint {
  /** `whole`: it serves everything. With `server.admin`, `public` lacks the operators' part, and `admin` has all of it. */
  readonly name: "whole" | "public" | "admin"
  /** Its address for clients, without a trailing slash. If none is configured, waits for the listening address. */
  readonly url: Effect.Effect<string>
  /** The configured one, which is known before it listens. */
  readonly configuredUrl: string | undefined
  /** True if the gateway itself speaks TLS there. */
  readonly hasTls: boolean
}

/** The gateway's addresses, as `server.admin` says. */
export class EntryPoints extends Context.Tag("gateway/config/EntryPoints")<
  EntryPoints,
  {
    readonly public: EntryPoint
    /** The one that operators use: the same as `public` without `server.admin`. */
    readonly admin: EntryPoint
    /** Called by the server once it listens. */
    readonly adminListensOn: (url: URL) => Effect.Effect<void>
  }
>() {
  static readonly Default = Layer.effect(
    EntryPoints,
    Effect.gen(function* () {
      const { server } = yield* Settings
      const { get } = yield* PublicUrl
      const listening = yield* Deferred.make<string>()
      const entry = (
        name: EntryPoint["name"],
        url: Effect.Effect<string>,
        { publicUrl, tls }: Pick<typeof server, "publicUrl" | "tls">
      ): EntryPoint => ({ name, url, configuredUrl: Option.getOrUndefined(publicUrl), hasTls: Option.isSome(tls) })
      const adminListensOn = (url: URL) => Effect.asVoid(Deferred.succeed(listening, withoutSlash(url.href)))
      if (Option.isNone(server.admin)) {
        const whole = entry("whole", get, server)
        return { public: whole, admin: whole, adminListensOn }
      }
      const { publicUrl } = server.admin.value
      const url = Option.match(publicUrl, {
        onNone: () => Deferred.await(listening),
        onSome: (url) => Effect.succeed(withoutSlash(url))
      })
      return {
        public: entry("public", get, server),
        admin: entry("admin", url, server.admin.value),
        adminListensOn
      }
    })
  )

  /** For tests: using a missing member dies. */
  static readonly Test = (given: Partial<(typeof EntryPoints)["Service"]>) => testDouble(EntryPoints, given)
}

import { Data, Effect, Either } from "effect"
import type { Scope } from "effect"
import { InvalidRequest } from "../contract/Failure.ts"
import { testDouble } from "../contract/testDouble.ts"
import { AllowedAddresses, isCallable } from "./addresses.ts"
import { hostOf, parseCallerUrl } from "./callerUrl.ts"
import { dial, DialFailed } from "./dial.ts"
import type { CheckedUrl } from "./dial.ts"
import { download } from "./download.ts"
import type { Download, Patience } from "./download.ts"
import { Resolver } from "./Resolver.ts"

/** Why an address isn't called, in words for whoever gave it: nothing of what a name resolved to is in them. */
class AddressRefused extends Data.TaggedError("AddressRefused")<{
  readonly reason: string
  /** The name had no answer, which may pass; everything else is for good. */
  readonly unresolved: boolean
}> {}

/**
 * Stands before every address that a caller gave: http or https without credentials, resolved once, every answer
 * public (or opened by the operator), and the checked answer is the one dialled.
 */
export class AddressGuard extends Effect.Service<AddressGuard>()("gateway/guard/AddressGuard", {
  effect: Effect.gen(function* () {
    const resolver = yield* Resolver
    const allowed = yield* AllowedAddresses

    const check = (written: string): Effect.Effect<CheckedUrl, AddressRefused> =>
      Either.match(parseCallerUrl(written), {
        onLeft: (reason) => Effect.fail(new AddressRefused({ reason, unresolved: false })),
        onRight: (url) => Effect.map(answers(url), (addresses) => ({ url, addresses }))
      })

    const answers = (url: URL) => {
      const host = hostOf(url)
      return (isLiteral(host) ? Effect.succeed([host]) : resolver.resolve(host)).pipe(
        Effect.orElseSucceed((): ReadonlyArray<string> => []),
        Effect.filterOrFail(
          (addresses) => addresses.length > 0,
          () => new AddressRefused({ reason: "the host name does not resolve", unresolved: true })
        ),
        Effect.filterOrFail(
          (addresses) => addresses.every((address) => isCallable(address, allowed)),
          () => new AddressRefused({ reason: notPublic, unresolved: false })
        )
      )
    }

    /**
     * For a create: refuses what will never be called. A name that doesn't resolve now may at the first delivery, where
     * it is checked again.
     * @param param the field that holds the address, for the failure
     */
    const admit = (written: string, param: string): Effect.Effect<void, InvalidRequest> =>
      check(written).pipe(
        Effect.catchIf(
          (refused) => refused.unresolved,
          () => Effect.void
        ),
        Effect.mapError((refused) => new InvalidRequest({ message: `${param}: ${refused.reason}`, param })),
        Effect.asVoid
      )

    /**
     * The bytes behind a caller's image, video, audio or document address.
     * @param param the field that holds the address, for the failure
     */
    const fetchBytes = (
      written: string,
      options: { readonly param: string; readonly maxBytes: number; readonly totalTimeoutMs?: number }
    ): Effect.Effect<Uint8Array, InvalidRequest> => {
      const invalid = (reason: string) =>
        new InvalidRequest({ message: `${options.param}: ${reason}`, param: options.param })
      return check(written).pipe(
        Effect.flatMap((checked) =>
          dial(checked, {
            method: "GET",
            headers: { "user-agent": "model-gateway", accept: "*/*" },
            connectTimeoutMs: 5_000,
            totalTimeoutMs: options.totalTimeoutMs ?? 30_000,
            maxBytes: options.maxBytes
          })
        ),
        Effect.mapError((failed) => invalid(failed.reason)),
        Effect.flatMap((reply) => {
          if (reply.status !== 200)
            return Effect.fail(invalid(`expected the address to answer 200; got ${reply.status}`))
          if (reply.complete) return Effect.succeed(reply.body)
          const whole = reply.body.length < options.maxBytes
          return Effect.fail(invalid(whole ? "the download broke off" : `expected at most ${options.maxBytes} bytes`))
        })
      )
    }

    /**
     * What is behind an address, read piece by piece. Where it has moved to is checked as it was, a few times over.
     * @returns an answer of any status but a redirect's
     */
    const open = (
      written: string,
      patience: Patience,
      redirects = 3
    ): Effect.Effect<Download, AddressRefused | DialFailed, Scope.Scope> =>
      Effect.flatMap(
        Effect.flatMap(check(written), (checked) => download(checked, patience)),
        (answer) => {
          if (answer.location === undefined || answer.status < 300 || answer.status > 399) return Effect.succeed(answer)
          const next = URL.parse(answer.location, written)?.href
          return next === undefined || redirects === 0
            ? new DialFailed({ reason: "it is elsewhere, and not where it says" })
            : open(next, patience, redirects - 1)
        }
      )

    return { check, admit, dial, fetchBytes, open } as const
  })
}) {
  /** For tests: what is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<AddressGuard, "_tag">>) => testDouble(AddressGuard, given)
}

const notPublic =
  "expected a public address; loopback, private, link-local, reserved and metadata networks are not called"

const isLiteral = (host: string) => host.includes(":") || /^[\d.]+$/.test(host)

import { Data, Effect, Either } from "effect"
import type { Scope } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { testDouble } from "../contract/testDouble.ts"
import { AllowedAddresses, CallerProxy, isCallable } from "./addresses.ts"
import { makeCallerFiles } from "./CallerFiles.ts"
import { hostOf, parseCallerUrl } from "./callerUrl.ts"
import { dial, DialFailed } from "./dial.ts"
import type { CheckedUrl, Outgoing } from "./dial.ts"
import { dialStreamed, download } from "./download.ts"
import type { Download, Patience, Streamed } from "./download.ts"
import { Resolver } from "./Resolver.ts"

/** The refusal of an address. Callers see the reason, so it does not reveal what a name resolved to. */
class AddressRefused extends Data.TaggedError("AddressRefused")<{
  readonly reason: string
  /** The name does not resolve, which may be temporary; other refusals are permanent. */
  readonly unresolved: boolean
  /** The operator's setting that would allow the address; absent if none would. */
  readonly setting?: string
}> {}

/**
 * Guards all calls to addresses from callers (SSRF): http or https without credentials, resolved once, with only public
 * addresses (or allowed ones). The checked addresses are the ones dialled; a proxy, if there is one, resolves anew.
 */
export class AddressGuard extends Effect.Service<AddressGuard>()("gateway/guard/AddressGuard", {
  effect: Effect.gen(function* () {
    const resolver = yield* Resolver
    const allowed = yield* AllowedAddresses
    const proxyOf = yield* CallerProxy

    const checkWith =
      (isAllowed: (address: string) => boolean) =>
      (written: string): Effect.Effect<CheckedUrl, AddressRefused> =>
        Either.match(parseCallerUrl(written), {
          onLeft: (reason) => Effect.fail(new AddressRefused({ reason, unresolved: false })),
          onRight: (url) => {
            const proxy = proxyOf(url.href)
            return answers(url, isAllowed).pipe(
              // Behind a proxy, outside names often resolve nowhere but at the proxy.
              Effect.catchIf(
                ({ unresolved }) => unresolved && proxy !== undefined,
                () => Effect.succeed([])
              ),
              Effect.map((addresses) => ({ url, addresses, proxy }))
            )
          }
        })

    const check = checkWith((address) => isCallable(address, allowed))

    /** The same for an address of the operator's, which may be private. */
    const resolve = checkWith(() => true)

    const answers = (url: URL, isAllowed: (address: string) => boolean) => {
      const host = hostOf(url)
      return (isLiteral(host) ? Effect.succeed([host]) : resolver.resolve(host)).pipe(
        Effect.orElseSucceed((): ReadonlyArray<string> => []),
        Effect.filterOrFail(
          (addresses) => addresses.length > 0,
          () => new AddressRefused({ reason: "the host name does not resolve", unresolved: true })
        ),
        Effect.filterOrFail(
          (addresses) => addresses.every(isAllowed),
          () => new AddressRefused({ reason: notPublic, unresolved: false, setting: "callbacks.allow" })
        )
      )
    }

    /**
     * Refuses a callback address that will never be called. An unresolved name passes, because the delivery checks it
     * again.
     * @param param the field, for the failure
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
     * Downloads a caller's image, video, audio or document.
     * @param param the field, for the failure
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
     * Opens a download. Follows up to `redirects` redirects, and checks each target.
     * @returns an answer with any status but a followed redirect's
     */
    const open = (
      written: string,
      patience: Patience,
      { range, redirects = 3 }: { readonly range?: string | undefined; readonly redirects?: number } = {}
    ): Effect.Effect<Download, AddressRefused | DialFailed, Scope.Scope> =>
      Effect.flatMap(
        Effect.flatMap(check(written), (checked) => download(checked, patience, range)),
        (answer) => {
          if (answer.location === undefined || answer.status < 300 || answer.status > 399) return Effect.succeed(answer)
          const next = URL.parse(answer.location, written)?.href
          return next === undefined || redirects === 0
            ? new DialFailed({ reason: "it is elsewhere, and not where it says" })
            : open(next, patience, { range, redirects: redirects - 1 })
        }
      )

    /** Sends a request to a caller's address, whose answer is read in chunks. Follows no redirects. */
    const exchange = (
      written: string,
      patience: Patience,
      request: Pick<Outgoing, "method" | "headers" | "body">
    ): Effect.Effect<Streamed, AddressRefused | DialFailed, Scope.Scope> =>
      Effect.flatMap(check(written), (checked) => dialStreamed(checked, patience, request))

    /** Images and PDFs of requests, for upstreams that take their bytes alone. */
    const files = makeCallerFiles(open)

    return { check, resolve, admit, dial, exchange, fetchBytes, open, files } as const
  })
}) {
  /** For tests: using a missing member dies. */
  static readonly Test = (given: Partial<Omit<AddressGuard, "_tag">>) => testDouble(AddressGuard, given)
}

const notPublic =
  "expected a public address; loopback, private, link-local, reserved and metadata networks are not called"

const isLiteral = (host: string) => host.includes(":") || /^[\d.]+$/.test(host)

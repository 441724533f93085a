import { Clock, Deferred, Effect, Exit, FiberId } from "effect"
import { NoCredentials } from "./Auth.ts"

/** Credentials and their end. */
export interface Credentials<A> {
  readonly value: A
  /** In ms since 1970, by the clock of the service that gave them; undefined if they have no end that is known. */
  readonly endsAtMs: number | undefined
}

/** Credentials are renewed this long before their end, or after half of a shorter life, in ms. */
const aheadMs = 300_000
/** They are not used in the last moments, because the request has yet to arrive. */
const lastMs = 10_000
/** How long their source is not asked again after a failure, in ms. */
const restMs = 5_000
/** Refused credentials are fetched again, but no more often than this, in ms: a caller can provoke a refusal. */
const refusalMs = 60_000

/** The longest fetch: a program of a profile may hang. */
const patience = "1 minute"

/** Credentials that are fetched once for all requests and renewed ahead of their end. */
export interface Renewed<A> {
  /** Waits only if there are none that are valid. */
  readonly get: Effect.Effect<A, NoCredentials>
  /** They were refused. True if there are others, which are fetched if need be; those refused stay in use until then. */
  readonly refused: (value: A) => Effect.Effect<boolean>
  /** Those that calls under way may have. */
  readonly recent: () => ReadonlyArray<A>
}

/**
 * @param fetch asks their source; one call at a time. While it fails, credentials that are still valid remain in use.
 * @param offsetMs the known correction of this machine's clock
 */
export const makeRenewed = <A>(
  fetch: Effect.Effect<Credentials<A>, NoCredentials>,
  offsetMs: () => number = () => 0
): Effect.Effect<Renewed<A>> =>
  Effect.sync(() => {
    let current: { readonly value: A; readonly endsAtMs: number; readonly renewAtMs: number } | undefined
    let recent: ReadonlyArray<A> = []
    let running: Deferred.Deferred<A, NoCredentials> | undefined
    let failure: { readonly untilMs: number; readonly error: NoCredentials } | undefined
    let lastRefusalMs = -Infinity

    const take = (found: Credentials<A>, nowMs: number) => {
      const leftMs = (found.endsAtMs ?? Infinity) - nowMs - offsetMs()
      // New credentials are good: if their end has passed, a clock is wrong, and a refusal will tell the end.
      const endsAtMs = leftMs > lastMs ? (found.endsAtMs ?? Infinity) : Infinity
      recent = [found.value, ...recent].slice(0, 2)
      current = { value: found.value, endsAtMs, renewAtMs: endsAtMs - Math.min(aheadMs, leftMs / 2) }
      failure = undefined
    }

    const inTime = Effect.timeoutFail(fetch, { duration: patience, onTimeout: () => noAnswer })

    /** Begins a fetch, or joins the one that runs. It goes on if the request that began it is abandoned. */
    const joined: Effect.Effect<Deferred.Deferred<A, NoCredentials>> = Effect.suspend(() => {
      if (running !== undefined) return Effect.succeed(running)
      const result = Deferred.unsafeMake<A, NoCredentials>(FiberId.none)
      running = result
      return Effect.as(
        Effect.forkDaemon(
          Effect.flatMap(Effect.exit(inTime), (exit) =>
            Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
              running = undefined
              if (Exit.isSuccess(exit)) take(exit.value, nowMs)
              else if (exit.cause._tag === "Fail") failure = { untilMs: nowMs + restMs, error: exit.cause.error }
              return Deferred.done(
                result,
                Exit.map(exit, ({ value }) => value)
              )
            })
          )
        ),
        result
      )
    })

    const get = Effect.flatMap(Clock.currentTimeMillis, (nowMs): Effect.Effect<A, NoCredentials> => {
      const isResting = failure !== undefined && failure.untilMs > nowMs
      const theirsMs = nowMs + offsetMs()
      if (current !== undefined && current.endsAtMs - lastMs > theirsMs) {
        const { renewAtMs, value } = current
        return theirsMs >= renewAtMs && !isResting ? Effect.as(joined, value) : Effect.succeed(value)
      }
      if (failure !== undefined && isResting) return Effect.fail(failure.error)
      return Effect.flatMap(joined, Deferred.await)
    })

    const refuse = (value: A) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        if (current?.value !== value) return Effect.succeed(true)
        if (running === undefined) {
          if (nowMs - lastRefusalMs < refusalMs) return Effect.succeed(false)
          lastRefusalMs = nowMs
        }
        return Effect.match(Effect.flatMap(joined, Deferred.await), {
          onFailure: () => false,
          onSuccess: (other) => other !== value
        })
      })

    return { get, refused: refuse, recent: () => recent }
  })

const noAnswer = new NoCredentials({
  isOutage: true,
  message: `no credentials: their source did not answer within ${patience}`
})

import { Clock, Duration, Effect, Fiber, Redacted } from "effect"
import { alone } from "./alone.ts"
import { authorizationServer, Refused } from "./AuthorizationServer.ts"
import { NotSignedIn } from "./NotSignedIn.ts"
import { signInOf } from "./signInOf.ts"
import { readSignIns, storeSignIn } from "./storedSignIns.ts"
import type { StoredSignIn } from "./storedSignIns.ts"

/** A token is replaced once it has less than this left: Codex and others keep theirs for five minutes. */
const leastLeft = Duration.minutes(5)

/** With a token that is still good, programs are not kept waiting: Codex gives a command five seconds. */
const patience = (isGood: boolean) => Duration.seconds(isGood ? 3 : 30)

/** The access token of a gateway, refreshed if need be. */
export const freshToken = (address: string) =>
  Effect.gen(function* () {
    const stored = yield* signInAt(address)
    if (yield* lasts(stored, leastLeft)) return stored.access_token
    const isGood = yield* lasts(stored, Duration.zero)
    return yield* refreshed(address, patience(isGood)).pipe(
      // Of others that refresh at the same time, the first does it for all.
      alone(patience(isGood)),
      Effect.catchAll((failure) =>
        isGood && failure._tag !== "NotSignedIn"
          ? Effect.as(
              Effect.logWarning(`the token is good for a while, but not refreshed: ${failure.message}`),
              stored.access_token
            )
          : Effect.fail(failure)
      )
    )
  })

const refreshed = (address: string, patience: Duration.Duration) =>
  Effect.gen(function* () {
    const stored = yield* signInAt(address)
    if (yield* lasts(stored, leastLeft)) return stored.access_token
    const { refresh_token } = stored
    if (refresh_token === null) {
      if (yield* lasts(stored, Duration.zero)) return stored.access_token
      return yield* ended(address)
    }
    // A gateway that is away is noticed here, before a refresh token is sent whose answer might be lost.
    const server = yield* authorizationServer(address, patience)
    const exchange = Effect.gen(function* () {
      const form = { grant_type: "refresh_token", refresh_token: Redacted.value(refresh_token) }
      const signIn = signInOf(yield* server.token(form), yield* Clock.currentTimeMillis, stored)
      yield* storeSignIn(address, signIn)
      return signIn.access_token
    })
    return yield* toItsEnd(Effect.catchIf(exchange, isOver, () => ended(address)))
  })

const isOver = (failure: unknown) => failure instanceof Refused && failure.error === "invalid_grant"

/** The answer replaces the token that was sent: a signal waits until it is stored. Its own time limits still count. */
const toItsEnd = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.uninterruptibleMask((restore) => Effect.flatMap(Effect.forkDaemon(restore(work)), Fiber.join))

const ended = (address: string) => Effect.zipRight(storeSignIn(address, undefined), NotSignedIn.ended(address))

const signInAt = (address: string) =>
  Effect.flatMap(readSignIns, ({ [address]: stored }) =>
    stored === undefined ? NotSignedIn.at(address) : Effect.succeed(stored)
  )

const lasts = ({ expires_at }: StoredSignIn, least: Duration.Duration) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => expires_at.getTime() - nowMs > Duration.toMillis(least))

import { Clock, Console, Duration, Effect, Redacted } from "effect"
import { visible } from "../../contract/text/visible.ts"
import type { AuthorizationServer, DeviceAuthorization, Refused, TokenAnswer } from "./AuthorizationServer.ts"
import { countdown } from "./countdown.ts"
import { NotSignedIn } from "./NotSignedIn.ts"

/** RFC 8628, section 3.5: where the gateway names no interval, and what `slow_down` adds. */
const usualSeconds = 5

/** A gateway that is away for a moment is asked again more slowly, this slowly at most. */
const slowest = Duration.seconds(30)

/** Shows a code and waits until it is approved in a browser. @param form the fields of the device authorization */
export const approval = (server: AuthorizationServer, form: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const device = yield* server.authorizeDevice(form)
    const untilMs = (yield* Clock.currentTimeMillis) + device.expires_in * 1_000
    yield* Console.error(instructions(device))
    return yield* Effect.raceFirst(
      answerTo(server, device),
      Effect.zipRight(countdown(untilMs), new NotSignedIn({ message: notInTime }))
    )
  })

const notInTime = "the code was not approved in time; nothing was stored"

const instructions = ({
  login_notice,
  user_code,
  verification_uri,
  verification_uri_complete = verification_uri
}: DeviceAuthorization): string =>
  [
    "This command opens no browser. Open this page yourself, on any device:",
    `\n  ${visible(verification_uri_complete)}\n`,
    `and approve this code there: ${visible(user_code)}`,
    ...(login_notice === undefined ? [] : [visible(login_notice)])
  ].join("\n")

/** Asks for the token until the code is approved, refused or over. */
const answerTo = (server: AuthorizationServer, device: DeviceAuthorization) => {
  const form = {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: Redacted.value(device.device_code)
  }
  const ask = (interval: Duration.Duration): Effect.Effect<TokenAnswer, NotSignedIn | Refused> =>
    Effect.sleep(interval).pipe(
      Effect.zipRight(server.token(form)),
      Effect.catchTags({
        Refused: (refusal) => {
          switch (refusal.error) {
            case "authorization_pending":
              return ask(interval)
            case "slow_down":
              return ask(Duration.sum(interval, Duration.seconds(usualSeconds)))
            case "access_denied":
              return new NotSignedIn({ message: "the code was refused in the browser; nothing was stored" })
            case "expired_token":
              return new NotSignedIn({ message: notInTime })
            default:
              return refusal
          }
        },
        Unreachable: () => ask(Duration.min(Duration.times(interval, 2), slowest))
      })
    )
  return ask(Duration.seconds(device.interval ?? usualSeconds))
}

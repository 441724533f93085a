import { Args } from "@effect/cli"
import { Effect, Option } from "effect"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import { remoteUrl } from "../administer.ts"
import { gatewayAddress } from "./gatewayAddress.ts"
import { NotSignedIn } from "./NotSignedIn.ts"
import { readSignIns } from "./storedSignIns.ts"

/** @param otherwise where the address comes from if it is not given */
export const addressArgument = (otherwise: string) =>
  Args.text({ name: "address" }).pipe(Args.withDescription(`The gateway's address (${otherwise}).`), Args.optional)

const named = (given: Option.Option<string>) =>
  Effect.gen(function* () {
    const text = Option.getOrElse(given, () => "") || ((yield* remoteUrl) ?? "")
    return text === "" ? undefined : yield* gatewayAddress(text)
  })

/** The gateway to sign in to: the argument, otherwise `GATEWAY_URL`. */
export const gatewayNamed = (given: Option.Option<string>) =>
  Effect.filterOrFail(
    named(given),
    (address) => address !== undefined,
    () => missing("which gateway?")
  )

/** The gateway of a sign-in: the argument, otherwise `GATEWAY_URL`, otherwise the only one that is stored. */
export const gatewayOfSignIn = (given: Option.Option<string>) =>
  Effect.gen(function* () {
    const address = yield* named(given)
    if (address !== undefined) return address
    const [only, ...others] = Object.keys(yield* readSignIns)
    if (only === undefined) return yield* NotSignedIn.anywhere
    if (others.length > 0) return yield* missing(`${others.length + 1} gateways are signed in to`)
    return only
  })

const missing = (why: string) =>
  new InvalidRequest({ param: "address", message: `${why}: give its address, or set GATEWAY_URL` })

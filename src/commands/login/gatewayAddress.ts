import { Effect } from "effect"
import { isLoopback } from "../../config/loopback.ts"
import { withoutSlash } from "../../config/withoutSlash.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"

/** The address of a gateway, as sign-ins are stored by it: an origin and perhaps a path, without a slash at its end. */
export const gatewayAddress = (given: string): Effect.Effect<string, InvalidRequest> =>
  Effect.suspend(() => {
    const url = URL.parse(given)
    const isPlain = url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === "")
    if (!isPlain || !/^https?:$/.test(url.protocol)) {
      return refused(`expected the address of a gateway, such as https://gateway.example.com; got "${given}"`)
    }
    return url.protocol === "http:" && !isLoopback(url.href)
      ? refused(`"${given}": tokens are sent by https; http is for a gateway on this machine (localhost)`)
      : Effect.succeed(withoutSlash(url.origin + url.pathname))
  })

const refused = (message: string) => new InvalidRequest({ param: "address", message })

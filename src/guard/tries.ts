import type { Clock } from "effect"
import type { Range } from "./addresses.ts"
import { clientAddress } from "./clientAddress.ts"
import { isLedHere } from "./foreign.ts"
import { makeThrottles } from "./throttle.ts"

/** A request and the server that received it. */
export interface IncomingRequest {
  readonly request: Request
  readonly server: Pick<Bun.Server<undefined>, "requestIP">
}

/** As many colleagues share one address. */
const ofMany = { free: 300, mostWaiting: 64 }
/** A person mistypes now and then; a right secret waits like a wrong one, among as many as are guessed at once. */
const ofSecrets = { free: 10, mostWaiting: 256 }

/**
 * Counts the tries of strangers by client address, each kind for itself: no kind slows another down, and none is refused because
 * of others' mistakes.
 *
 * @param trusted proxies whose `X-Forwarded-For` names the address
 */
export const makeTries = (trusted: ReadonlyArray<Range>, clock: Clock.Clock) => {
  const throttle = makeThrottles(clock)
  const from = ({ request, server }: IncomingRequest): string =>
    clientAddress(server.requestIP(request)?.address, request.headers.get("x-forwarded-for"), trusted)
  return {
    /** The client's address. */
    from,
    /** The name that a request is counted under: its address, apart from what other sites' pages cause at browsers there. */
    countedAs: (incoming: IncomingRequest): string =>
      isLedHere(incoming.request.headers) ? `${from(incoming)}, led` : from(incoming),
    /** Sign-ins that are begun, by a provider, a key or a link. */
    begun: throttle(ofMany),
    /** Programs that ask for a code. */
    programs: throttle(ofMany),
    /** Admin keys, API keys of the console, and links; wrong ones count. */
    secrets: throttle(ofSecrets),
    /** Codes of programs, by the person who types them; wrong ones count. */
    codes: throttle({ free: 10, mostWaiting: 16 }),
    /** Providers' logout tokens; wrong ones count. */
    logouts: throttle(ofSecrets)
  } as const
}
export type Tries = ReturnType<typeof makeTries>

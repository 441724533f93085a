import { AccountId, KeyId } from "../contract/callers/Caller.ts"
import type { Caller, Limits as Bounds } from "../contract/callers/Caller.ts"

/** How many messages may come for each request of a limit: a client opens, lists and pings beside its calls. */
const perRequest = 10

const known = new WeakMap<Caller, Caller>()

/** The caller as its messages are counted: apart from its requests, and ten for each that its limits allow. */
export const messagesOf = (caller: Caller): Caller => {
  let messages = known.get(caller)
  if (messages === undefined) {
    messages = {
      ...caller,
      key: KeyId.make(`messages/${caller.key}`),
      account: AccountId.make(`messages/${caller.account}`),
      keyLimits: tenfold(caller.keyLimits),
      accountLimits: tenfold(caller.accountLimits)
    }
    known.set(caller, messages)
  }
  return messages
}

const tenfold = ({ requestsPerMinute }: Bounds): Bounds =>
  requestsPerMinute === undefined ? {} : { requestsPerMinute: requestsPerMinute * perRequest }

import type { Incoming } from "../../src/contract/handlers.ts"

/** A request as handlers get it, of which only what the test gives matters. */
export const incoming = (given: Partial<Incoming> = {}): Incoming => ({
  id: "req_1",
  method: "POST",
  path: "/",
  headers: new Headers(),
  body: {},
  replyHeaders: {},
  shutdown: new AbortController().signal,
  ...given
})

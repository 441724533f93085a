import { Future } from "../flow/Future.ts"
import type { PassthroughEndpoint, GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { Work } from "./Work.ts"

/** A request in the gateway's words, for an upstream that does not offer what its own ask for. */
export const translateInstead =
  (work: Work, upstream: TextUpstream, how: GenerateOptions): Parameters<PassthroughEndpoint["send"]>[2] =>
  () => {
    const refused = work.options.objection?.()
    if (refused !== undefined) return Future.fail(refused)
    work.leftOut = work.unsupported()
    return upstream.generate(work.conversation, how)
  }

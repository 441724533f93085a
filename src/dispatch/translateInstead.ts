import { Future } from "../flow/Future.ts"
import type { PassthroughEndpoint, GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { Work } from "./Work.ts"

/** Translates the request for an upstream that lacks the passthrough endpoint. */
export const translateInstead =
  (work: Work, upstream: TextUpstream, how: GenerateOptions): Parameters<PassthroughEndpoint["send"]>[2] =>
  () => {
    const refused = work.options.objection?.()
    if (refused !== undefined) return Future.fail(refused)
    work.leftOut = work.unsupported()
    return upstream.generate(work.conversation, how)
  }

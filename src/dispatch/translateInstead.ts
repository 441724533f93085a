import { Future } from "../flow/Future.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { PassthroughEndpoint, GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { AdmittedRoute } from "./admit.ts"
import { fitOutput } from "./fitOutput.ts"
import { severally } from "./several.ts"
import { leftOutAt, unsupportedError } from "./unsupported.ts"
import type { Work } from "./Work.ts"

/** Translates the request for an upstream that lacks the passthrough endpoint. */
export const translateInstead =
  (
    work: Work,
    route: AdmittedRoute,
    upstream: TextUpstream,
    how: GenerateOptions
  ): Parameters<PassthroughEndpoint["send"]>[2] =>
  () => {
    const refused = work.options.objection?.()
    if (refused !== undefined) return Future.fail(refused)
    const strict = how.strict === true
    const { cut, fitted } = fitOutput(work.entry, route, work.conversation, strict)
    work.leftOut = [...leftOutAt(work.unsupported(), upstream), ...cut]
    const lost = unsupportedError(work.leftOut, strict)
    if (lost !== undefined) return Future.fail(lost)
    const send = (one: Conversation) => upstream.generate(one, how)
    const { several } = work.options
    return several === undefined ? send(fitted) : severally(several, how.runtime, fitted, send)
  }

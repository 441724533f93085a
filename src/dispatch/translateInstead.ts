import { Future } from "../flow/Future.ts"
import type { PassthroughEndpoint, GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { AdmittedRoute } from "./admit.ts"
import { fitOutput } from "./fitOutput.ts"
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
    return lost === undefined ? upstream.generate(fitted, how) : Future.fail(lost)
  }
